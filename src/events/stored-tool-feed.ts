// The tools that live in the store, as the catalog gets them: what an earlier process found, what is there now, and
// what changes. Nothing is opened before something must be asked.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import type { Clock } from '../store/clock.ts'
import type { CrumbStore } from '../store/store.ts'
import { jsonDigest } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import type { Crumbs } from './crumbs.ts'
import {
  followStoredTools,
  keepStoredTools,
  noStoredTools,
  recallStoredTools,
  StoredToolReader,
  type StoredTools,
} from './stored-tools.ts'

export interface StoredToolFeedParts {
  config(): Config
  readonly spaces: Spaces
  /** Every tool of the catalog, in precedence order. */
  tools(): readonly Tool[]
  /** Called with the tools that live in the store and not in files, whenever they change. */
  onStoredTools(stored: StoredTools): void
  /** False keeps no cache on disk. */
  readonly useCache?: boolean
  readonly clock: Clock
  store(): Promise<CrumbStore>
  onError(error: Error): void
}

export class StoredToolFeed {
  readonly #parts: StoredToolFeedParts
  readonly #reader: StoredToolReader
  #stored: StoredTools = noStoredTools
  #work: Promise<void> = Promise.resolve()
  #unwatch: (() => void) | null = null
  #cancelExpiry: (() => void) | null = null
  #isStopped = false

  constructor(parts: StoredToolFeedParts) {
    this.#parts = parts
    this.#reader = new StoredToolReader(parts)
  }

  /** Gives the catalog the tools an earlier process found in the store; asks the database only when nobody did. */
  async recall(): Promise<void> {
    const { spaces, config, useCache, clock } = this.#parts
    const recalled = recallStoredTools(spaces, config())
    if (recalled === null || (useCache === false && recalled !== noStoredTools)) return this.adopt()
    const isOver = recalled.untilMs !== null && recalled.untilMs <= clock.now()
    return isOver ? this.adopt() : this.#take(recalled)
  }

  /** Goes on giving the catalog what other processes find in the store, until the engines look themselves. */
  follow(): void {
    const { spaces, config, useCache } = this.#parts
    if (useCache === false || this.#unwatch) return
    const onChange = (): void => {
      const recalled = recallStoredTools(spaces, config())
      if (recalled) this.#take(recalled)
    }
    this.#unwatch = followStoredTools(spaces, config(), onChange)
    // What was found between the first look and this one.
    onChange()
  }

  /** Looks at the store itself from now on, whenever a tool was written. */
  async watch(store: CrumbStore): Promise<void> {
    const { watchStoredTools } = await import('./tool-crumbs.ts')
    await this.adopt()
    this.#unwatch?.()
    this.#unwatch = await watchStoredTools(
      store,
      () => this.adopt(),
      (error) => this.#parts.onError(error as Error),
    )
  }

  /** Gives the catalog the tools that are in the store now. */
  adopt(): Promise<void> {
    return this.#inTurn(async () => {
      const { spaces, config, useCache } = this.#parts
      const stored = await this.#reader.read(await this.#parts.store())
      if (useCache !== false) keepStoredTools(spaces, config(), stored)
      this.#take(stored)
    })
  }

  /** Deletes the tools whose file has gone and that nobody edited, then reads the others (C5). */
  async sweep(crumbs: Crumbs): Promise<void> {
    const { sweepSeeds } = await import('./seeds.ts')
    const { project } = this.#parts.spaces
    await this.#inTurn(() => sweepSeeds(crumbs, (file) => existsSync(resolve(project, file))))
    await this.adopt()
  }

  /** Resolves when nothing reads the store any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unwatch?.()
    this.#cancelExpiry?.()
    await this.#work.catch(() => {})
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.catch(() => {}).then(() => (this.#isStopped ? undefined : work()))
    return this.#work
  }

  #take(stored: StoredTools): void {
    const { clock, onError } = this.#parts
    this.#cancelExpiry?.()
    const { untilMs } = stored
    // Nobody tells when a tool expires until it is purged, and it must not run until then.
    if (untilMs !== null)
      this.#cancelExpiry = clock.after(untilMs - clock.now(), () => {
        this.adopt().catch(onError)
      })
    if (jsonDigest(stored) === jsonDigest(this.#stored)) return
    this.#stored = stored
    this.#parts.onStoredTools(stored)
  }
}
