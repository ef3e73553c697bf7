// A continuous tool: started, watched, restarted after 1, 2, 4 … 60 s when it throws, exits or is killed. It
// runs on one node only, under a lease.

import { wait } from '../store/clock.ts'
import { LeaseHolder } from '../store/lease-holder.ts'
import { familyOf } from '../tool/error-codes.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import { makePrincipal } from '../tool/principal.ts'
import type { StartStatus } from './bootstrap.ts'
import type { EngineParts } from './engine.ts'

/** A tool that has not failed for this long counts as started. */
const settledMs = 200
const healthyMs = 5 * 60_000
const maxDelayMs = 60_000

export interface ServiceState {
  status: StartStatus
  code?: string
  reason?: string
  restarts: number
}

export class Service {
  readonly #parts: EngineParts
  readonly #name: string
  readonly #input: JsonObject
  readonly #lease: LeaseHolder
  #halting = new AbortController()
  #state: ServiceState = { status: 'started', restarts: 0 }
  #listener: (state: ServiceState) => void = () => {}
  #life: Promise<void> = Promise.resolve()

  constructor(parts: EngineParts, name: string, input: JsonObject) {
    this.#parts = parts
    this.#name = name
    this.#input = input
    this.#lease = new LeaseHolder(parts, `service:${name}`, async (isHeld) => {
      if (isHeld) await this.#begin()
      else this.#halt()
    })
  }

  /** Starts it; resolves when it counts as started, has failed, or has ended. */
  async start(): Promise<ServiceState> {
    if (await this.#lease.start()) return this.#begin()
    return this.#set({ status: 'skipped', reason: 'another node runs it' })
  }

  onChange(listener: (state: ServiceState) => void): void {
    this.#listener = listener
  }

  async stop(): Promise<void> {
    this.#halting.abort()
    await this.#life
    await this.#lease.stop()
  }

  async #begin(): Promise<ServiceState> {
    await this.#life
    this.#halting = new AbortController()
    const { signal } = this.#halting
    const { outcome: first, settled } = this.#invoke(signal)
    const early = await Promise.race([first, settled])
    if (early && !early.ok && !signal.aborted) {
      this.#set({ status: 'failed', code: early.error.code, reason: early.error.message })
    } else if (early?.ok) this.#set({ status: 'completed' })
    else this.#set({ status: 'started' })
    this.#life = this.#live(first, signal)
    return this.#state
  }

  /** The lease is lost: another node may run the tool from now on, so this one must not. */
  #halt(): void {
    this.#halting.abort()
    this.#set({ status: 'skipped', reason: 'another node runs it' })
  }

  async #live(first: Promise<Outcome>, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    let running = first
    let delayMs = 1_000
    let began = clock.now()
    for (;;) {
      const outcome = await running
      if (signal.aborted) return
      if (outcome.ok) {
        this.#set({ status: 'completed' })
        return
      }
      const { code, message } = outcome.error
      this.#set({ status: 'failed', code, reason: message })
      if (!canRestart(code)) return
      if (clock.now() - began >= healthyMs) delayMs = 1_000
      log('warn', `${this.#name} ended with ${code} and is started again in ${delayMs / 1000} s: ${message}`)
      await wait(clock, delayMs, signal)
      if (signal.aborted) return
      delayMs = Math.min(delayMs * 2, maxDelayMs)
      began = clock.now()
      this.#state.restarts++
      const { outcome: next, settled } = this.#invoke(signal)
      running = next
      const early = await Promise.race([running, settled])
      if (!early && !signal.aborted) this.#set({ status: 'started' })
    }
  }

  /** `settled` resolves when the tool has run for a while: until its code is loaded no time counts. */
  #invoke(signal: AbortSignal): { readonly outcome: Promise<Outcome>; readonly settled: Promise<void> } {
    const { clock, invoke } = this.#parts
    const now = clock.now()
    let onBegun: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      onBegun = resolve
    })
    const settled = begun.then(() => wait(clock, settledMs, signal))
    const outcome = invoke(this.#name, this.#input, {
      principal: makePrincipal({ surface: 'event', name: 'bootstrap' }),
      trigger: {
        schema_name: 'system.startup.v1',
        timestamp: new Date(now).toISOString(),
        mode: 'continuous',
      },
      runId: `continuous-${this.#name}-${now}`,
      signal,
      isService: true,
      onBegun,
    })
    return { outcome, settled }
  }

  #set(state: Omit<ServiceState, 'restarts'>): ServiceState {
    const { restarts } = this.#state
    this.#state = { ...state, restarts }
    this.#listener(this.#state)
    return this.#state
  }
}

/** A tool that may not run, lacks something or got wrong input would fail the same way again. */
function canRestart(code: string): boolean {
  const family = familyOf(code)
  return family === 'failed' || family === 'limit'
}
