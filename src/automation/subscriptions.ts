// Tools that react to events. Each tool has a durable cursor and works its events in order, one at a time, at
// least once; the cursor moves after success or dead letter.
import type { Subscription } from '../formats/tool-code/shapes.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import type { SubscriptionStatus } from './automation.ts'
import type { EngineParts } from './engine.ts'
import { pausedTools, pauseSchema } from './paused-subscriptions.ts'
import { SubscriptionRunner } from './subscription-runner.ts'

const pageSize = 500

export interface SubscriptionOptions {
  /** Runs of one tool per minute; more are delayed. */
  readonly runsPerMinute?: number
  readonly workspace?: string
}

/** The subscriptions a tool declares. */
export function subscriptionsOf(tool: Tool): readonly Subscription[] {
  return tool.details?.subscriptions ?? []
}

export class SubscriptionEngine {
  readonly #parts: EngineParts
  readonly #options: SubscriptionOptions
  readonly #runners = new Map<string, SubscriptionRunner>()
  #unsubscribe: (() => void) | null = null
  /** What the tools subscribe to; the rest of the feed is not read. */
  readonly #schemas = new Set<string>()
  #tail = 0
  #work: Promise<void> = Promise.resolve()
  #isReading = false
  #again = false
  #isStopped = false

  constructor(parts: EngineParts, options: SubscriptionOptions = {}) {
    this.#parts = parts
    this.#options = options
  }

  async start(): Promise<void> {
    this.#tail = await this.#parts.store.events.last()
    this.#unsubscribe = this.#parts.store.events.onAppend(() => this.#readOn(), this.#schemas)
    await this.refresh()
  }

  /** Takes notice of added, changed and removed tools. */
  refresh(): Promise<void> {
    this.#work = this.#work
      .then(() => this.#refresh())
      .catch((error: Error) => this.#parts.log('error', error.message))
    return this.#work
  }

  /** Resolves when every event seen so far is worked; for tests and for draining. */
  async idle(): Promise<void> {
    for (;;) {
      while (this.#isReading) await new Promise((resolve) => setImmediate(resolve))
      await this.#work
      await Promise.all([...this.#runners.values()].map((runner) => runner.idle()))
      if (!this.#isReading && [...this.#runners.values()].every((runner) => runner.isIdle)) return
    }
  }

  /** How far each tool is, by name. */
  status(): SubscriptionStatus[] {
    return [...this.#runners.values()]
      .map((runner) => runner.status())
      .sort((a, b) => byCodeUnits(a.tool, b.tool))
  }

  async stop(graceMs = 2_000): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe?.()
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop(graceMs)))
    this.#runners.clear()
  }

  async #refresh(): Promise<void> {
    if (this.#isStopped) return
    const wanted = new Map<string, { tool: Tool; subscriptions: readonly Subscription[] }>()
    for (const tool of this.#parts.tools()) {
      const subscriptions = subscriptionsOf(tool)
      if (subscriptions.length > 0 && tool.state === 'available' && !wanted.has(tool.id))
        wanted.set(tool.id, { tool, subscriptions })
    }
    // What was written before this moment belongs to the former subscriptions.
    const now = await this.#parts.store.events.last()
    await this.#readAll()
    this.#tail = Math.max(this.#tail, now)
    this.#schemas.clear()
    this.#schemas.add(pauseSchema)
    for (const { subscriptions } of wanted.values())
      for (const { schema_name } of subscriptions) this.#schemas.add(schema_name)
    for (const [name, runner] of this.#runners) {
      if (wanted.has(name)) continue
      this.#runners.delete(name)
      await runner.stop(0)
    }
    const paused = await pausedTools(this.#parts.store)
    for (const [name, { tool, subscriptions }] of wanted) {
      const runner = this.#runners.get(name)
      if (runner) runner.change(tool, subscriptions)
      else await this.#add(tool, subscriptions, paused)
    }
  }

  async #applyPauses(): Promise<void> {
    const paused = await pausedTools(this.#parts.store)
    for (const [name, runner] of this.#runners) runner.pause(paused.has(name))
  }

  async #add(tool: Tool, subscriptions: readonly Subscription[], paused: ReadonlySet<string>): Promise<void> {
    const runner = new SubscriptionRunner(this.#parts, tool, subscriptions, this.#options)
    runner.pause(paused.has(tool.id))
    this.#runners.set(tool.id, runner)
    await runner.start(this.#tail)
  }

  #readOn(): void {
    if (this.#isReading) {
      this.#again = true
      return
    }
    this.#isReading = true
    this.#work = this.#work
      .then(() => this.#readAll())
      .catch((error: Error) => this.#parts.log('error', `Subscriptions: ${error.message}`))
      .then(() => {
        this.#isReading = false
        if (this.#again) this.#readOn()
        this.#again = false
      })
  }

  async #readAll(): Promise<void> {
    while (this.#schemas.size > 0) {
      const { events, upTo } = await this.#parts.store.events.pageAfter({
        after: this.#tail,
        limit: pageSize,
        schemas: [...this.#schemas],
      })
      if (events.some(({ event }) => event.schema_name === pauseSchema)) await this.#applyPauses()
      for (const logged of events) for (const runner of this.#runners.values()) runner.offer(logged)
      this.#tail = upTo
      if (events.length < pageSize) return
    }
  }
}
