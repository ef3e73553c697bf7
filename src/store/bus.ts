// How work reaches the nodes of a crib and how they hear of each other's writes. The store is the truth: a bus
// carries ids and positions, never contents, and a bus that lost everything has lost nothing.
import type { ClaimedRequest, CrumbStore, ToolLimits } from './store.ts'

/** One request, claimed in the store for this node. */
export interface Work {
  readonly claimed: ClaimedRequest
  /** Its response is stored: nobody needs to be asked again. */
  done(): Promise<void>
  /** It went back to the store and may be taken again from then on. */
  later(atMs: number): Promise<void>
}

export interface WorkWish {
  readonly node: string
  readonly leaseMs: number
  readonly limits: ToolLimits
  /** How many more the node could run. */
  readonly free: number
}

export interface BusStats {
  /** Pieces of work nobody has taken yet. */
  readonly depth: number
  /** Pieces of work that are being done. */
  readonly inFlight: number
  /** Deliveries beyond the first, since this node started. */
  readonly redeliveries: number
  /** Messages that were put aside because nobody could read them. */
  readonly deadLetters: number
}

export interface Bus {
  readonly kind: 'memory' | 'nats'
  /** The next piece of work; null when there is none now. */
  next(wish: WorkWish): Promise<Work | null>
  /** Calls back when there may be work. Returns the unsubscriber. */
  onWork(listener: () => void): () => void
  /** When work that waits can be taken, if the bus does not tell by itself. */
  nextDueMs(): Promise<number | null>
  stats(): Promise<BusStats>
  /** Rejects when the bus cannot be used now. */
  check(): Promise<void>
  close(): Promise<void>
}

const workSchemas: ReadonlySet<string> = new Set(['tool.request.v1', 'tool.response.v1'])

/** `bus: memory`: the queue is the store's own table, wake-ups come with its commits. */
export class StoreBus implements Bus {
  readonly kind = 'memory'
  readonly #store: CrumbStore
  #redeliveries = 0

  constructor(store: CrumbStore) {
    this.#store = store
  }

  async next({ node, leaseMs, limits }: WorkWish): Promise<Work | null> {
    const claimed = await this.#store.requests.claim(node, leaseMs, limits)
    if (!claimed) return null
    if (claimed.attempts > 1) this.#redeliveries++
    return { claimed, done: async () => {}, later: async () => {} }
  }

  onWork(listener: () => void): () => void {
    // A response may have freed a place under its tool's limit.
    return this.#store.events.onAppend(listener, workSchemas)
  }

  nextDueMs(): Promise<number | null> {
    return this.#store.requests.nextDueMs()
  }

  async stats(): Promise<BusStats> {
    const { waiting, claimed } = await this.#store.requests.counts()
    return { depth: waiting, inFlight: claimed, redeliveries: this.#redeliveries, deadLetters: 0 }
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}
}
