// Whether a connection is within a profile's network rule. It is asked with the address that is really about to
// be used, after name resolution, so that neither a redirect nor a changed name gets around it.
import {
  type Address,
  formatAddress,
  inRange,
  isPublicAddress,
  parseAddress,
  parseRange,
} from './addresses.ts'
import type { NetworkRule } from './profile.ts'

export interface Destination {
  /** The name or address as it was asked for. */
  readonly host: string
  readonly port: number
  /** The address the name resolved to. */
  readonly address: string
}

/** Why a connection is refused, in words; null when it is allowed. */
export function refusalOf(rule: NetworkRule, destination: Destination): string | null {
  if (rule.mode === 'none') return 'it has no network access'
  const address = parseAddress(destination.address)
  if (!address) return `${destination.address} is not an address`
  const listed = rule.hosts
    .map(parseListed)
    .filter((entry) => entry.port === null || entry.port === destination.port)
  const opened = listed.some(({ host }) => {
    if (host === 'localhost') return isLocalhost(address)
    const range = parseRange(host)
    return range !== null && inRange(address, range)
  })
  if (opened) return null
  const where =
    destination.host === destination.address
      ? destination.host
      : `${destination.host} (${destination.address})`
  if (!isPublicAddress(address)) return `${where} is a private or reserved address and not listed`
  if (rule.mode === 'public') return null
  return listed.some(({ host }) => matchesName(host, destination.host))
    ? null
    : `${where} is not among the listed hosts`
}

/** True when no address of this host can be allowed, so that asking a resolver is needless. */
export function isHopeless(rule: NetworkRule, host: string, port: number): boolean {
  if (rule.mode !== 'hosts') return rule.mode === 'none'
  return !rule.hosts.some((entry) => {
    const listed = parseListed(entry)
    if (listed.port !== null && listed.port !== port) return false
    return listed.host === 'localhost' || parseRange(listed.host) !== null || matchesName(listed.host, host)
  })
}

/** True when the rule names this very host: secrets may travel there, not to whatever happens to be public. */
export function isListed(rule: NetworkRule, host: string, port: number): boolean {
  if (rule.mode === 'none') return false
  return rule.hosts.map(parseListed).some((entry) => {
    if (entry.port !== null && entry.port !== port) return false
    const address = parseAddress(host)
    if (matchesName(entry.host, host)) return true
    const range = parseRange(entry.host)
    if (address === null) return false
    return entry.host === 'localhost' ? isLocalhost(address) : range !== null && inRange(address, range)
  })
}

/**
 * True when a secret may travel with this request (G21): to a host the rule names, encrypted unless the rule gives the
 * port, and never with a method that has the head sent back.
 */
export function carriesSecrets(
  rule: NetworkRule,
  { host, port, isSecure, method }: { host: string; port: number; isSecure: boolean; method: string },
): boolean {
  if (rule.mode === 'none' || /^(trace|track)$/i.test(method)) return false
  const hosts = isSecure ? rule.hosts : rule.hosts.filter((entry) => parseListed(entry).port !== null)
  return isListed({ ...rule, hosts }, host, port)
}

/** `host`, `host:port`, `[::1]:port`, an address range; a bare IPv6 address has no port. */
function parseListed(entry: string): { readonly host: string; readonly port: number | null } {
  const match = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry)
  const host = (match ? match[1]! : entry).toLowerCase()
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: match ? Number(match[2]) : null }
}

/** `localhost` stands for its two addresses (C21). */
function isLocalhost(address: Address): boolean {
  return ['127.0.0.1', '0:0:0:0:0:0:0:1'].includes(formatAddress(address))
}

function matchesName(listed: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return listed.startsWith('*.') ? name.endsWith(listed.slice(1)) : name === listed
}
