// Which runs an undo takes back, and what came of it (E14): a run with those it caused, all since a time, or all of a
// session; newest first, as one change set with a record of its own.
import { timeId } from '../../tool/time-id.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ChangeLog, ChangeRecord } from './change-log.ts'
import { type ChangeSet, listedChanges } from './change-set.ts'
import type { ProjectChanges } from './project-changes.ts'
import { planUndo, undoChanges } from './undo-changes.ts'

export interface UndoRequest {
  /** A run, by its id or a beginning of it that no other has. */
  readonly run?: string | undefined
  /** Everything since, in milliseconds. */
  readonly sinceMs?: number | undefined
  readonly session?: string | undefined
  /** What to do where something else changed a file since: merge text, restore it anyway, or refuse. */
  readonly onConflict?: 'merge' | 'overwrite' | 'refuse' | undefined
  readonly dryRun?: boolean | undefined
}

export interface Undone {
  /** Id of the undo itself, which can be undone; absent for a dry run and where nothing was to be done. */
  readonly changeSet?: string
  /** The runs that were taken back, newest first. */
  readonly runs: readonly string[]
  /** Files put back. */
  readonly restored: number
  /** Files that something else has changed since; nothing was put back then. */
  readonly conflicts: readonly string[]
  /** What was, or would be, changed. */
  readonly set: ChangeSet
}

export async function undoRuns(changes: ProjectChanges, request: UndoRequest): Promise<Undone> {
  const records = chosen(changes.log, request).toReversed()
  // Newest first: a run may have made a step before, and one after, another run that it caused.
  const sets = records
    .flatMap(({ steps, at }) => steps.toReversed().map((set) => ({ set, atMs: set.atMs ?? Date.parse(at) })))
    .sort((one, other) => other.atMs - one.atMs)
    .map(({ set }) => set)
  const runs = records.map(({ run }) => run)
  const { project, images } = changes
  const onConflict = request.onConflict ?? 'refuse'
  const plan = planUndo(sets, { project, images, onConflict })
  const restored = listedChanges(plan.set.changes).length
  if (request.dryRun || plan.conflicts.length > 0 || plan.set.changes.length === 0) {
    const isDone = request.dryRun && plan.conflicts.length === 0
    return { runs, restored: isDone ? restored : 0, conflicts: plan.conflicts, set: plan.set }
  }
  const id = timeId()
  const record: ChangeRecord = {
    run: id,
    tool: 'undo',
    at: new Date().toISOString(),
    state: 'committed',
    steps: [],
    undoes: runs,
  }
  const set = await undoChanges(sets, changes.commitOptions(record, onConflict))
  for (const done of records) changes.log.save({ ...done, undoneBy: id })
  for (const undone of records.flatMap(({ undoes = [] }) => changes.log.records(undoes)))
    changes.log.save({ ...undone, undoneBy: undefined })
  return { changeSet: id, runs, restored: listedChanges(set.changes).length, conflicts: [], set }
}

/** Oldest first, without what was taken back already. */
function chosen(log: ChangeLog, { run, sinceMs, session }: UndoRequest): ChangeRecord[] {
  if (run !== undefined) return ofRun(log, findRun(log, run))
  const records = log
    .records()
    .filter(({ state, undoneBy, undoes }) => state === 'committed' && !undoneBy && !undoes)
  return records.filter(
    (record) =>
      (sinceMs === undefined || Date.parse(record.at) >= sinceMs) &&
      (session === undefined || isOfSession(record, session)),
  )
}

/** The session of an agent is its run. */
function isOfSession(record: ChangeRecord, session: string): boolean {
  return record.session === session || record.run === session || record.within?.includes(session) === true
}

/** The run of an id or of a beginning of one. */
export function findRun(log: ChangeLog, run: string): string {
  if (run !== '' && log.find(run)) return run
  // A run that changed nothing itself is known by those that it caused.
  const around = log.records(log.runsSince(run)).flatMap(({ within = [] }) => within)
  const found = [...new Set([...log.runs(run), ...around.filter((id) => id.startsWith(run))])]
  if (found.includes(run)) return run
  // The calls inside a run have its id and a number, or are named by it.
  const tops = found.filter((id) => !found.some((other) => other !== id && id.startsWith(`${other}.`)))
  if (tops.length === 1) return tops[0]!
  if (tops.length > 1)
    throw new ToolError('RUN_NOT_FOUND', `${tops.length} runs begin with ${run}.`, {
      hint: `Give more of the id: ${tops.slice(0, 3).join(', ')}`,
    })
  throw new ToolError('RUN_NOT_FOUND', `No run ${run} has changed files here.`, {
    hint: '`toolcrib runs` lists what ran; a run that changed no files has nothing to show, accept or undo.',
  })
}

/** The records of a run and of the runs that it caused, oldest first. */
export function familyOf(log: ChangeLog, run: string): ChangeRecord[] {
  return log
    .records(log.runsSince(run))
    .filter(
      (record) => record.run === run || record.run.startsWith(`${run}.`) || record.within?.includes(run),
    )
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
}

/** A run that changed files, with the runs it caused. */
function ofRun(log: ChangeLog, run: string): ChangeRecord[] {
  const family = familyOf(log, run)
  const own = family.find((record) => record.run === run)
  const committed = family.filter(({ state, undoneBy }) => state === 'committed' && !undoneBy)
  const undoneBy = own?.undoneBy ?? (committed.length === 0 ? family[0]?.undoneBy : undefined)
  if (undoneBy)
    throw new ToolError('CONFLICT', `${run} was undone already, by ${undoneBy}.`, {
      hint: `To have its changes back: toolcrib undo ${undoneBy}`,
    })
  if (committed.length > 0) return committed
  if (own?.state === 'direct')
    throw new ToolError(
      'CONFLICT',
      `${run} cannot be undone: it wrote to the files itself, so nothing was kept of what was there before.`,
      { hint: `\`toolcrib runs show ${run}\` lists the files.` },
    )
  if (own?.state === 'held')
    throw new ToolError('CONFLICT', `${run} left nothing to undo: its changes wait for a decision.`, {
      hint: `toolcrib runs accept ${run}, or toolcrib runs reject ${run}`,
    })
  throw new ToolError(
    'RUN_NOT_FOUND',
    `${run} left nothing to undo: its changes were ${own?.state ?? 'thrown away'}.`,
  )
}
