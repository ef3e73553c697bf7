// Was this folder accepted? What a folder's files ask for beyond the defaults counts only after the user said so (G2).
// Kept in the user's configuration, by real path and by a digest of each thing that was accepted.
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeAtomic } from '../files/write-atomic.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Ask } from './folder-asks.ts'
import type { Spaces } from './spaces.ts'

interface FolderRecord {
  readonly at: string
  /** Key → digest of what was accepted. */
  readonly accepted: { readonly [key: string]: string }
  /** Key → digest of what the user was asked about and did not accept. */
  readonly declined: { readonly [key: string]: string }
}

type Records = { readonly [folder: string]: FolderRecord }

/** Where an ask stands: `changed` was accepted with another value. */
export type Standing = 'accepted' | 'declined' | 'changed' | 'new'

export class FolderTrust {
  readonly #file: string
  readonly #folder: string
  /** Everything of the folder counts in this process, because the caller says so. */
  readonly isWhole: boolean

  /** `trustFolder`: the caller's own word for this process; absent, TOOLCRIB_TRUST_FOLDER says it. */
  constructor(spaces: Spaces, env: NodeJS.ProcessEnv, trustFolder?: boolean) {
    this.#file = join(spaces.userConfig, 'trusted-folders.json')
    this.#folder = realPathOr(spaces.project)
    const said = env['TOOLCRIB_TRUST_FOLDER'] ?? process.env['TOOLCRIB_TRUST_FOLDER']
    this.isWhole = trustFolder ?? said === '1'
  }

  /** Folders that were accepted, with the keys of what was. */
  get folders(): { readonly folder: string; readonly at: string; readonly keys: readonly string[] }[] {
    return Object.entries(this.#read()).flatMap(([folder, { at, accepted }]) => {
      const keys = Object.keys(accepted)
      return keys.length > 0 ? [{ folder, at, keys }] : []
    })
  }

  /** True when exactly this was accepted. */
  accepts(key: string, digest: string): boolean {
    return this.isWhole || this.#read()[this.#folder]?.accepted[key] === digest
  }

  /** The user said yes to this folder, also where it asks for nothing (D7). */
  get isAccepted(): boolean {
    if (this.isWhole) return true
    const record = this.#read()[this.#folder]
    return record !== undefined && Object.keys(record.declined).length === 0
  }

  standingOf(ask: Pick<Ask, 'key' | 'digest'>): Standing {
    if (this.isWhole) return 'accepted'
    const record = this.#read()[this.#folder]
    const known = record?.accepted[ask.key]
    if (known === ask.digest) return 'accepted'
    if (record?.declined[ask.key] === ask.digest) return 'declined'
    return known === undefined ? 'new' : 'changed'
  }

  /** Those that do not count. */
  unaccepted<T extends Ask>(asks: readonly T[]): T[] {
    return this.isWhole ? [] : asks.filter((ask) => this.standingOf(ask) !== 'accepted')
  }

  /** Remembers what the user decided about these; what was accepted before and is not asked for any more stays. */
  decide(asks: readonly Pick<Ask, 'key' | 'digest'>[], isAccepted: boolean): void {
    const records = this.#read()
    const before = records[this.#folder]
    const digests = Object.fromEntries(asks.map((ask) => [ask.key, ask.digest]))
    const record: FolderRecord = {
      at: new Date().toISOString(),
      accepted: { ...before?.accepted, ...(isAccepted ? digests : {}) },
      declined: isAccepted ? {} : { ...before?.declined, ...digests },
    }
    this.#write({ ...records, [this.#folder]: record })
  }

  /** Forgets the folder; false when it was not known. */
  forget(): boolean {
    const { [this.#folder]: known, ...rest } = this.#read()
    if (known) this.#write(rest)
    return known !== undefined
  }

  /** Why nothing that was accepted counts: the file is there and cannot be believed. */
  get problems(): Problem[] {
    const { fault } = this.#content()
    if (fault === undefined) return []
    return [
      {
        code: 'trust-file-damaged',
        severity: 'error',
        message: `${this.#file} ${fault}, so no folder counts as accepted.`,
        hint: 'Repair it or delete it, then accept your folders again with `toolcrib trust`.',
        file: this.#file,
        line: 1,
      },
    ]
  }

  #read(): Records {
    return this.#content().records
  }

  #content(): { readonly records: Records; readonly fault?: string } {
    let text: string
    try {
      if (isOfAnother(this.#file)) return { records: {}, fault: 'belongs to another user' }
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOENT' ? { records: {} } : { records: {}, fault: `cannot be read (${code})` }
    }
    try {
      const content: unknown = JSON.parse(text)
      if (isRecords(content)) return { records: content }
    } catch {
      // Said below.
    }
    return { records: {}, fault: 'is damaged' }
  }

  /** A damaged file is not overwritten: what the user accepted elsewhere may still be read from it by a person. */
  #write(records: Records): void {
    const [problem] = this.problems
    if (problem) throw new ToolError('CONFIG_INVALID', problem.message, { hint: problem.hint })
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      writeAtomic(this.#file, `${JSON.stringify(records, null, 2)}\n`, 0o600)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new ToolError(
        'CONFIG_INVALID',
        `${this.#file} cannot be written (${code}): nothing was accepted.`,
        {
          hint: `Make ${dirname(this.#file)} yours to write, or accept for one run with --trust-folder.`,
        },
      )
    }
  }
}

/** What another user wrote is not this one's word; root's is, and root reads what others have. */
function isOfAnother(file: string): boolean {
  const own = process.getuid?.() ?? 0
  return own !== 0 && ![own, 0].includes(statSync(file).uid)
}

function isRecords(content: unknown): content is Records {
  const isRecord = (record: unknown) =>
    isPlainObject(record) &&
    typeof record['at'] === 'string' &&
    isDigests(record['accepted']) &&
    isDigests(record['declined'])
  return isPlainObject(content) && Object.values(content).every(isRecord)
}

function isDigests(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every((digest) => typeof digest === 'string')
}

/** What to do about what a folder asks for. */
export const acceptHint = 'Read it, then accept it with `toolcrib trust`, or for one run with --trust-folder.'

/** What is said of a part that does not count. */
export function notAccepted(ask: Ask, standing: Standing): Problem {
  const why =
    standing === 'changed' ? 'it changed since you accepted it' : 'you have not accepted this folder'
  return {
    code: 'folder-not-accepted',
    severity: 'warning',
    message: `The folder asks for ${ask.key} (${ask.what}); that does not count, because ${why}.`,
    hint: acceptHint,
    file: ask.file,
    line: ask.line,
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
