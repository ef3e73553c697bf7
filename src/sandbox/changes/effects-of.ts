// What an outcome says of a change set: how many files, and the first of them (E16).
import type { Effects } from '../../tool/outcome.ts'
import { type Change, type ChangeSet, isSameState, listedChanges } from './change-set.ts'

/** Files that an outcome lists; the record has all. */
const maxListed = 50

export const noEffects: Effects = {
  state: 'none',
  added: 0,
  changed: 0,
  deleted: 0,
  lines: { added: 0, removed: 0 },
  files: [],
}

/** The change sets of one run in one; of two changes of a path the last says what is there. */
export function combined(steps: readonly ChangeSet[]): Change[] {
  if (steps.length === 1) return [...steps[0]!.changes]
  const byPath = new Map<string, Change>()
  for (const change of steps.flatMap(({ changes }) => changes)) {
    const { path, after } = change
    const earlier = byPath.get(path)
    byPath.delete(path)
    if (!earlier) byPath.set(path, change)
    else if (!isSameState(earlier.before, after)) byPath.set(path, since(earlier, change))
  }
  return [...byPath.values()]
}

function since({ before, added, removed }: Change, later: Change): Change {
  const kind = !later.after
    ? 'deleted'
    : !before
      ? 'created'
      : later.kind === 'created'
        ? 'changed'
        : later.kind
  return { ...later, kind, before, added: added + later.added, removed: removed + later.removed }
}

/** The field `effects` of an outcome. */
export function effectsOf(
  steps: readonly ChangeSet[],
  given: Pick<Effects, 'state' | 'changeSet' | 'reason' | 'session'>,
): Effects {
  const files = listedChanges(combined(steps))
  const count = (...kinds: readonly Change['kind'][]) =>
    files.filter(({ kind }) => kinds.includes(kind)).length
  const isNew = ({ kind, before }: Change) => kind === 'created' || (kind === 'link' && !before)
  const added = files.filter(isNew).length
  return {
    ...given,
    added,
    changed: files.length - added - count('deleted'),
    deleted: count('deleted'),
    lines: {
      added: files.reduce((sum, change) => sum + change.added, 0),
      removed: files.reduce((sum, change) => sum + change.removed, 0),
    },
    files: files.slice(0, maxListed).map(({ path, kind, from, added, removed, after }) => ({
      path,
      kind,
      ...(from !== undefined && { from }),
      added,
      removed,
      ...(after && { size: after.size }),
    })),
  }
}
