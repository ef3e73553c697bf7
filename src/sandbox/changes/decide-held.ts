// What a person decides on a change set that waits (E9): all of it, some files, or none. The layer was kept, also over
// a restart; what is accepted is read from it again, judged as files may have changed since, and committed.

import { defined } from '../../tool/defined.ts'
import type { Effects, Outcome } from '../../tool/outcome.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ChangeRecord } from './change-log.ts'
import {
  type ChangeSet,
  foldersAbove,
  isSameState,
  listedChanges,
  type Transition,
  transitionsOf,
} from './change-set.ts'
import { layerSource } from './content-source.ts'
import { effectsOf } from './effects-of.ts'
import { beginDeciding, endDeciding, type Layer, layerIn } from './layer.ts'
import type { ProjectChanges } from './project-changes.ts'
import { layerContents, readChanges } from './read-changes.ts'
import { selectChanges } from './select-changes.ts'
import { findRun } from './undo-runs.ts'
import { unifiedDiff } from './unified-diff.ts'

/** `all`, `none`, or the paths that are accepted. */
export type Acceptance = 'all' | 'none' | readonly string[]

/** The change sets that wait for a person, oldest first. */
export function heldRecords({ log }: ProjectChanges): ChangeRecord[] {
  return log.records().filter(({ state }) => state === 'held')
}

/** Whether a person is to be asked: what is held for a reason, as a conflict, would only meet it again. */
export function waitsForWord({ effects }: Pick<Outcome, 'effects'>): boolean {
  return effects?.state === 'held' && effects.reason === undefined
}

export async function decideHeld(
  project: ProjectChanges,
  run: string,
  accepted: Acceptance,
): Promise<Effects> {
  const record = project.log.find(findRun(project.log, run))!
  if (record.state !== 'held' || record.layer === undefined)
    throw new ToolError(
      'CONFLICT',
      `Nothing of run ${record.run} waits for a decision: it was ${record.state}.`,
    )
  const layer = layerIn(record.layer)
  if (!beginDeciding(layer))
    throw new ToolError(
      'CONFLICT',
      `Somebody else decides on run ${record.run} just now: \`toolcrib runs show ${record.run} --diff\` tells what became of it.`,
    )
  try {
    return await decided(project, { record, layer }, accepted)
  } catch (error) {
    endDeciding(layer)
    throw error
  }
}

async function decided(
  project: ProjectChanges,
  { record, layer }: { readonly record: ChangeRecord; readonly layer: Layer },
  accepted: Acceptance,
): Promise<Effects> {
  const former = record.steps.slice(0, -1)
  const base: ChangeRecord = {
    ...record,
    steps: former,
    state: 'committed',
    layer: undefined,
    reason: undefined,
  }
  const whole = sinceHeld(readChanges(layer, project.limits), record)
  if (accepted === 'none') {
    project.log.save({
      ...base,
      steps: [...former, whole],
      state: 'discarded',
      diff: unifiedDiff(whole, layerContents(layer)),
    })
    project.discard(layer)
    return told([...former, whole], record, 'discarded')
  }
  const set = accepted === 'all' ? whole : selected(whole, accepted)
  const done = await project.commit(set, layerSource(layer), base, layer)
  project.discard(layer)
  return told([...base.steps, done], base, 'committed')
}

/** What is not as it was when it was held changed since, whatever the clock says. */
function sinceHeld(set: ChangeSet, { steps }: ChangeRecord): ChangeSet {
  const then = new Map(
    steps
      .at(-1)!
      .changes.flatMap(transitionsOf)
      .map(({ path, before }) => [path, before]),
  )
  const isAsThen = ({ path, before }: Transition) => !then.has(path) || isSameState(then.get(path), before)
  const changes = set.changes.map((change) =>
    transitionsOf(change).every(isAsThen) ? change : { ...change, isStale: true },
  )
  return { ...set, changes }
}

function told(
  steps: readonly ChangeSet[],
  { run, session }: ChangeRecord,
  state: 'committed' | 'discarded',
): Effects {
  return effectsOf(steps, { state, changeSet: run, ...defined({ session }) })
}

/** A path of a folder stands for everything in it. */
function selected(whole: ChangeSet, paths: readonly string[]): ChangeSet {
  const chosen = new Set(paths)
  const waysTo = (path: string) => [...foldersAbove(path), path]
  const known = new Set(whole.changes.flatMap(({ path }) => waysTo(path)))
  const unknown = paths.filter((path) => !known.has(path))
  if (unknown.length > 0) {
    const listed = listedChanges(whole.changes).map(({ path }) => path)
    throw new ToolError('PARAMS_INVALID', `The run changed no file ${unknown.join(', ')}.`, {
      hint: `It changed: ${listed.slice(0, 10).join(', ')}`,
    })
  }
  return selectChanges(whole, ({ path }) => waysTo(path).some((way) => chosen.has(way)))
}
