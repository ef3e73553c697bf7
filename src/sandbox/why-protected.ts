// Whether one call may change a protected path: only where a grant names the place, and never where no grant can.
import { isInside } from '../files/is-inside.ts'
import type { ProtectedPlace } from '../trust/protected-place.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import type { Profile } from './profile.ts'

export interface ChangedPath {
  /** Real and absolute. */
  readonly path: string
  /** True when it was removed, moved, or became a link or something of another kind. */
  readonly isReplaced: boolean
}

/**
 * The place that protects a path from a call with this profile; undefined when the call may change it. A grant names a
 * place when its scope is the place or lies inside it: `fs.write:.vscode/**` opens `.vscode`, `fs.write:**` does not.
 */
export function whyProtected(
  { path, isReplaced }: ChangedPath,
  { write }: Pick<Profile, 'write'>,
  protectedSet: ProtectedSet,
): ProtectedPlace | undefined {
  const place = isReplaced ? protectedSet.whyReplaced(path) : protectedSet.why(path)
  if (!place || place.isFixed) return place
  const isNamed = write.some((granted) => isInside(granted, place.path) && isInside(path, granted))
  return isNamed ? undefined : place
}
