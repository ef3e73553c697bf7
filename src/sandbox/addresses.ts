// Which Internet addresses are public. Pure classification of an address after name resolution; spellings that
// resolvers accept (decimal, short, octal, IPv4-mapped) are brought to one form first. ipaddr.js reads and compares.
import type { IPv4, IPv6 } from 'ipaddr.js'
import { lazyModule } from '../tool/lazy-module.ts'

const ipaddr = lazyModule<typeof import('ipaddr.js')>('ipaddr.js')

/** An IPv4-mapped IPv6 address is IPv4. */
export type Address = IPv4 | IPv6

export interface AddressRange {
  readonly address: Address
  readonly bits: number
}

/** Reads an address in any spelling a resolver would take; null when the text is a name. */
export function parseAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  try {
    return ipaddr().process(bare.split('%', 1)[0]!)
  } catch {
    return null
  }
}

/** The usual spelling: dotted quad, or lower-case groups of hexadecimal without compression. */
export function formatAddress(address: Address): string {
  return address.toNormalizedString()
}

/** `10.0.0.0/8`, or a single address as a range of itself; null when it is neither. */
export function parseRange(text: string): AddressRange | null {
  const [, start = text, given] = /^(.*)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(start)
  if (!address) return null
  const bits = given === undefined ? widthOf(address) : Number(given)
  return bits <= widthOf(address) ? { address, bits } : null
}

/** 32 or 128. */
export function widthOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128
}

/** True when the address lies in the range; the two families never match each other. */
export function inRange(address: Address, { address: start, bits }: AddressRange): boolean {
  return address.kind() === start.kind() && address.match(start, bits)
}

const closedTexts = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** IPv6 ranges that carry an IPv4 address inside, with the byte where it starts. */
const carrierTexts = [
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/48', 12],
  ['2002::/16', 2],
  // IPv4-compatible, long obsolete but still routed by some stacks
  ['::/96', 12],
] as const

let closed: readonly AddressRange[] | undefined
let carriers: readonly { readonly range: AddressRange; readonly at: number }[] | undefined

/** Ranges no tool reaches unless the operator lists the very address; read when the first address is judged. */
export function closedRanges(): readonly AddressRange[] {
  closed ??= closedTexts.map((text) => parseRange(text)!)
  return closed
}

/** True for an address on the public Internet; also looks at the IPv4 address inside a transition address. */
export function isPublicAddress(address: Address): boolean {
  if (closedRanges().some((range) => inRange(address, range))) return false
  carriers ??= carrierTexts.map(([text, at]) => ({ range: parseRange(text)!, at }))
  const carrier = carriers.find(({ range }) => inRange(address, range))
  return (
    !carrier ||
    isPublicAddress(ipaddr().fromByteArray(address.toByteArray().slice(carrier.at, carrier.at + 4)))
  )
}

/** True for the addresses of this machine to itself. */
function isLoopbackAddress(address: Address): boolean {
  return address.range() === 'loopback'
}

/** True for a name or address that can only be this machine; brackets of an address are left out. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '127.0.0.1') return true
  const address = parseAddress(host)
  return address !== null && isLoopbackAddress(address)
}
