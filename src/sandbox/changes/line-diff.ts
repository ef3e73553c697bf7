// Which lines of a text differ from another's, and the merge of two texts that come from one. Bounded: where a true
// comparison would take too long, everything between the equal beginning and end counts as changed.
import { lazyModule } from '../../tool/lazy-module.ts'

const diff3 = lazyModule<typeof import('node-diff3')>('node-diff3')

/** Lines `from` to `to` (not included) of the one text became lines `from` to `to` of the other. */
export interface Hunk {
  readonly before: { readonly from: number; readonly to: number }
  readonly after: { readonly from: number; readonly to: number }
}

/** Most pairs of equal lines that are weighed against each other. */
const maxPairs = 2_000_000

/** The lines of a file, each with its end. Bytes become characters one by one, so that any encoding comes back whole. */
export function linesOf(bytes: Buffer): string[] {
  return bytes.length === 0 ? [] : bytes.toString('latin1').split(/(?<=\n)/)
}

export function lineDiff(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const old = before.slice(start, before.length - end)
  const fresh = after.slice(start, after.length - end)
  if (old.length === 0 && fresh.length === 0) return []
  const isSimple = old.length === 0 || fresh.length === 0 || pairs(old, fresh) > maxPairs
  const found = isSimple
    ? [{ buffer1: [0, old.length] as const, buffer2: [0, fresh.length] as const }]
    : diff3().diffIndices(...numbered(old, fresh))
  return found.map(({ buffer1, buffer2 }) => ({
    before: { from: start + buffer1[0], to: start + buffer1[0] + buffer1[1] },
    after: { from: start + buffer2[0], to: start + buffer2[0] + buffer2[1] },
  }))
}

/** Both texts' changes since `base` in one; undefined where changed regions touch (E12). */
export function mergeLines(base: Buffer, one: Buffer, other: Buffer): Buffer | undefined {
  const texts = [linesOf(one), linesOf(base), linesOf(other)] as const
  if (pairs(texts[0], texts[1]) > maxPairs || pairs(texts[1], texts[2]) > maxPairs) return undefined
  const merged: string[] = []
  for (const region of diff3().diff3Merge([...texts[0]], [...texts[1]], [...texts[2]], {
    excludeFalseConflicts: true,
  })) {
    if (!region.ok) return undefined
    for (const line of region.ok) merged.push(line)
  }
  return Buffer.from(merged.join(''), 'latin1')
}

/** How many pairs of equal lines there are: what a comparison costs. */
function pairs(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1)
  return other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
}

/** Lines as numbers, equal ones as the same: cheaper to compare. */
function numbered(one: readonly string[], other: readonly string[]): [number[], number[]] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string) => {
    if (!numbers.has(line)) numbers.set(line, numbers.size)
    return numbers.get(line)!
  }
  return [one.map(numberOf), other.map(numberOf)]
}
