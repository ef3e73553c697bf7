// The records of what tools wrote, one small file each, in a folder that no tool sees. The name of a record says which
// path and which content it is about, so that a look at the names tells whether anything must be read.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { statIfThere } from '../files/stat-if-there.ts'
import { writeAtomic } from '../files/write-atomic.ts'
import { sha256 } from '../tool/json.ts'

/** Who wrote what, and when. */
export interface WriteRecord {
  /** From the project's folder where it lies inside. */
  readonly path: string
  readonly tool: string
  readonly run: string
  /** RFC 3339. */
  readonly at: string
}

interface Names {
  readonly open: ReadonlySet<string>
  readonly accepted: ReadonlySet<string>
  /** The first halves of the open ones: which paths they are about. */
  readonly paths: ReadonlySet<string>
}

const accepted = '.accepted'
const none: Names = { open: new Set(), accepted: new Set(), paths: new Set() }
/** A folder that changed so lately may change again within one tick of its clock. */
const settleMs = 50

export class SetAsideRecords {
  readonly #folder: string
  #known: { readonly mtimeMs: number; readonly names: Names } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Names of the records nobody has accepted, sorted. */
  get open(): string[] {
    return [...this.#names().open].sort()
  }

  get isEmpty(): boolean {
    return this.#names().open.size === 0
  }

  /** False when no open record is about this path, whatever its content. */
  mentions(path: string): boolean {
    return this.#names().paths.has(half(path))
  }

  find(path: string, content: string): WriteRecord | undefined {
    const name = nameOf(path, content)
    if (!this.#names().open.has(name)) return undefined
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as WriteRecord
    } catch {
      // Damaged: what it says is lost, that it is there counts.
      return { path, tool: 'a tool', run: 'unknown', at: '' }
    }
  }

  /** Keeps a record. `anew`: although a person accepted it before. */
  add(record: WriteRecord, content: string, anew: boolean): void {
    const name = nameOf(record.path, content)
    const names = this.#names()
    if (names.open.has(name) || (!anew && names.accepted.has(name))) return
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeAtomic(join(this.#folder, name), JSON.stringify(record), 0o600)
    rmSync(join(this.#folder, name + accepted), { force: true })
    this.#known = undefined
  }

  accept(path: string, content: string): void {
    const file = join(this.#folder, nameOf(path, content))
    renameSync(file, file + accepted)
    this.#known = undefined
  }

  /** Read again when the folder changed: other processes write there too. */
  #names(): Names {
    const mtimeMs = statIfThere(this.#folder)?.mtimeMs
    if (mtimeMs === undefined) return none
    if (this.#known?.mtimeMs === mtimeMs) return this.#known.names
    const all = readdirSync(this.#folder).filter((name) => !name.startsWith('.'))
    const open = all.filter((name) => !name.endsWith(accepted))
    const names: Names = {
      open: new Set(open),
      accepted: new Set(all.flatMap((name) => (name.endsWith(accepted) ? [name.slice(0, -9)] : []))),
      paths: new Set(open.map((name) => name.slice(0, halfLength))),
    }
    this.#known = Date.now() - mtimeMs > settleMs ? { mtimeMs, names } : undefined
    return names
  }
}

const halfLength = 40

function half(text: string): string {
  return sha256(text).slice(0, halfLength)
}

function nameOf(path: string, content: string): string {
  return `${half(path)}-${half(content)}`
}
