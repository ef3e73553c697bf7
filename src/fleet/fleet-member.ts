// This process as one of those that serve the crib: it says regularly that it is there and how busy it is.
import { hostname } from 'node:os'
import { version } from '../config/version.ts'
import type { LeaseParts } from '../store/lease-holder.ts'

export class FleetMember {
  readonly #parts: LeaseParts
  readonly #load: () => { readonly running: number; readonly capacity: number }
  readonly #name: string
  readonly #startedMs: number
  #url: string | null = null
  #isDraining = false
  #isStopped = false
  #cancel: (() => void) | null = null
  #work: Promise<void> = Promise.resolve()

  constructor(
    parts: LeaseParts,
    load: () => { readonly running: number; readonly capacity: number },
    name: string = hostname(),
  ) {
    this.#parts = parts
    this.#load = load
    this.#name = name
    this.#startedMs = parts.clock.now()
  }

  get node(): string {
    return this.#parts.node
  }

  async start(): Promise<void> {
    await this.#beat()
    this.#beatLater()
  }

  /** Where this node serves. */
  serves(url: string): void {
    this.#url = url
    this.#work = this.#beat()
  }

  /** Takes no more work; the others see it. */
  drain(): void {
    this.#isDraining = true
    this.#work = this.#beat()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#work
    await this.#parts.store.nodes.remove(this.node).catch(() => {})
  }

  #beatLater(): void {
    if (this.#isStopped) return
    this.#cancel = this.#parts.clock.after(this.#parts.store.lease.renewMs, () => {
      this.#work = this.#beat().then(() => this.#beatLater())
    })
  }

  async #beat(): Promise<void> {
    try {
      await this.#parts.store.nodes.beat({
        node: this.node,
        name: this.#name,
        pid: process.pid,
        version: version(),
        url: this.#url,
        startedMs: this.#startedMs,
        ...this.#load(),
        isDraining: this.#isDraining,
      })
    } catch (error) {
      this.#parts.log('warn', `This node cannot say that it is alive: ${(error as Error).message}`)
    }
  }
}
