// One lease, held as long as it can be: taken when it is free, renewed, and given up in time when the store
// does not answer, so that two nodes never both believe that they hold it.
import type { Notify } from '../tool/notify.ts'
import type { Clock } from './clock.ts'
import type { CrumbStore } from './store.ts'

export interface LeaseParts {
  readonly store: CrumbStore
  readonly clock: Clock
  readonly node: string
  readonly log: Notify
}

export class LeaseHolder {
  readonly name: string
  readonly #parts: LeaseParts
  readonly #onChange: (isHeld: boolean) => void | Promise<void>
  #isHeld = false
  #untilMs = 0
  #isStopped = false
  #cancelTry: (() => void) | null = null
  #cancelLoss: (() => void) | null = null
  #work: Promise<void> = Promise.resolve()

  /** `onChange` hears of every gain and loss after the first attempt. */
  constructor(
    parts: LeaseParts,
    name: string,
    onChange: (isHeld: boolean) => void | Promise<void> = () => {},
  ) {
    this.#parts = parts
    this.name = name
    this.#onChange = onChange
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Tries once and says whether it worked; from then on it keeps trying and renewing. */
  async start(): Promise<boolean> {
    try {
      this.#isHeld = await this.#acquire()
    } finally {
      this.#tryLater()
    }
    return this.#isHeld
  }

  /** Ends the renewing and frees the lease. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTry?.()
    this.#cancelLoss?.()
    await this.#work
    if (!this.#isHeld) return
    this.#isHeld = false
    try {
      await this.#parts.store.leases.release(this.name, this.#parts.node)
    } catch (error) {
      this.#parts.log('warn', `The lease ${this.name} ends by itself: ${(error as Error).message}`)
    }
  }

  async #acquire(): Promise<boolean> {
    const { store, node, clock } = this.#parts
    const asked = clock.now()
    const isHeld = await store.leases.acquire(this.name, node, store.lease.ms)
    if (!isHeld) return false
    this.#untilMs = asked + store.lease.ms
    this.#cancelLoss?.()
    this.#cancelLoss = clock.after(store.lease.ms, () => this.#noticeLoss())
    return true
  }

  /** The time is over although nobody said so: the store did not answer. */
  #noticeLoss(): void {
    if (!this.#isHeld || this.#parts.clock.now() < this.#untilMs) return
    this.#parts.log('warn', `The lease ${this.name} ran out: the store did not answer in time.`)
    void this.#set(false)
  }

  #tryLater(): void {
    if (this.#isStopped) return
    this.#cancelTry = this.#parts.clock.after(this.#parts.store.lease.renewMs, () => {
      this.#work = this.#renew()
    })
  }

  async #renew(): Promise<void> {
    try {
      await this.#set(await this.#acquire())
    } catch (error) {
      this.#parts.log('error', `The lease ${this.name}: ${(error as Error).message}`)
    }
    this.#tryLater()
  }

  async #set(isHeld: boolean): Promise<void> {
    if (isHeld === this.#isHeld || this.#isStopped) return
    this.#isHeld = isHeld
    try {
      await this.#onChange(isHeld)
    } catch (error) {
      this.#parts.log('error', `${this.name}: ${(error as Error).message}`)
    }
  }
}
