// What does the lock file say now? Reads it again when it changed, and writes it with the texts that were approved.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Spaces } from '../../config/spaces.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { sha256 } from '../../tool/json.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import { ApprovedTexts } from './approved-texts.ts'
import { restoreHint } from './drift.ts'
import { lockName, lockText, type Pins, parseLock } from './lock-file.ts'
import { fileAt } from './pin-tool.ts'

interface LoadedLock {
  readonly stamp: string
  /** null: there is none. */
  readonly pins: Pins | null
  readonly digest: string
  readonly fault: string | null
}

export class LockOnDisk {
  readonly file: string
  readonly approvedTexts: ApprovedTexts
  readonly #spaces: Spaces
  #loaded: LoadedLock | undefined
  #approved: { readonly pins: Pins | null; readonly digests: Map<string, Set<string>> } | undefined

  constructor(spaces: Spaces) {
    this.#spaces = spaces
    this.file = join(spaces.project, lockName)
    this.approvedTexts = new ApprovedTexts(spaces.state)
  }

  /** True when the file is not the one that was read last. */
  get isOutdated(): boolean {
    return this.#loaded !== undefined && this.#loaded.stamp !== this.#stamp()
  }

  /** What was read last. */
  load(): LoadedLock {
    return this.#loaded ?? this.reload()
  }

  reload(): LoadedLock {
    const stamp = this.#stamp()
    if (this.#loaded?.stamp === stamp) return this.#loaded
    this.#loaded = readLock(this.file, stamp)
    return this.#loaded
  }

  /** The pins to go on from; a damaged file is not overwritten. */
  usable(): Pins | null {
    const { pins, fault } = this.load()
    if (fault !== null)
      throw new ToolError('CONFIG_INVALID', `${lockName} cannot be used: ${fault}.`, { hint: restoreHint })
    return pins
  }

  /** The digests under which each file was approved, by its path in the lock file. */
  approvedDigests(): ReadonlyMap<string, ReadonlySet<string>> {
    const { pins } = this.load()
    if (this.#approved?.pins !== pins) {
      const digests = new Map<string, Set<string>>()
      for (const pin of pins?.values() ?? [])
        for (const [path, digest] of Object.entries(pin.files))
          digests.set(path, (digests.get(path) ?? new Set()).add(digest))
      this.#approved = { pins, digests }
    }
    return this.#approved!.digests
  }

  write(pins: Pins): void {
    try {
      writeAtomic(this.file, lockText(pins), 0o644)
      this.approvedTexts.keep(
        [...pins.values()].flatMap(({ files }) =>
          Object.entries(files).map(([path, digest]) => [fileAt(path, this.#spaces), digest] as const),
        ),
      )
    } catch (error) {
      throw new ToolError('STORE_UNAVAILABLE', `${this.file} cannot be written: ${messageOf(error)}.`, {
        hint: 'Make its folder writable, or free some space; what was approved before still counts.',
      })
    }
  }

  #stamp(): string {
    try {
      const stat = statSync(this.file, { throwIfNoEntry: false })
      // An empty file pins nothing: the fence puts one where none may be made.
      return stat && stat.size > 0 ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : '-'
    } catch (error) {
      // It is read, which says why it cannot be.
      return `${(error as NodeJS.ErrnoException).code}`
    }
  }
}

function readLock(file: string, stamp: string): LoadedLock {
  if (stamp === '-') return { stamp, pins: null, digest: '', fault: null }
  try {
    const text = readFileSync(file, 'utf8')
    return { stamp, pins: parseLock(text), digest: sha256(text), fault: null }
  } catch (error) {
    return { stamp, pins: null, digest: stamp, fault: messageOf(error) }
  }
}
