// Requests that this process was handed, and no others: one that serves a single client takes no work of the whole
// crib. Each is claimed in the store by its id, so another process that runs it already keeps it.
import type { Bus, BusStats, Work, WorkWish } from '../store/bus.ts'
import type { Clock } from '../store/clock.ts'
import type { CrumbStore } from '../store/store.ts'

export class OwnRequests implements Bus {
  readonly kind = 'memory'
  readonly #store: CrumbStore
  readonly #clock: Clock
  /** When each can be taken; what runs here is never due. */
  readonly #dueAt = new Map<string, number>()
  readonly #listeners = new Set<() => void>()

  constructor(store: CrumbStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  add(id: string): void {
    if (this.#dueAt.has(id)) return
    this.#dueAt.set(id, 0)
    for (const listener of this.#listeners) listener()
  }

  async next({ node, leaseMs, limits }: WorkWish): Promise<Work | null> {
    for (const [id, atMs] of this.#dueAt) {
      if (atMs > this.#clock.now()) continue
      const taken = await this.#store.requests.take(id, node, leaseMs, limits)
      if (taken.state === 'claimed') {
        this.#dueAt.set(id, Number.POSITIVE_INFINITY)
        return {
          claimed: taken.claimed,
          done: async () => void this.#dueAt.delete(id),
          later: async (againMs) => void this.#dueAt.set(id, againMs),
        }
      }
      if (taken.state === 'later') this.#dueAt.set(id, taken.atMs)
      else this.#dueAt.delete(id)
    }
    return null
  }

  onWork(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async nextDueMs(): Promise<number | null> {
    const next = Math.min(...this.#dueAt.values())
    return Number.isFinite(next) ? next : null
  }

  async stats(): Promise<BusStats> {
    const times = [...this.#dueAt.values()]
    const depth = times.filter(Number.isFinite).length
    return { depth, inFlight: times.length - depth, redeliveries: 0, deadLetters: 0 }
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {
    this.#listeners.clear()
  }
}
