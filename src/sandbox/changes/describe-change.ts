// Names what happened to one path, with the lines that came and went.
import { type Change, isSameState, type Transition } from './change-set.ts'
import { maxTextBytes } from './entry-state.ts'
import { lineDiff, linesOf } from './line-diff.ts'

/** The bytes of a path on one side of a change; undefined where they are not kept or too many. */
export interface Contents {
  before(change: Pick<Change, 'path' | 'from' | 'before'>): Buffer | undefined
  after(change: Pick<Change, 'path' | 'after'>): Buffer | undefined
}

/** The change that a transition is; undefined when nothing happened. */
export function describeChange(transition: Transition, contents: Contents): Change | undefined {
  const { path, before, after, isStale } = transition
  if (isSameState(before, after)) return undefined
  const sides = [before, after].filter((state) => state?.type === 'file')
  const isText = sides.length > 0 && sides.every((state) => state!.lines !== undefined)
  const lines = isText ? countLines(transition, contents) : { added: 0, removed: 0 }
  return {
    kind: kindOf(transition),
    path,
    ...(before && { before }),
    ...(after && { after }),
    isText,
    ...lines,
    ...(isStale && { isStale }),
  }
}

function kindOf({ before, after }: Transition): Change['kind'] {
  if (!after) return 'deleted'
  if (after.type === 'link') return 'link'
  if (!before) return 'created'
  return isSameState({ ...before, mode: after.mode }, after) ? 'mode' : 'changed'
}

function countLines(transition: Transition, contents: Contents): { added: number; removed: number } {
  const { before, after } = transition
  const [removed, added] = [before?.lines ?? 0, after?.lines ?? 0]
  if (before?.sha256 === after?.sha256) return { added: 0, removed: 0 }
  if (removed === 0 || added === 0 || before!.size > maxTextBytes || after!.size > maxTextBytes)
    return { added, removed }
  const old = contents.before({ path: transition.path, ...(before && { before }) })
  const fresh = contents.after({ path: transition.path, ...(after && { after }) })
  if (!old || !fresh) return { added, removed }
  const hunks = lineDiff(linesOf(old), linesOf(fresh))
  return {
    added: hunks.reduce((sum, hunk) => sum + hunk.after.to - hunk.after.from, 0),
    removed: hunks.reduce((sum, hunk) => sum + hunk.before.to - hunk.before.from, 0),
  }
}
