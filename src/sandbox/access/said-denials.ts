// What a failed run says of a network that was closed to it. Where there is no proxy to ask, its own words are all there
// is to hear (L8). They are the tool's: they become a proposal that a person judges, as a request to the proxy would.
import type { Profile } from '../profile.ts'
import { type Access, hostAndPort } from './access.ts'

const host = `([\\w-]+(?:\\.[\\w-]+)+|\\[?[\\da-fA-F:]{3,}\\]?)`
/** Words of common programs and libraries, with the host and perhaps the port. */
const named = [
  `(?:resolve host(?: address)?|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)):? [‘'"]?${host}`,
  `(?:ENETUNREACH|EHOSTUNREACH|Failed to connect to) ${host}(?::| port )(\\d+)`,
  `ConnectionPool\\(host='${host}', port=(\\d+)\\)`,
  `Requires net access to "${host}(?::(\\d+))?"`,
  `error sending request for url \\(\\w+://${host}(?::(\\d+))?`,
].map((text) => new RegExp(text))
const unnamed =
  /Network is unreachable|name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|fetch failed|dns error/

/** What was denied, from the end of what a run said; empty where its network was open. */
export function saidDenials(said: string, { network }: Pick<Profile, 'network'>): Access[] {
  if (network.mode !== 'none') return []
  for (const words of named) {
    const [, name, port = '443'] = words.exec(said) ?? []
    if (name !== undefined)
      return [{ kind: 'host', what: hostAndPort(name.replace(/^\[|\]$/g, ''), Number(port)), isDenied: true }]
  }
  return unnamed.test(said) ? [{ kind: 'capability', what: 'net.http', isDenied: true }] : []
}
