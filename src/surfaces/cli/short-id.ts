// Ids may be shortened to a beginning that only one of them has.
import { UsageError } from './command.ts'

/** The one whose id is or begins so; undefined for none. Throws UsageError when several begin so. */
export function uniqueStart<T>(items: readonly T[], start: string, idOf: (item: T) => string): T | undefined {
  const exact = items.find((item) => idOf(item) === start)
  if (exact) return exact
  const found = items.filter((item) => idOf(item).startsWith(start))
  if (found.length > 1)
    throw new UsageError(
      `"${start}" is the beginning of ${found.length} ids.`,
      `Write more of it: ${found.slice(0, 3).map(idOf).join(', ')}${found.length > 3 ? ', …' : ''}.`,
    )
  return found[0]
}
