// The change sets of a project's runs, one file each in the user's state folder: what undo, the console and
// `runs show --diff` read. Ids sort by time, so the newest is the last.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomic } from '../../files/write-atomic.ts'
import type { ChangeSet } from './change-set.ts'

/** What became of the file changes of one run. */
export interface ChangeRecord {
  readonly run: string
  /** The runs around it, the outermost first. */
  readonly within?: readonly string[] | undefined
  /** The agent session or client connection that it belongs to. */
  readonly session?: string | undefined
  readonly tool: string
  /** RFC 3339. */
  readonly at: string
  readonly state: 'committed' | 'held' | 'discarded' | 'direct'
  /** In the order they were made; a call inside the run makes a step before it. */
  readonly steps: readonly ChangeSet[]
  /** Name of the layer that is kept while somebody decides. */
  readonly layer?: string | undefined
  /** The difference as text, of what was thrown away: its contents are gone. */
  readonly diff?: string | undefined
  /** Why it is held although its policy says commit. */
  readonly reason?: string | undefined
  /** The runs that this one took back. */
  readonly undoes?: readonly string[] | undefined
  /** The run that took this one back. */
  readonly undoneBy?: string | undefined
  /** What became of it after the host had died in the middle of the commit. */
  readonly recovered?: 'carried-through' | 'rolled-back' | undefined
}

const ending = '.json'
const clockMarginMs = 60_000

export class ChangeLog {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Puts a record in place of the former one of the same run. */
  save(record: ChangeRecord): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const path = this.#path(record.run)
    writeAtomic(path, JSON.stringify(record), 0o600, { isDurable: false })
  }

  find(run: string): ChangeRecord | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(run), 'utf8')) as ChangeRecord
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Ids of all runs with a record, oldest first; with a beginning, only those. */
  runs(beginning = ''): string[] {
    const names = existsSync(this.folder) ? readdirSync(this.folder).sort() : []
    return names
      .filter((name) => name.endsWith(ending))
      .map((name) => decodeURIComponent(name.slice(0, -ending.length)))
      .filter((run) => run.startsWith(beginning))
  }

  /** Ids of the runs that may have been caused by one: not older, with a margin for a clock that was set back. */
  runsSince(run: string): string[] {
    const sinceMs = startedAtMs(run) - clockMarginMs
    // An id that tells no time is never left out.
    return this.runs().filter((id) => !(startedAtMs(id) < sinceMs))
  }

  /** The records of some runs, oldest first; what cannot be read is left out. */
  records(runs: readonly string[] = this.runs()): ChangeRecord[] {
    return runs.flatMap((run) => {
      try {
        return this.find(run) ?? []
      } catch {
        return []
      }
    })
  }

  /** Forgets what is older, except what still waits for a person. */
  prune(days: number, now: number = Date.now()): void {
    const before = now - days * 86_400_000
    for (const run of this.runs()) {
      if (startedAtMs(run) >= before) return
      if (this.find(run)?.state !== 'held') rmSync(this.#path(run), { force: true })
    }
  }

  #path(run: string): string {
    return join(this.folder, `${encodeURIComponent(run)}${ending}`)
  }
}

/** The first 48 bits of an id are its time in milliseconds; of a beginning of one, the earliest it can be. */
function startedAtMs(run: string): number {
  const digits = run.replaceAll('-', '').slice(0, 12)
  return /^[0-9a-f]+$/.test(digits) ? Number.parseInt(digits.padEnd(12, '0'), 16) : Number.NaN
}
