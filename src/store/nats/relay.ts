// Tells the other nodes what was committed. Each node tells its own commits right away; one of them, by lease, tells
// what a node that died left in the outbox, and sends again what NATS itself has lost.

import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { newNode } from '../../config/node-identity.ts'
import type { Notify } from '../../tool/notify.ts'
import { LeaseHolder } from '../lease-holder.ts'
import type { Committed } from '../postgres/appender.ts'
import type { PostgresStore } from '../postgres/postgres-store.ts'
import type { StreamNames } from './streams.ts'

const sweepMs = 1_000
const leftMs = 2_000
const forgottenMs = 5_000
const maxPerSweep = 200
/** More are not under way at once; the rest stays in the outbox and is told by the sweep. */
const maxUnderWay = 5_000

export interface RelayParts {
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  readonly names: StreamNames
  readonly store: PostgresStore
  readonly log: Notify
  isAway(): boolean
}

export class Relay {
  readonly #parts: RelayParts
  readonly #stop: () => void
  readonly #lease: LeaseHolder
  #underWay = 0
  #timer: NodeJS.Timeout | null = null
  #sweeping: Promise<void> = Promise.resolve()
  #wasEmpty = false
  #fault = ''
  #isClosed = false

  constructor(parts: RelayParts) {
    this.#parts = parts
    const { store, log } = parts
    this.#stop = store.outbox.open((committed) => void this.#tell(committed))
    this.#lease = new LeaseHolder({ store, clock: store.clock, node: newNode(), log }, 'outbox')
    void this.#lease.start().catch((error: Error) => log('warn', `Outbox: ${error.message}`))
    this.#sweepLater()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#stop()
    await this.#sweeping
    await this.#parts.store.outbox.flush().catch(() => {})
    await this.#lease.stop()
  }

  /** True when NATS has it. What it already had it drops by its id. */
  async #tell(committed: Committed): Promise<boolean> {
    const { js, names, store, log } = this.#parts
    const count = committed.events.length + committed.requests.length
    if (this.#parts.isAway() || this.#underWay + count > maxUnderWay) return false
    this.#underWay += count
    try {
      await Promise.all([
        ...committed.requests.map((id) => js.publish(names.workSubject, id, { msgID: `w${id}` })),
        ...committed.events.map((event) =>
          js.publish(names.eventSubject(event.schema, event.type), JSON.stringify(event), {
            msgID: `e${event.seq}`,
          }),
        ),
      ])
      store.outbox.told(committed.first)
      this.#fault = ''
      return true
    } catch (error) {
      // Told again by the sweep, for as long as it takes; said once.
      const { message } = error as Error
      if (message !== this.#fault)
        log('warn', `NATS did not take a message (${message}); it stays in the outbox.`)
      this.#fault = message
      return false
    } finally {
      this.#underWay -= count
    }
  }

  #sweepLater(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep()
        .catch((error: Error) => this.#parts.log('warn', `Outbox: ${error.message}`))
        .then(() => this.#sweepLater())
    }, sweepMs)
    this.#timer.unref()
  }

  async #sweep(): Promise<void> {
    const { store } = this.#parts
    if (!this.#lease.isHeld || this.#parts.isAway()) return
    for (;;) {
      const left = await store.outbox.left(leftMs, maxPerSweep)
      for (const committed of left) if (!(await this.#tell(committed))) return
      // The others hear it from NATS; this node does not hear itself.
      if (left.length > 0) store.wakeUps.ring()
      await store.outbox.flush()
      if (left.length < maxPerSweep) break
    }
    await this.#sendForgotten()
  }

  /** The stream is empty, and yet requests have been waiting for long: NATS has lost them. */
  async #sendForgotten(): Promise<void> {
    const { js, manager, names, store, log } = this.#parts
    const { num_pending, num_ack_pending } = await manager.consumers.info(names.work, names.consumer)
    const isEmpty = num_pending === 0 && num_ack_pending === 0
    const isTrusted = isEmpty && this.#wasEmpty
    this.#wasEmpty = isEmpty
    if (!isTrusted) return
    const ids = await store.outbox.forgotten(forgottenMs, 1_000)
    if (ids.length === 0) return
    log('warn', `${ids.length} requests were waiting that NATS no longer had; they are sent again.`)
    const stamp = store.clock.now()
    await Promise.all(ids.map((id) => js.publish(names.workSubject, id, { msgID: `w${id}@${stamp}` })))
    this.#wasEmpty = false
  }
}
