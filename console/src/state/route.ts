// Where the reader is: `#/page/rest?filters`. The fragment never reaches the server.
import { computed, signal } from '@preact/signals'

export interface Route {
  readonly page: string
  /** What follows the page, decoded: a tool's id, a run's id. */
  readonly rest: string
  readonly query: URLSearchParams
}

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

export const route = computed<Route>(() => parseRoute(hash.value))

/** Pages of 0.1 and where they are now; links that were kept still lead there. */
const former: { readonly [page: string]: readonly [page: string, tab?: string] } = {
  crumbs: ['events'],
  automation: ['events', 'automation'],
  nodes: ['settings', 'nodes'],
}

function parseRoute(text: string): Route {
  const [path = '', filters = ''] = text.replace(/^#\/?/, '').split('?', 2)
  const [given = '', ...rest] = path.split('/')
  const [page, tab] = former[given] ?? [given || 'home']
  const query = new URLSearchParams(filters)
  if (tab && !query.has('tab')) query.set('tab', tab)
  return { page, rest: rest.map(decode).join('/'), query }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a page, for links. */
export function linkTo(page: string, rest = '', query?: Record<string, string>): string {
  const path = rest === '' ? page : `${page}/${rest.split('/').map(encodeURIComponent).join('/')}`
  const text = query ? new URLSearchParams(query).toString() : ''
  return `#/${path}${text ? `?${text}` : ''}`
}

export function goTo(link: string): void {
  location.hash = link
}

/** Changes filters in place: the way back leads to the page before, not to every keystroke. */
export function setQuery(changes: Record<string, string | null>): void {
  const { page, rest, query } = route.value
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const link = linkTo(page, rest, Object.fromEntries(next))
  history.replaceState(null, '', link)
  hash.value = link
}
