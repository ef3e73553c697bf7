// Slots of calls under the limits of `fleet.tools`, kept in the store so that all nodes count the same. A slot is
// held under a lease: what a dead node held is free when it runs out.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { newNode } from '../config/node-identity.ts'
import type { CrumbStore } from '../store/store.ts'
import { isStoreFault } from '../store/store-error.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

const firstLookMs = 20
const maxLookMs = 250

export class FleetSlots {
  readonly #store: () => Promise<CrumbStore>
  /** A call waits this long for a slot; its own time limit may end it sooner. */
  readonly #patienceMs: number
  #node: string | undefined
  readonly #held = new Set<string>()
  #renewal: NodeJS.Timeout | null = null

  constructor(store: () => Promise<CrumbStore>, patienceMs = 10_000) {
    this.#store = store
    this.#patienceMs = patienceMs
  }

  /** Resolves with what gives the slot back; rejects with BUSY when none became free in time. */
  async take(tool: Tool, most: number, signal: AbortSignal): Promise<() => Promise<void>> {
    const id = randomUUID()
    this.#node ??= newNode()
    const node = this.#node
    try {
      const store = await this.#store()
      const began = performance.now()
      for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, maxLookMs)) {
        signal.throwIfAborted()
        if (await store.places.take(id, { tool: tool.id, node, leaseMs: store.lease.ms, most })) break
        if (performance.now() - began >= this.#patienceMs) throw busy(tool, most, this.#patienceMs)
        await delay(lookMs, undefined, { signal })
      }
      this.#hold(id, store)
      return () => this.#leave(id, store)
    } catch (error) {
      if (!isStoreFault(error)) throw error
      throw new ToolError(
        'UPSTREAM_FAILED',
        `Whether ${tool.id} may run under its limit in fleet.tools cannot be known: ${error.message}`,
        { retryable: true, hint: error.hint },
      )
    }
  }

  close(): void {
    if (this.#renewal) clearInterval(this.#renewal)
    this.#renewal = null
  }

  #hold(id: string, store: CrumbStore): void {
    this.#held.add(id)
    this.#renewal ??= setInterval(() => {
      // One that fails is followed by the next; a lease outlives several.
      void store.places.renew(this.#node!, store.lease.ms).catch(() => {})
    }, store.lease.renewMs)
    this.#renewal.unref()
  }

  async #leave(id: string, store: CrumbStore): Promise<void> {
    this.#held.delete(id)
    if (this.#held.size === 0) this.close()
    // A place that cannot be given back runs out with its lease.
    await store.places.release(id).catch(() => {})
  }
}

function busy(tool: Tool, most: number, waitedMs: number): ToolError {
  return new ToolError(
    'BUSY',
    `${tool.id} already runs ${most} times, which is the most on all nodes together; no slot became free within ${waitedMs / 1000} s.`,
    {
      retryable: true,
      hint: 'Repeat later, leave it to the queue as a tool.request.v1 breadcrumb, or raise its limit in fleet.tools.',
      details: { most },
    },
  )
}
