// What a profile says of changed paths: which lie in a write area, and which are protected (E7).
import { posix } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import type { Profile } from '../profile.ts'
import { whyProtected } from '../why-protected.ts'
import type { Change, ChangeSet } from './change-set.ts'
import type { ChangeRules } from './judge-changes.ts'
import type { ChangeLimits } from './read-changes.ts'

export interface RuleSource {
  readonly limits: ChangeLimits
  /** What no call may change without a grant that names it. */
  readonly protectedSet: ProtectedSet
}

export function writeRules(
  profile: Profile,
  { limits, protectedSet }: RuleSource,
  project: string,
): ChangeRules {
  const real = (paths: readonly string[]) => [...new Set(paths.map((path) => nearestRealPath(path)))]
  const [write, hidden] = [real(profile.write), real(profile.hidden)]
  return {
    project,
    limits,
    mayWrite: (path) =>
      write.some((area) => isInside(path, area)) && !hidden.some((folder) => isInside(path, folder)),
    isProtected: (path, isReplaced) => whyProtected({ path, isReplaced }, { write }, protectedSet)?.reason,
  }
}

/** Leaves out folders that were made only so that a write area is there. */
export function withoutEmptyAreas(set: ChangeSet, { write }: Profile, project: string): ChangeSet {
  const areas = write.map(nearestRealPath)
  const full = (change: Change) => posix.join(project, change.path)
  const isMade = (change: Change) =>
    change.kind === 'created' &&
    change.after?.type === 'folder' &&
    areas.some((area) => isInside(area, full(change)))
  const rest = set.changes.filter((change) => !isMade(change))
  const changes = set.changes.filter(
    (change) => !isMade(change) || rest.some((other) => isInside(full(other), full(change))),
  )
  return { ...set, changes }
}
