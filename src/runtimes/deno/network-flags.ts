// Network rights as Deno flags. Deny beats allow in Deno, so a private address that is listed is cut out of the
// denied ranges; everything else private stays denied after name resolution.
import { closedRanges, formatAddress, parseAddress, parseRange } from '../../sandbox/addresses.ts'

/** What a worker may reach: public addresses or not, and hosts by name, address or range. */
export interface EffectiveNetwork {
  readonly public: boolean
  readonly hosts: readonly string[]
}

export const noNetwork: EffectiveNetwork = { public: false, hosts: [] }

/** Deno takes no IPv6 ranges, only these two addresses. */
const closedIpv6 = ['::1', '::']

/** `proxy`: address of the only way out of a network namespace, opened beside the rest. */
export function networkFlags(network: EffectiveNetwork, proxy?: string): string[] {
  if (!network.public && network.hosts.length === 0) return ['--deny-net']
  const listed = [...network.hosts.flatMap(expandLocalhost), ...(proxy === undefined ? [] : [proxy])]
  const opened = listed.map((entry) => hostOf(entry))
  const denied = [
    ...closedIpv4().flatMap((range) => subtract(range, opened)),
    ...closedIpv6
      .filter((address) => !opened.some((host) => isSameIpv6(host, address)))
      .map((text) => `[${text}]`),
  ]
  return [
    network.public ? '--allow-net' : `--allow-net=${listed.join(',')}`,
    `--deny-net=${denied.join(',')}`,
  ]
}

/** `localhost` stands for its two addresses. */
function expandLocalhost(entry: string): string[] {
  const match = /^localhost(:\d+)?$/i.exec(entry)
  if (!match) return [entry]
  const port = match[1] ?? ''
  return [`localhost${port}`, `127.0.0.1${port}`, `[::1]${port}`]
}

/** An entry without its port and brackets. */
export function hostOf(entry: string): string {
  const match = /^\[([^\]]+)\](?::\d+)?$/.exec(entry) ?? /^([^:]+)(?::\d+)?$/.exec(entry)
  return match ? match[1]! : entry
}

function isSameIpv6(host: string, address: string): boolean {
  const one = host.includes(':') ? parseAddress(host) : null
  return one !== null && formatAddress(one) === formatAddress(parseAddress(address)!)
}

interface Span {
  /** Whole numbers of 32 bits, both inclusive. */
  readonly from: number
  readonly to: number
}

/** What remains of an IPv4 range when the opened addresses and ranges are taken out, as ranges. */
function subtract(range: string, opened: readonly string[]): string[] {
  let left = [spanOf(range)!]
  for (const hole of opened.map(spanOf)) {
    if (!hole) continue
    left = left.flatMap((span) => {
      if (hole.to < span.from || hole.from > span.to) return [span]
      return [
        ...(hole.from > span.from ? [{ from: span.from, to: hole.from - 1 }] : []),
        ...(hole.to < span.to ? [{ from: hole.to + 1, to: span.to }] : []),
      ]
    })
  }
  return left.flatMap(toRanges)
}

function spanOf(text: string): Span | null {
  const range = parseRange(text)
  if (range?.address.kind() !== 'ipv4') return null
  const size = 2 ** (32 - range.bits)
  const value = range.address.toByteArray().reduce((sum, byte) => sum * 256 + byte, 0)
  const from = Math.floor(value / size) * size
  return { from, to: from + size - 1 }
}

/** The fewest ranges that cover a span exactly. */
function toRanges(span: Span): string[] {
  const ranges: string[] = []
  let from = span.from
  while (from <= span.to) {
    let bits = 32
    while (bits > 0 && from % 2 ** (33 - bits) === 0 && from + 2 ** (33 - bits) - 1 <= span.to) bits--
    ranges.push(`${[24, 16, 8, 0].map((shift) => Math.floor(from / 2 ** shift) % 256).join('.')}/${bits}`)
    from += 2 ** (32 - bits)
  }
  return ranges
}

function closedIpv4(): string[] {
  return closedRanges()
    .filter((range) => range.address.kind() === 'ipv4')
    .map((range) => `${formatAddress(range.address)}/${range.bits}`)
}
