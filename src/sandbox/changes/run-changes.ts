// What a run changed, for whoever looks at it later: the list, the counts and the difference as text (E16, E18).
import type { Effects } from '../../tool/outcome.ts'
import type { ChangeRecord } from './change-log.ts'
import { type Change, listedChanges } from './change-set.ts'
import type { Contents } from './describe-change.ts'
import { combined, effectsOf } from './effects-of.ts'
import { layerIn } from './layer.ts'
import type { ProjectChanges } from './project-changes.ts'
import { layerContents } from './read-changes.ts'
import { imageContents } from './undo-changes.ts'
import { familyOf, findRun } from './undo-runs.ts'
import { unifiedDiff } from './unified-diff.ts'

export interface RunChanges extends Effects {
  readonly run: string
  readonly tool: string
  /** RFC 3339. */
  readonly at: string
  /** All files, not only the first, and folders that came or went with nothing in them. */
  readonly changes: readonly Change[]
  /** As `git diff` writes it. */
  readonly diff: string
  readonly undoneBy?: string | undefined
  readonly undoes?: readonly string[] | undefined
  readonly recovered?: ChangeRecord['recovered']
}

/** Throws RUN_NOT_FOUND for a run that changed nothing, or never was. */
export function changesOf(project: ProjectChanges, run: string): RunChanges {
  const id = findRun(project.log, run)
  const family = familyOf(project.log, id)
  const record = family.find((one) => one.run === id) ?? family[0]!
  const { state, reason, undoneBy, undoes, recovered, tool, at } = record
  // What is held or was thrown away is told by itself; what is in place, with that of the runs it caused.
  const all = state === 'committed' ? family.filter((one) => one.state === 'committed') : [record]
  const steps = all.flatMap((one) => one.steps)
  return {
    ...effectsOf(steps, {
      state,
      changeSet: id,
      ...(reason !== undefined && { reason }),
      ...(record.session !== undefined && { session: record.session }),
    }),
    run: id,
    tool,
    at,
    changes: listedChanges(combined(steps)),
    diff: all.map((one) => diffOf(project, one)).join(''),
    undoneBy,
    undoes,
    recovered,
  }
}

function diffOf(project: ProjectChanges, record: ChangeRecord): string {
  return record.diff ?? record.steps.map((set) => unifiedDiff(set, contentsOf(project, record))).join('')
}

function contentsOf({ images }: ProjectChanges, { state, layer }: ChangeRecord): Contents {
  const kept = imageContents(images)
  if (state !== 'held' || layer === undefined) return kept
  const { before, after } = layerContents(layerIn(layer))
  // What was there when it was held: somebody may have changed it since, and that is no part of the run.
  return { before: (change) => kept.before(change) ?? before(change), after }
}
