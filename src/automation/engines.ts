// Everything that reacts, started and stopped together: housekeeping first, bootstrap last, so that what
// bootstrap writes already finds its listeners.

import { isDeadNode } from '../config/node-identity.ts'
import type { CatalogCrumb } from '../events/catalog-crumb.ts'
import { FleetMember } from '../fleet/fleet-member.ts'
import { BootstrapEngine } from './bootstrap.ts'
import type { EngineParts } from './engine.ts'
import { RequestEngine, type RequestOptions } from './requests.ts'
import { ScheduleEngine } from './schedules.ts'
import { SubscriptionEngine } from './subscriptions.ts'

const purgeMs = 10_000
const trimMs = 10 * 60_000
/** Soon after the start too: many a server is ended before its first ten minutes are over. */
const firstTrimMs = 60_000
const dayMs = 24 * 60 * 60 * 1000

export interface EngineOptions extends RequestOptions {
  readonly schedules?: 'builtin' | 'off'
  /** False: no tool is started with the crib. */
  readonly bootstrap?: boolean
  readonly runsPerMinute?: number
  /** What people call this node. */
  readonly nodeName?: string
  /** How long events and records of runs stay; null: for ever. */
  readonly keep?: { readonly eventsMs: number | null; readonly runsMs: number | null }
}

export class Engines {
  readonly requests: RequestEngine
  readonly subscriptions: SubscriptionEngine
  readonly schedules: ScheduleEngine | null
  readonly bootstrap: BootstrapEngine | null
  readonly catalog: CatalogCrumb
  /** This process among those that serve the crib. */
  readonly member: FleetMember
  readonly #parts: EngineParts
  readonly #keep: NonNullable<EngineOptions['keep']>
  /** Resolves when the start-up order has been worked through. */
  bootstrapped: Promise<unknown> = Promise.resolve()
  readonly #cancels = new Map<string, () => void>()
  #isStopped = false

  constructor(parts: EngineParts, catalog: CatalogCrumb, options: EngineOptions = {}) {
    this.#parts = parts
    this.#keep = options.keep ?? { eventsMs: 7 * dayMs, runsMs: 90 * dayMs }
    this.catalog = catalog
    this.requests = new RequestEngine(parts, options)
    this.member = new FleetMember(parts, () => this.requests.load, options.nodeName)
    this.subscriptions = new SubscriptionEngine(parts, {
      runsPerMinute: options.runsPerMinute,
      workspace: options.workspaces?.[0],
    })
    this.schedules = options.schedules === 'off' ? null : new ScheduleEngine(parts)
    this.bootstrap = options.bootstrap === false ? null : new BootstrapEngine(parts)
  }

  async start(): Promise<void> {
    await this.#parts.store.leases.bury(isDeadNode)
    await this.member.start()
    this.#every('purge', purgeMs, () => this.#parts.store.crumbs.purge(1000))
    this.#every('trim', trimMs, () => this.#trim(), firstTrimMs)
    await this.catalog.publish()
    await this.subscriptions.start()
    await this.requests.start()
    await this.schedules?.start()
    if (this.bootstrap)
      this.bootstrapped = this.bootstrap
        .start()
        .catch((error: Error) => this.#parts.log('error', `Bootstrap: ${error.message}`))
  }

  /** The catalog changed: new subscriptions count, old ones end, the catalog crumb follows. */
  toolsChanged(): void {
    void this.subscriptions.refresh()
    this.catalog.changed((error) => this.#parts.log('error', `Catalog crumb: ${(error as Error).message}`))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.member.drain()
    for (const cancel of this.#cancels.values()) cancel()
    await this.schedules?.stop()
    await Promise.all([this.requests.stop(), this.subscriptions.stop(), this.bootstrap?.stop()])
    await this.catalog.close()
    await this.member.stop()
  }

  async #trim(): Promise<void> {
    const { store, clock } = this.#parts
    const { eventsMs, runsMs } = this.#keep
    if (eventsMs !== null) await store.events.trim(eventsMs)
    if (runsMs !== null) await store.runs.trim(new Date(clock.now() - runsMs).toISOString())
  }

  #every(name: string, delayMs: number, work: () => Promise<unknown>, firstMs = delayMs): void {
    this.#cancels.set(
      name,
      this.#parts.clock.after(firstMs, async () => {
        try {
          await work()
        } catch (error) {
          this.#parts.log('error', `${name}: ${(error as Error).message}`)
        }
        if (!this.#isStopped) this.#every(name, delayMs, work)
      }),
    )
  }
}
