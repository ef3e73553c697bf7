// The gate of a skill folder, `metadata.requires.bins`: programs without which the skill is out of service.
import { isPlainObject } from '../tool/json.ts'

export type BinsGate =
  /** One inner list fully present is enough; null: no gate. */
  | { readonly needsBins: readonly (readonly string[])[] | null }
  /** What cannot be understood, and where it is in the frontmatter. */
  | { readonly fault: string; readonly path: readonly string[] }

const open: BinsGate = { needsBins: null }

export function readBinsGate(metadata: unknown): BinsGate {
  if (metadata === undefined || metadata === null) return open
  if (!isPlainObject(metadata)) return { fault: 'metadata must be a map', path: ['metadata'] }
  const { requires } = metadata
  if (requires === undefined || requires === null) return open
  if (!isPlainObject(requires))
    return { fault: 'metadata.requires must be a map', path: ['metadata', 'requires'] }
  const { bins } = requires
  if (bins === undefined || bins === null) return open
  if (Array.isArray(bins)) {
    if (bins.every((bin) => typeof bin === 'string')) return bins.length === 0 ? open : { needsBins: [bins] }
    const isLists = bins.every(
      (list) => Array.isArray(list) && list.length > 0 && list.every((bin) => typeof bin === 'string'),
    )
    if (isLists) return { needsBins: bins as string[][] }
  }
  return {
    fault: 'metadata.requires.bins must be a list of program names, or a list of such lists',
    path: ['metadata', 'requires', 'bins'],
  }
}

/** `a, b are not on PATH` */
export function notOnPath(missing: readonly string[]): string {
  return `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not on PATH`
}
