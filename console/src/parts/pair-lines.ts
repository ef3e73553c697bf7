// Lines of a difference two by two: what was, and what is in its place.
import type { PatchLine } from './unified-diff.ts'

export interface LinePair {
  readonly old?: PatchLine
  readonly now?: PatchLine
}

/** What was removed beside what came in its place, line by line. */
export function pairsOf(lines: readonly PatchLine[]): LinePair[] {
  const pairs: { old?: PatchLine; now?: PatchLine }[] = []
  /** Where the removed lines begin that still have nothing beside them. */
  let open = 0
  for (const line of lines) {
    if (line.kind === 'added') {
      const place = pairs[open]
      if (place) place.now = line
      else pairs.push({ now: line })
      open++
      continue
    }
    if (line.kind === 'removed') {
      pairs.push({ old: line })
      continue
    }
    pairs.push(line.kind === 'hunk' ? { old: line } : { old: line, now: line })
    open = pairs.length
  }
  return pairs
}
