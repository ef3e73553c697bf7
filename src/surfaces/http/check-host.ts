// Keeps web pages out: a request must name a host this server goes by, and a page that sends it must come from
// such a host. This is what stops DNS rebinding and cross-site requests to a server on loopback.
import { isIP } from 'node:net'
import { isLoopback } from '../../sandbox/addresses.ts'
import { HttpProblem } from './problem-json.ts'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export interface HostRules {
  /** The interface the server is bound to. */
  readonly bound: string
  /** Host names accepted besides. */
  readonly allowed: readonly string[]
}

/** Throws when the Host or Origin header is not one of ours. */
export function checkHost(rules: HostRules, host: string | undefined, origin: string | undefined): void {
  if (!isOurs(rules, hostNameOf(`http://${host ?? ''}`)))
    throw new HttpProblem('HOST_REFUSED', `This server does not go by the host name "${host ?? ''}".`, {
      hint: 'Add it to serve.allowedHosts in toolcrib.yaml if it is yours.',
    })
  if (origin !== undefined && !isOurs(rules, hostNameOf(origin)))
    throw new HttpProblem('ORIGIN_REFUSED', `Pages of ${origin} may not use this server.`, {
      hint: 'Add its host to serve.allowedHosts in toolcrib.yaml if it is yours.',
    })
}

function hostNameOf(url: string): string | undefined {
  try {
    const { hostname, protocol } = new URL(url)
    return protocol === 'http:' || protocol === 'https:' ? hostname : undefined
  } catch {
    return undefined
  }
}

function isOurs({ bound, allowed }: HostRules, name: string | undefined): boolean {
  if (!name) return false
  if (loopbackNames.includes(name) || allowed.includes(name)) return true
  const bare = name.startsWith('[') ? name.slice(1, -1) : name
  // Rebinding needs a name; a plain address on an interface we serve is safe.
  return bare === bound || (!isLoopback(bound) && isIP(bare) !== 0)
}
