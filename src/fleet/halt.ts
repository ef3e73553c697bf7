// The emergency stop of a crib (G25). It is a fact that stands in a file, or, where nodes share a database, in that:
// whoever sets it needs no answer from a server, and every process of the crib finds it by itself within a second.
import { EventEmitter } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import type { CrumbStore } from '../store/store.ts'
import type { HaltState } from '../tool/halt-state.ts'
import { isPlainObject } from '../tool/json.ts'

interface HaltParts {
  /** The state folder of the crib. */
  readonly state: string
  /** The database that the nodes of this crib share; null where it is theirs alone, in a file. */
  shared(): Promise<CrumbStore> | null
}

const goes: HaltState = { halted: false }
/** How long an answer about the file is good for: calls come in faster than files change. */
const fileMs = 50
const lookMs = 250
const sharedMs = 750
/** In the database it is a lease that nobody gives back but `resume`. */
const leaseName = 'halt'
const foreverMs = 100 * 365 * 24 * 60 * 60 * 1000

export class Halt extends EventEmitter<{ changed: [HaltState] }> {
  readonly #parts: HaltParts
  readonly #file: string
  #inFile: HaltState = goes
  #lookedAt = 0
  #inStore: HaltState = goes
  #timers: NodeJS.Timeout[] = []
  #told = false

  constructor(parts: HaltParts) {
    super()
    this.#parts = parts
    this.#file = haltFile(parts.state)
  }

  /** How it stands, as far as this process knows: the file is looked at, the database was. */
  get state(): HaltState {
    const now = Date.now()
    // A stop is looked at again by everyone whom it would refuse: `resume` counts for the very next call.
    if (this.#inFile.halted || now - this.#lookedAt >= fileMs) {
      this.#lookedAt = now
      this.#inFile = readHalt(this.#file)
    }
    return this.#inFile.halted ? this.#inFile : this.#inStore
  }

  /** Looks at the database too. */
  async look(): Promise<HaltState> {
    const shared = this.#parts.shared()
    this.#inStore = shared ? await readShared(await shared) : goes
    return this.state
  }

  /** Stops the crib for everybody; `isShared` tells whether nodes on other machines will hear of it. */
  async set(
    by: string,
    since = new Date().toISOString(),
  ): Promise<HaltState & { readonly isShared: boolean }> {
    const state: HaltState = { halted: true, since, by }
    const shared = this.#parts.shared()
    // The file first: it needs nobody.
    writeHalt(this.#file, state)
    this.#lookedAt = 0
    let isShared = shared === null
    if (shared) {
      try {
        await (await shared).leases.acquire(leaseName, `${state.since} ${by}`, foreverMs)
        rmSync(this.#file, { force: true })
        isShared = true
      } catch {
        // This machine stops all the same.
      }
    }
    await this.#tell()
    return { ...state, isShared }
  }

  /** Lets it go on. */
  async lift(): Promise<void> {
    const shared = this.#parts.shared()
    if (shared) {
      const { leases } = await shared
      for (const { name, node } of await leases.list())
        if (name === leaseName) await leases.release(name, node)
    }
    rmSync(this.#file, { force: true })
    this.#lookedAt = 0
    await this.#tell()
  }

  /** Tells of changes from now on, whoever makes them; keeps no process alive. */
  follow(): void {
    if (this.#timers.length > 0) return
    const every = (ms: number, look: () => Promise<unknown>) =>
      setInterval(() => void look().catch(() => {}), ms).unref()
    this.#timers = [every(lookMs, () => this.#tell(false))]
    if (this.#parts.shared()) this.#timers.push(every(sharedMs, () => this.#tell()))
  }

  /** Resolves when the crib is not halted, or when `signal` fires. */
  lifted(signal?: AbortSignal): Promise<void> | undefined {
    if (!this.state.halted || signal?.aborted) return undefined
    return new Promise((resolve) => {
      const over = () => {
        if (this.state.halted && !signal?.aborted) return
        this.off('changed', over)
        signal?.removeEventListener('abort', over)
        resolve()
      }
      this.on('changed', over)
      signal?.addEventListener('abort', over)
    })
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
  }

  async #tell(withShared = true): Promise<void> {
    if (withShared) await this.look()
    const { state } = this
    if (state.halted === this.#told) return
    this.#told = state.halted
    this.emit('changed', state)
  }
}

/** Where the word stands on one machine. */
export function haltFile(state: string): string {
  return join(state, 'halted')
}

function writeHalt(file: string, { since, by }: HaltState): void {
  makeFolder(dirname(file))
  try {
    writeFileSync(file, `${JSON.stringify({ since, by })}\n`, { mode: 0o600 })
  } catch (error) {
    // On a full disk the file stays empty, and halts all the same.
    if (!existsSync(file)) throw error
  }
}

/** A file that cannot be read halts all the same. */
function readHalt(file: string): HaltState {
  if (!statSync(file, { throwIfNoEntry: false })) return goes
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { since, by } = isPlainObject(kept) ? kept : {}
    return { halted: true, since: textOf(since), by: textOf(by) }
  } catch {
    return { halted: true }
  }
}

async function readShared(store: CrumbStore): Promise<HaltState> {
  const lease = (await store.leases.list()).find(({ name }) => name === leaseName)
  if (!lease) return goes
  const [since, ...by] = lease.node.split(' ')
  return { halted: true, since: since!, by: by.join(' ') }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
