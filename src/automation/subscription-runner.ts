// The events of one tool: what waits, what runs, where the cursor stands.
import { matchesSubscription } from '../events/match-event.ts'
import type { Subscription } from '../formats/tool-code/shapes.ts'
import { wait } from '../store/clock.ts'
import { type CrumbEvent, maxDepth } from '../store/crumb.ts'
import { LeaseHolder } from '../store/lease-holder.ts'
import type { LoggedEvent } from '../store/store.ts'
import { asJson, isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { SubscriptionStatus } from './automation.ts'
import { buryEvent, type EventLetter } from './bury-event.ts'
import {
  type EngineParts,
  isWorthRetrying,
  maxAttempts,
  persist,
  principalOf,
  retryDelayMs,
} from './engine.ts'
import { RunRate } from './run-rate.ts'
import type { SubscriptionOptions } from './subscriptions.ts'

/** Past this many waiting, events of one crumb collapse to the newest. */
const overflowAt = 1000
/** Entries beyond this keep only their position; the event is read again when its turn comes. */
const keepInMemory = 200
/** With more than this in line the rest stays in the store and is read when the line is shorter. */
const maxLine = 10_000
const pageSize = 500
/** After an error nobody foresaw. */
const againMs = 1_000

interface Waiting {
  readonly seq: number
  readonly crumb: string
  readonly subscription: Subscription
  readonly notBeforeMs: number
  readonly expiresMs: number | null
  readonly event: CrumbEvent | null
  readonly offeredMs: number
}

export class SubscriptionRunner {
  readonly #parts: EngineParts
  readonly #options: SubscriptionOptions
  readonly #name: string
  readonly #cursor: string
  readonly #stopping = new AbortController()
  readonly #lease: LeaseHolder
  readonly #rate: RunRate
  #tool: Tool
  #subscriptions: readonly Subscription[]
  #waiting: Waiting[] = []
  /** Last event the shared reader showed, last one that was looked at for the line, last one that is done. */
  #seen = 0
  #position = 0
  #done = 0
  #attempts = 0
  #working = 0
  #active: Waiting | null = null
  #skipped = 0
  #loop: Promise<void> | null = null
  /** True while what the shared reader shows goes straight into the line. */
  #isLive = false
  #catchingUp: Promise<void> | null = null
  #hasOverflowed = false
  #isPaused = false

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
    this.#rate = new RunRate(options.runsPerMinute ?? 60)
    this.#lease = new LeaseHolder(parts, this.#cursor, async (isHeld) => {
      this.#isLive = false
      this.#waiting = []
      if (isHeld) await this.#begin()
    })
  }

  get isIdle(): boolean {
    return this.#loop === null && this.#catchingUp === null
  }

  /** Events skipped because their crumb had expired. */
  get skipped(): number {
    return this.#skipped
  }

  status(): SubscriptionStatus {
    const now = this.#parts.clock.now()
    const oldest = this.#active ?? this.#waiting[0]
    return {
      tool: this.#name,
      on: this.#subscriptions,
      cursor: this.#done,
      lag: this.#waiting.length + (this.#active ? 1 : 0),
      lagMs: oldest ? Math.max(0, now - oldest.offeredMs) : 0,
      isRunning: this.#active !== null,
      attempts: this.#active ? this.#attempts : 0,
      skipped: this.#skipped,
      isHere: this.#lease.isHeld,
      isPaused: this.#isPaused,
    }
  }

  /** Finds the cursor; a tool seen for the first time starts at `nowPosition`. */
  async start(nowPosition: number): Promise<void> {
    const { cursors } = this.#parts.store
    this.#seen = Math.max(this.#seen, nowPosition)
    await this.#persist(async () => {
      if (!(await cursors.get(this.#cursor)))
        await cursors.set(this.#cursor, { position: nowPosition, working: 0, attempts: 0, note: null })
    })
    if (await this.#lease.start()) await this.#begin()
  }

  change(tool: Tool, subscriptions: readonly Subscription[]): void {
    this.#tool = tool
    this.#subscriptions = subscriptions
  }

  /** Holds events back while a person wants that; the one that runs is finished. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#go()
  }

  /** Shows an event; without the lease, or while the line is too long, the store keeps it for later. */
  offer(logged: LoggedEvent): void {
    this.#seen = Math.max(this.#seen, logged.seq)
    if (!this.#isLive) return
    if (this.#waiting.length < maxLine) this.#queue(logged)
    else this.#isLive = false
  }

  async idle(): Promise<void> {
    while (this.#loop || this.#catchingUp) await (this.#catchingUp ?? this.#loop)
  }

  async stop(graceMs: number): Promise<void> {
    this.#isLive = false
    this.#waiting = []
    const timer = setTimeout(() => this.#stopping.abort(), graceMs)
    if (!this.#loop || graceMs === 0) this.#stopping.abort()
    await this.idle()
    clearTimeout(timer)
    this.#stopping.abort()
    await this.#lease.stop()
  }

  /** Goes on where the cursor stands, whoever moved it there. */
  async #begin(): Promise<void> {
    const cursor = await this.#persist(() => this.#parts.store.cursors.get(this.#cursor))
    this.#done = cursor?.position ?? 0
    this.#working = cursor?.working ?? 0
    this.#attempts = cursor?.attempts ?? 0
    this.#position = this.#done
    await this.#catchUp()
  }

  /** Fills the line from the store up to where the shared reader stands; from there on the reader feeds it. */
  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#readBehind()
      .catch((error: Error) => this.#parts.log('error', `Subscriptions of ${this.#name}: ${error.message}`))
      .finally(() => {
        this.#catchingUp = null
        this.#go()
      })
    return this.#catchingUp
  }

  async #readBehind(): Promise<void> {
    const schemas = [...new Set(this.#subscriptions.map((subscription) => subscription.schema_name))]
    while (this.#position < this.#seen) {
      if (this.#stopping.signal.aborted || !this.#lease.isHeld || this.#waiting.length >= maxLine) return
      const end = this.#seen
      const page = await this.#persist(() =>
        this.#parts.store.events.after({ after: this.#position, limit: pageSize, schemas }),
      )
      for (const logged of page) this.#queue(logged)
      if (page.length < pageSize) this.#position = Math.max(this.#position, end)
    }
    this.#isLive = this.#lease.isHeld
  }

  /** Puts an event in line if it is for this tool; the first subscription that matches supplies the input. */
  #queue({ seq, event, expiresMs }: LoggedEvent): void {
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
      offeredMs: this.#parts.clock.now(),
    })
    this.#go()
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

  #go(): void {
    if (this.#loop || this.#waiting.length === 0 || !this.#mayWork) return
    this.#loop = this.#workAll()
      .catch(async (error: Error) => {
        this.#parts.log('error', `Subscriptions of ${this.#name}: ${error.message}`)
        await wait(this.#parts.clock, againMs, this.#stopping.signal)
      })
      .then(() => {
        this.#loop = null
        if (this.#waiting.length === 0) this.#hasOverflowed = false
        if (!this.#mayWork) return
        if (!this.#isLive && this.#position < this.#seen) void this.#catchUp()
        else this.#go()
      })
  }

  get #mayWork(): boolean {
    return this.#lease.isHeld && !this.#isPaused && !this.#stopping.signal.aborted
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return persist(this.#parts, this.#stopping.signal, work)
  }

  async #workAll(): Promise<void> {
    const { clock } = this.#parts
    const { signal } = this.#stopping
    while (this.#waiting.length > 0 && this.#mayWork) {
      const first = this.#waiting[0]!
      const waitMs = Math.max(first.notBeforeMs - clock.now(), this.#rate.delayMs(clock.now()))
      if (waitMs > 0) {
        await wait(clock, waitMs, signal)
        continue
      }
      const line = this.#waiting
      line.shift()
      this.#active = first
      let isDone = false
      try {
        isDone = await this.#work(first)
      } finally {
        this.#active = null
        // Unless the line is a new one by now, what was not done is first in it again.
        if (!isDone && line === this.#waiting) line.unshift(first)
      }
      if (!isDone) return
      if (!this.#isLive && this.#waiting.length < maxLine / 2 && this.#position < this.#seen)
        void this.#catchUp()
    }
  }

  /** Runs one event to success or dead letter and moves the cursor. False: stopped before that. */
  async #work(entry: Waiting): Promise<boolean> {
    const { store, clock } = this.#parts
    const event =
      entry.event ??
      (await this.#persist(() => store.events.after({ after: entry.seq - 1, limit: 1 })))[0]?.event
    if (!event || (entry.expiresMs !== null && entry.expiresMs <= clock.now())) {
      this.#skipped++
      return this.#moveTo(entry.seq)
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
      return this.#moveTo(entry.seq)
    }
    return this.#run(entry, event)
  }

  async #run(entry: Waiting, event: CrumbEvent): Promise<boolean> {
    const { clock } = this.#parts
    const firstAtMs = clock.now()
    let attempts = this.#working === entry.seq ? this.#attempts : 0
    for (;;) {
      attempts++
      this.#attempts = attempts
      if (!(await this.#mark(this.#done, entry.seq, attempts))) return false
      this.#rate.begin(clock.now())
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
          cause: outcome?.error.details,
          attempts: Math.min(attempts, maxAttempts),
          firstAtMs,
          logs: outcome?.logs,
        },
        event,
      )
      break
    }
    return this.#moveTo(entry.seq)
  }

  #call(subscription: Subscription, event: CrumbEvent): Promise<Outcome> {
    const input: Record<string, Json> = { ...(subscription.input as JsonObject | undefined) }
    const declared = this.#tool.params?.['properties']
    if (isPlainObject(declared) && Object.hasOwn(declared, 'trigger_event'))
      input['trigger_event'] = asJson(event)
    return this.#parts.invoke(this.#name, input, {
      principal: principalOf(event, this.#parts),
      trigger: asJson(event),
      runId: this.#runId(event),
      signal: this.#stopping.signal,
    })
  }

  #runId(event: CrumbEvent): string {
    return `sub-${event.id}-${this.#name}`
  }

  /** False: the lease is gone and with it the right to move the cursor. */
  async #moveTo(seq: number): Promise<boolean> {
    if (!(await this.#mark(seq, 0, 0))) return false
    this.#done = seq
    this.#working = 0
    this.#attempts = 0
    return true
  }

  #mark(position: number, working: number, attempts: number): Promise<boolean> {
    const { store, node } = this.#parts
    return this.#persist(() =>
      store.cursors.set(this.#cursor, { position, working, attempts, note: null }, node),
    )
  }

  #bury(letter: EventLetter, event?: CrumbEvent): Promise<void> {
    const cause = event && { event, run: this.#runId(event) }
    const { workspace } = this.#options
    return this.#persist(() => buryEvent(this.#parts, { tool: this.#name, workspace, letter, cause }))
  }
}
