// The events of one tool: what waits, what runs, where the cursor stands.
import type { Subscription } from '../formats/tool-code/check-behaviour.ts'
import { isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import { wait } from './clock.ts'
import { type CrumbEvent, cribActor } from './crumb.ts'
import {
  actorAfter,
  type DeadLetter,
  deadLetter,
  defaultWorkspace,
  type EngineParts,
  isWorthRetrying,
  leaseMs,
  maxAttempts,
  maxDepth,
  renewMs,
  retryDelayMs,
} from './engine.ts'
import { matchesSubscription } from './match-event.ts'
import type { LoggedEvent } from './store.ts'
import type { SubscriptionOptions } from './subscriptions.ts'

/** Past this many waiting, events of one crumb collapse to the newest. */
const overflowAt = 1000
/** Entries beyond this keep only their position; the event is read again when its turn comes. */
const keepInMemory = 200

interface Waiting {
  readonly seq: number
  readonly crumb: string
  readonly subscription: Subscription
  readonly notBeforeMs: number
  readonly expiresMs: number | null
  readonly event: CrumbEvent | null
}

export class SubscriptionRunner {
  readonly #parts: EngineParts
  readonly #options: SubscriptionOptions
  readonly #name: string
  readonly #cursor: string
  readonly #stopping = new AbortController()
  #tool: Tool
  #subscriptions: readonly Subscription[]
  #waiting: Waiting[] = []
  #position = 0
  #done = 0
  #attempts = 0
  #working = 0
  #skipped = 0
  #starts: number[] = []
  #loop: Promise<void> | null = null
  #hasLease = false
  #hasOverflowed = false
  #cancelRenew: (() => void) | null = null

  constructor(
    parts: EngineParts,
    tool: Tool,
    subscriptions: readonly Subscription[],
    options: SubscriptionOptions,
  ) {
    this.#parts = parts
    this.#options = options
    this.#tool = tool
    this.#name = tool.id
    this.#cursor = `sub:${tool.id}`
    this.#subscriptions = subscriptions
  }

  /** Last event offered. */
  get position(): number {
    return this.#position
  }

  get schemas(): string[] {
    return [...new Set(this.#subscriptions.map((subscription) => subscription.schema_name))]
  }

  get isIdle(): boolean {
    return this.#loop === null
  }

  /** Events skipped because their crumb had expired. */
  get skipped(): number {
    return this.#skipped
  }

  /** Finds the cursor; a tool seen for the first time starts at `nowPosition`. */
  async start(nowPosition: number): Promise<void> {
    const { cursors } = this.#parts.store
    const known = await cursors.get(this.#cursor)
    if (!known)
      await cursors.set(this.#cursor, { position: nowPosition, working: 0, attempts: 0, note: null })
    this.#position = known?.position ?? nowPosition
    this.#done = this.#position
    this.#working = known?.working ?? 0
    this.#attempts = known?.attempts ?? 0
    await this.#takeLease()
  }

  change(tool: Tool, subscriptions: readonly Subscription[]): void {
    this.#tool = tool
    this.#subscriptions = subscriptions
  }

  skipTo(position: number): void {
    this.#position = Math.max(this.#position, position)
  }

  /** Takes an event if it is for this tool; the first subscription that matches supplies the input. */
  offer({ seq, event, expiresMs }: LoggedEvent): void {
    if (seq <= this.#position) return
    this.#position = seq
    const subscription = this.#subscriptions.find((one) => matchesSubscription(one, event, this.#name))
    if (!subscription) return
    const crumb = event.breadcrumb_id
    const window = subscription.coalesce_ms ?? 0
    const earlier = this.#earlier(crumb, window > 0)
    this.#waiting.push({
      seq,
      crumb,
      subscription,
      notBeforeMs: earlier?.notBeforeMs ?? this.#parts.clock.now() + window,
      expiresMs,
      event: this.#waiting.length < keepInMemory ? event : null,
    })
    if (this.#hasLease) this.#go()
  }

  async idle(): Promise<void> {
    while (this.#loop) await this.#loop
  }

  async stop(graceMs: number): Promise<void> {
    this.#waiting = []
    this.#cancelRenew?.()
    const timer = setTimeout(() => this.#stopping.abort(), graceMs)
    if (!this.#loop || graceMs === 0) this.#stopping.abort()
    await this.idle()
    clearTimeout(timer)
    if (this.#hasLease) await this.#parts.store.leases.release(this.#cursor, this.#parts.node)
    this.#hasLease = false
  }

  /** Takes an earlier entry of the same crumb out of the line, when the two may become one. */
  #earlier(crumb: string, isCoalescing: boolean): Waiting | undefined {
    const isFull = this.#waiting.length >= overflowAt
    if (!isCoalescing && !isFull) return undefined
    if (isFull && !this.#hasOverflowed) {
      this.#hasOverflowed = true
      void this.#bury({
        requestId: `sub-${this.#position}-${this.#name}`,
        code: 'SUB_OVERFLOW',
        message: `${overflowAt} events wait for ${this.#name}; of each breadcrumb only the newest is kept now.`,
        attempts: 0,
      })
    }
    const index = this.#waiting.findIndex((one) => one.crumb === crumb)
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0]
  }

  async #takeLease(): Promise<void> {
    this.#hasLease = await this.#parts.store.leases.acquire(this.#cursor, this.#parts.node, leaseMs)
    this.#cancelRenew = this.#parts.clock.after(renewMs, () => void this.#renew())
  }

  async #renew(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const before = this.#hasLease
    try {
      await this.#takeLease()
      if (!before && this.#hasLease) {
        // Another node worked on meanwhile: its cursor counts.
        const cursor = await this.#parts.store.cursors.get(this.#cursor)
        this.#done = cursor?.position ?? this.#done
        this.#waiting = this.#waiting.filter((one) => one.seq > this.#done)
        this.#go()
      }
    } catch (error) {
      this.#parts.log('error', `Subscriptions of ${this.#name}: ${(error as Error).message}`)
    }
  }

  #go(): void {
    if (this.#loop || this.#waiting.length === 0) return
    this.#loop = this.#workAll()
      .catch((error: Error) => this.#parts.log('error', `Subscriptions of ${this.#name}: ${error.message}`))
      .then(() => {
        this.#loop = null
        if (this.#waiting.length === 0) this.#hasOverflowed = false
        else if (this.#hasLease && !this.#stopping.signal.aborted) this.#go()
      })
  }

  async #workAll(): Promise<void> {
    const { clock } = this.#parts
    const { signal } = this.#stopping
    while (this.#waiting.length > 0 && this.#hasLease && !signal.aborted) {
      const first = this.#waiting[0]!
      const waitMs = Math.max(first.notBeforeMs - clock.now(), this.#rateDelayMs())
      if (waitMs > 0) {
        await wait(clock, waitMs, signal)
        continue
      }
      this.#waiting.shift()
      const isDone = await this.#work(first)
      if (!isDone) return
    }
  }

  #rateDelayMs(): number {
    const now = this.#parts.clock.now()
    this.#starts = this.#starts.filter((at) => now - at < 60_000)
    if (this.#starts.length < (this.#options.runsPerMinute ?? 60)) return 0
    return this.#starts[0]! + 60_000 - now
  }

  /** Runs one event to success or dead letter and moves the cursor. False: stopped before that. */
  async #work(entry: Waiting): Promise<boolean> {
    const { store, clock } = this.#parts
    const event = entry.event ?? (await store.events.after({ after: entry.seq - 1, limit: 1 }))[0]?.event
    if (!event || (entry.expiresMs !== null && entry.expiresMs <= clock.now())) {
      this.#skipped++
      await this.#moveTo(entry.seq)
      return true
    }
    if (event.causation.depth >= maxDepth) {
      // Deeper ones are the crib's own letters about this very loop: answering those would be a loop again.
      if (event.causation.depth === maxDepth)
        await this.#bury(
          {
            requestId: this.#runId(event),
            code: 'LOOP_DEPTH',
            message: `${this.#name} was not run: ${event.causation.depth} runs lie between this event and the one that began it.`,
            attempts: 0,
          },
          event,
        )
      await this.#moveTo(entry.seq)
      return true
    }
    return this.#run(entry, event)
  }

  async #run(entry: Waiting, event: CrumbEvent): Promise<boolean> {
    const { store, clock } = this.#parts
    const firstAtMs = clock.now()
    let attempts = this.#working === entry.seq ? this.#attempts : 0
    for (;;) {
      attempts++
      await store.cursors.set(this.#cursor, {
        position: this.#done,
        working: entry.seq,
        attempts,
        note: null,
      })
      this.#starts.push(clock.now())
      const outcome: Outcome | null =
        attempts > maxAttempts ? null : await this.#call(entry.subscription, event)
      if (this.#stopping.signal.aborted && outcome && !outcome.ok) return false
      if (outcome?.ok) break
      if (outcome && isWorthRetrying(outcome) && attempts < maxAttempts) {
        await wait(clock, retryDelayMs(attempts + 1), this.#stopping.signal)
        if (this.#stopping.signal.aborted) return false
        continue
      }
      await this.#bury(
        {
          requestId: this.#runId(event),
          code: outcome?.error.code ?? 'WORKER_LOST',
          message:
            outcome?.error.message ??
            `The crib ended ${maxAttempts} times while ${this.#name} worked on this event.`,
          ...(outcome?.error.details === undefined ? {} : { cause: outcome.error.details }),
          attempts: Math.min(attempts, maxAttempts),
          firstAtMs,
          ...(outcome ? { logs: outcome.logs } : {}),
        },
        event,
      )
      break
    }
    await this.#moveTo(entry.seq)
    return true
  }

  #call(subscription: Subscription, event: CrumbEvent): Promise<Outcome> {
    const input: Record<string, Json> = { ...(subscription.input as JsonObject | undefined) }
    const declared = this.#tool.params?.['properties']
    if (isPlainObject(declared) && Object.hasOwn(declared, 'trigger_event'))
      input['trigger_event'] = event as unknown as Json
    return this.#parts.invoke(this.#name, input, {
      caller: { ...this.#parts.callerOf(event.created_by), surface: 'event' },
      trigger: event as unknown as Json,
      runId: this.#runId(event),
      signal: this.#stopping.signal,
    })
  }

  #runId(event: CrumbEvent): string {
    return `sub-${event.id}-${this.#name}`
  }

  async #moveTo(seq: number): Promise<void> {
    this.#done = seq
    this.#working = 0
    this.#attempts = 0
    await this.#parts.store.cursors.set(this.#cursor, { position: seq, working: 0, attempts: 0, note: null })
  }

  async #bury(
    letter: Pick<DeadLetter, 'requestId' | 'code' | 'message' | 'attempts'> & Partial<DeadLetter>,
    event?: CrumbEvent,
  ): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const draft = deadLetter({
      firstAtMs: now,
      lastAtMs: now,
      workspace: this.#options.workspace ?? defaultWorkspace,
      ...letter,
      tool: this.#name,
    })
    const actor = event ? actorAfter(event, this.#name) : { ...cribActor, tool: this.#name }
    await store.crumbs.create(draft, actor)
  }
}
