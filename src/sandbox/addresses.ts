// Which Internet addresses are public. Pure classification of an address after name resolution; spellings that
// resolvers accept (decimal, short, octal, IPv4-mapped) are brought to one form first.

/** An address as bytes: 4 for IPv4, 16 for IPv6. An IPv4-mapped IPv6 address is IPv4. */
export type Address = Uint8Array

/** Reads an address in any spelling a resolver would take; null when the text is a name. */
export function parseAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  return bare.includes(':') ? parseIpv6(bare) : parseIpv4(bare)
}

/** The usual spelling: dotted quad, or lower-case groups of hexadecimal without compression. */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join('.')
  const groups: string[] = []
  for (let index = 0; index < 16; index += 2)
    groups.push(((address[index]! << 8) | address[index + 1]!).toString(16))
  return groups.join(':')
}

export interface AddressRange {
  readonly address: Address
  readonly bits: number
}

/** `10.0.0.0/8`, or a single address as a range of itself; null when it is neither. */
export function parseRange(text: string): AddressRange | null {
  const slash = text.lastIndexOf('/')
  if (slash === -1) {
    const address = parseAddress(text)
    return address && { address, bits: address.length * 8 }
  }
  const address = parseAddress(text.slice(0, slash))
  const bits = text.slice(slash + 1)
  if (!address || !/^\d{1,3}$/.test(bits) || Number(bits) > address.length * 8) return null
  return { address, bits: Number(bits) }
}

/** True when the address lies in the range; the two families never match each other. */
export function inRange(address: Address, range: AddressRange): boolean {
  if (address.length !== range.address.length) return false
  let left = range.bits
  for (let index = 0; left > 0; index++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff
    if ((address[index]! & mask) !== (range.address[index]! & mask)) return false
  }
  return true
}

/** Ranges no tool reaches unless the operator lists the very address. */
export const closedRanges: readonly AddressRange[] = [
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
].map((text) => parseRange(text)!)

/** IPv6 ranges that carry an IPv4 address inside, with the byte where it starts. */
const carriers: readonly { readonly range: AddressRange; readonly at: number }[] = [
  { range: parseRange('64:ff9b::/96')!, at: 12 },
  { range: parseRange('64:ff9b:1::/48')!, at: 12 },
  { range: parseRange('2002::/16')!, at: 2 },
  // IPv4-compatible, long obsolete but still routed by some stacks
  { range: parseRange('::/96')!, at: 12 },
]

/** True for an address on the public Internet; also looks at the IPv4 address inside a transition address. */
export function isPublicAddress(address: Address): boolean {
  if (closedRanges.some((range) => inRange(address, range))) return false
  const carrier = carriers.find(({ range }) => inRange(address, range))
  return !carrier || isPublicAddress(address.slice(carrier.at, carrier.at + 4))
}

/** As `inet_aton` reads it: one to four parts, each decimal, octal (`0…`) or hexadecimal (`0x…`). */
function parseIpv4(text: string): Address | null {
  const parts = text.split('.')
  if (parts.length > 4) return null
  const numbers: number[] = []
  for (const part of parts) {
    if (/^0x[0-9a-f]+$/i.test(part)) numbers.push(Number.parseInt(part.slice(2), 16))
    else if (/^0[0-7]*$/.test(part)) numbers.push(Number.parseInt(part, 8))
    else if (/^[1-9]\d*$/.test(part)) numbers.push(Number(part))
    else return null
  }
  const last = numbers.pop()!
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) return null
  const bytes = new Uint8Array(4)
  bytes.set(numbers)
  for (let index = 3, rest = last; index >= numbers.length; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest % 256
  return bytes
}

function parseIpv6(given: string): Address | null {
  let text = given.split('%', 1)[0]!
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (dotted) {
    const low = parseIpv4(dotted[2]!)
    if (!low) return null
    text = `${dotted[1]}${((low[0]! << 8) | low[1]!).toString(16)}:${((low[2]! << 8) | low[3]!).toString(16)}`
  }
  const halves = text.split('::')
  if (halves.length > 2) return null
  const head = groupsOf(halves[0]!)
  const tail = halves.length === 2 ? groupsOf(halves[1]!) : []
  if (!head || !tail) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...head, ...new Array<number>(halves.length === 2 ? missing : 0).fill(0), ...tail]
  const bytes = Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  return isMapped ? bytes.slice(12) : bytes
}

function groupsOf(text: string): number[] | null {
  if (text === '') return []
  const groups = text.split(':')
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null
}
