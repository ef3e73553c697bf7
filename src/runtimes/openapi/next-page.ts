// Where the next page of an answer is, and how pages are joined: by a Link header, or by the fields APIs commonly have.
import { isPlainObject } from '../../tool/json.ts'
import type { ApiParam } from '../../tool/plans/openapi-plan.ts'
import type { Answer } from '../http-exchange.ts'

type Args = { readonly [name: string]: unknown }

/** The next page by its address, or by the argument that asks for it; undefined at the end. */
export type NextPage = { readonly url: URL } | { readonly args: Args }

const nextFields = [
  'next',
  'next_page',
  'nextPage',
  'next_url',
  'nextLink',
  '@odata.nextLink',
  'next_page_url',
]
const cursorFields = [
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
  'next_token',
  'nextToken',
  'cursor',
  'continuation_token',
]
const cursorParams = [
  'cursor',
  'page_token',
  'pageToken',
  'next_token',
  'nextToken',
  'after',
  'starting_after',
  'marker',
  'continuation_token',
]
const listFields = [
  'items',
  'data',
  'results',
  'values',
  'entries',
  'records',
  'rows',
  'value',
  'objects',
  'list',
]

export function nextPage(
  answer: Answer,
  value: unknown,
  params: readonly ApiParam[],
  args: Args,
): NextPage | undefined {
  const linked = linkOf(answer)
  if (linked) return { url: linked }
  const list = listOf(value)
  if (!list || list.items.length === 0) return undefined
  const holders = isPlainObject(value)
    ? [
        value,
        ...['meta', 'pagination', 'paging', 'links', '_links', 'page_info', 'response_metadata'].map(
          (key) => value[key],
        ),
      ]
    : []
  for (const holder of holders) {
    if (!isPlainObject(holder)) continue
    const address = nextFields.map((key) => hrefOf(holder[key])).find((one) => one !== undefined)
    const url = address === undefined ? undefined : pageUrl(address, answer)
    if (url) return { url }
    const cursor = cursorFields.map((key) => holder[key]).find((one) => typeof one === 'string' && one !== '')
    const param = params.find((one) => one.in === 'query' && cursorParams.includes(one.name))
    if (cursor !== undefined && param) return { args: { ...args, [param.as]: cursor } }
  }
  return countedPage(list.items.length, params, args)
}

/** The page after this one, by number or by how many were read. */
function countedPage(count: number, params: readonly ApiParam[], args: Args): NextPage | undefined {
  const named = (...names: string[]) =>
    params.find((one) => one.in === 'query' && names.includes(one.name.toLowerCase()))
  const page = named('page', 'page_number', 'pagenumber')
  if (page) return { args: { ...args, [page.as]: Number(args[page.as] ?? 1) + 1 } }
  const offset = named('offset', 'skip', 'start')
  return offset ? { args: { ...args, [offset.as]: Number(args[offset.as] ?? 0) + count } } : undefined
}

/** `Link: <…>; rel="next"` */
function linkOf(answer: Answer): URL | undefined {
  const given = answer.headers['link']
  for (const part of [given].flat().flatMap((text) => (text ?? '').split(/,(?=\s*<)/))) {
    const [, address, rest] = /^\s*<([^>]*)>(.*)$/s.exec(part) ?? []
    if (address !== undefined && /;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(rest ?? ''))
      return pageUrl(address, answer)
  }
  return undefined
}

/** Pages stay at the origin they came from: an answer sends no credentials elsewhere. */
function pageUrl(address: string, { url }: Answer): URL | undefined {
  try {
    const next = new URL(address, url)
    return next.origin === url.origin && next.href !== url.href ? next : undefined
  } catch {
    return undefined
  }
}

function hrefOf(value: unknown): string | undefined {
  const text = isPlainObject(value) ? value['href'] : value
  return typeof text === 'string' && /^(https?:|\/|\?)/.test(text) ? text : undefined
}

/** The list that pages continue: the value itself, or the one list it holds under a common name. */
function listOf(
  value: unknown,
): { readonly key: string | null; readonly items: readonly unknown[] } | undefined {
  if (Array.isArray(value)) return { key: null, items: value }
  if (!isPlainObject(value)) return undefined
  const lists = Object.keys(value).filter((key) => Array.isArray(value[key]))
  const key = listFields.find((name) => lists.includes(name)) ?? (lists.length === 1 ? lists[0] : undefined)
  return key === undefined ? undefined : { key, items: value[key] as unknown[] }
}

/** One value of all pages: the first with the items of the others behind its own. */
export function joinPages(pages: readonly unknown[]): unknown {
  const [first] = pages
  const list = listOf(first)
  if (!list || pages.length === 1) return first
  const items = pages.flatMap((page) => listOf(page)?.items ?? [])
  return list.key === null ? items : { ...(first as object), [list.key]: items }
}
