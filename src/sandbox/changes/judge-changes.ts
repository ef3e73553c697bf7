// Judges a change set before anything of it is committed (E7). Says what is wrong; writes nothing.
import { posix } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { realPathOf } from '../../files/real-path.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type Change, type ChangeSet, type EntryState, isOfFolder, transitionsOf } from './change-set.ts'
import { type ChangeLimits, defaultLimits } from './read-changes.ts'

export interface ChangeRules {
  /** The project's real path. */
  readonly project: string
  /** Whether a path of the host lies in a write area. */
  mayWrite(path: string): boolean
  /** Why a path of the host is protected and no grant names it; undefined when it may be changed. */
  isProtected(path: string, isReplaced: boolean): string | undefined
  /** Whether what is at a path of the project was judged before, by the rules of the run that made it (E13). */
  isJudged?(path: string, after: EntryState | undefined): boolean
  readonly limits?: ChangeLimits
}

export interface ChangeFault {
  readonly code: 'PATH_OUTSIDE' | 'CAPABILITY_DENIED' | 'OUTPUT_TOO_LARGE'
  readonly message: string
  readonly paths: readonly string[]
}

/** The faults of a change set, each with its paths; none: it may be committed. */
export function judgeChanges(set: ChangeSet, rules: ChangeRules): ChangeFault[] {
  const faults = new Map<string, ChangeFault>()
  const add = (code: ChangeFault['code'], message: string, path: string) => {
    faults.set(message, { code, message, paths: [...(faults.get(message)?.paths ?? []), path] })
  }
  for (const change of set.changes) {
    for (const { path, before, after } of transitionsOf(change)) {
      if (rules.isJudged?.(path, after)) continue
      const full = posix.join(rules.project, path)
      const reason = rules.isProtected(full, isReplaced(before, after))
      if (!rules.mayWrite(full)) add('PATH_OUTSIDE', 'The run changed what lies in no write area.', path)
      else if (reason !== undefined)
        add('CAPABILITY_DENIED', `The run changed what is protected (${reason.replace(/\.$/, '')}).`, path)
    }
    const wrong = wrongEntry(change, rules.project)
    if (wrong) add(wrong.code, wrong.message, change.path)
  }
  return [...sizeFaults(set, rules.limits ?? defaultLimits), ...faults.values()]
}

/** The error that a run with these faults ends with: the first one's code, and all their paths. */
export function faultError(faults: readonly [ChangeFault, ...ChangeFault[]]): ToolError {
  const told = faults.slice(0, 5).map(faultText)
  const more = faults.length > told.length ? [`There are ${faults.length - told.length} more faults.`] : []
  return new ToolError(faults[0].code, [...told, ...more, 'Nothing was committed.'].join(' '), {
    details: { faults: faults.map((fault) => ({ ...fault, paths: [...fault.paths] })) },
  })
}

function faultText({ message, paths }: ChangeFault): string {
  if (paths.length === 0) return message
  const shown = paths.slice(0, 5).map((path) => JSON.stringify(path))
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''
  return `${message.replace(/\.$/, '')}: ${shown.join(', ')}${more}.`
}

/** What was below the path is gone, or is reached by another way. */
function isReplaced(before: EntryState | undefined, after: EntryState | undefined): boolean {
  return after === undefined || after.type === 'link' || (before !== undefined && before.type !== after.type)
}

function sizeFaults(set: ChangeSet, limits: ChangeLimits): ChangeFault[] {
  const bytes = set.changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0)
  const faults: ChangeFault[] = []
  const add = (message: string) => faults.push({ code: 'OUTPUT_TOO_LARGE', message, paths: [] })
  if (set.exceeded === 'files' || set.changes.filter((change) => !isOfFolder(change)).length > limits.files)
    add(`The run changed more than ${limits.files} files (effects.files).`)
  if (set.exceeded === 'bytes' || bytes > limits.bytes)
    add(`The run wrote more than ${limits.bytes} bytes (effects.bytes).`)
  return faults
}

function wrongEntry(
  { path, after }: Change,
  project: string,
): Pick<ChangeFault, 'code' | 'message'> | undefined {
  if (after?.type === 'other')
    return { code: 'CAPABILITY_DENIED', message: 'The run made a device, a socket or a pipe.' }
  if (after?.type === 'file' && (after.mode & 0o6000) !== 0)
    return { code: 'CAPABILITY_DENIED', message: 'The run made a program that changes its user or group.' }
  if (after?.type === 'link' && leadsOut(path, after.target!, project))
    return { code: 'PATH_OUTSIDE', message: 'The run made a link that leads out of the project.' }
  return undefined
}

/**
 * A `..` behind a name cannot be judged by the names alone, because the name may itself be a link: only leading ones
 * are understood. What is in the project now may lead out too.
 */
function leadsOut(path: string, target: string, project: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  if (firstName >= 0 && parts.indexOf('..', firstName) >= 0) return true
  const full = posix.resolve(project, posix.dirname(path), target)
  if (!isInside(full, project)) return true
  const real = realPathOf(full)
  return real === undefined || !isInside(real, project)
}
