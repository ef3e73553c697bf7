// Which address an operation is sent to.
import { type ApiDocument, isNode, type Located } from './document.ts'

/** The address without `/` at its end; undefined when the document names none that can be used. */
export function serverOf(
  document: ApiDocument,
  places: readonly Located[],
  settings: { readonly server?: string | undefined; readonly origin?: string | undefined },
): string | undefined {
  if (settings.server !== undefined) return clean(settings.server)
  const list = places.map((place) => document.at(place, 'servers')).find(({ value }) => isFilled(value))
  const written = list ? fromServers(list.value) : fromSwagger(document.root.value)
  if (written === undefined) return undefined
  if (/^https?:\/\//i.test(written)) return clean(written)
  // An address that is no whole one is meant from where the document was read.
  try {
    return settings.origin === undefined ? undefined : clean(new URL(written, settings.origin).href)
  } catch {
    return undefined
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

/** The first server, its variables at their defaults. */
function fromServers(servers: unknown): string | undefined {
  const [first] = servers as unknown[]
  if (!isNode(first) || typeof first['url'] !== 'string') return undefined
  const variables = isNode(first['variables']) ? first['variables'] : {}
  return first['url'].replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name]
    return isNode(variable) && variable['default'] !== undefined ? String(variable['default']) : whole
  })
}

function fromSwagger(root: unknown): string | undefined {
  if (!isNode(root)) return undefined
  if (typeof root['swagger'] !== 'string') return '/'
  const path = typeof root['basePath'] === 'string' ? root['basePath'] : ''
  if (typeof root['host'] !== 'string') return path || '/'
  const schemes = Array.isArray(root['schemes']) ? root['schemes'] : ['https']
  return `${schemes.includes('https') ? 'https' : String(schemes[0])}://${root['host']}${path}`
}

function clean(address: string): string | undefined {
  try {
    const url = new URL(address)
    // A variable without a value is in no address.
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || /[{}]/.test(url.hostname)) return undefined
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  } catch {
    return undefined
  }
}

/** `net.http:<host>` for a server's address. */
export function needOf(server: string): string {
  const { host, hostname } = new URL(server)
  return `net.http:${host.includes(':') ? host : hostname}`
}
