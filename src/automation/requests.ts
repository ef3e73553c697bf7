// A `tool.request.v1` crumb runs a tool and gets exactly one response. The claim is durable: a crash leaves a
// request that is taken again, and the response is written in the transaction that ends the claim.

import { isDeadNode } from '../config/node-identity.ts'
import type { Work } from '../store/bus.ts'
import type { Crumb, CrumbDraft, CrumbEvent } from '../store/crumb.ts'
import { defaultWorkspace, maxDepth } from '../store/crumb.ts'
import type { ClaimedRequest, ToolLimits } from '../store/store.ts'
import { exitCodeOf } from '../tool/error-codes.ts'
import { failureOf } from '../tool/failure-of.ts'
import { asJson, isPlainObject, type Json } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import {
  clip,
  deadLetter,
  type EngineParts,
  isWorthRetrying,
  maxAttempts,
  persist,
  principalAfter,
  principalOf,
  retryDelayMs,
  tagsOf,
} from './engine.ts'
import { requestOf } from './request-check.ts'
import { blocksOf, exitCodeIn, inWordsOfRequests, storable } from './request-outcome.ts'

const day = 24 * 60 * 60 * 1000
/** Failures that were no run: they get an error response and no dead letter. */
const refusals = new Set(['REQUEST_INVALID', 'REQUEST_STALE', 'LOOP_DEPTH'])
/** When to look again for a request whose tool is busy on all nodes. */
const busyMs = 250
/** How long a result may still be stored after its run was stopped. */
const leaveMs = 1_500
/** The process did not exit by itself. */
const killed = new Set(['TIMEOUT', 'MEMORY_LIMIT', 'CANCELLED', 'WORKER_LOST', 'OUTPUT_TOO_LARGE'])

export interface RequestOptions {
  readonly workspaces?: readonly string[]
  readonly concurrency?: number
  /** An older request is answered REQUEST_STALE. */
  readonly staleMs?: number
  /** How many requests of a tool may run at once on all nodes together. */
  limits?(): ToolLimits
}

export class RequestEngine {
  readonly #parts: EngineParts
  readonly #workspaces: readonly string[]
  readonly #concurrency: number
  readonly #staleMs: number
  readonly #limits: () => ToolLimits
  /** Requests in hand, until their response is stored. */
  readonly #inHand = new Map<string, Promise<void>>()
  /** Those of them whose tool runs. */
  #running = 0
  readonly #stopping = new AbortController()
  /** Fires when results are no longer waited for either. */
  readonly #leaving = new AbortController()
  #unsubscribe: (() => void) | null = null
  #cancelTimers: (() => void)[] = []
  #cancelWake: (() => void) | null = null
  #pumping = false
  #again = false
  #isClosed = false

  constructor(parts: EngineParts, options: RequestOptions = {}) {
    this.#parts = parts
    this.#workspaces = options.workspaces ?? [defaultWorkspace]
    this.#concurrency = options.concurrency ?? 16
    this.#staleMs = options.staleMs ?? day
    this.#limits = options.limits ?? (() => ({}))
  }

  /** Requests that run here now, and how many could. */
  get load(): { readonly running: number; readonly capacity: number } {
    return { running: this.#running, capacity: this.#concurrency }
  }

  /** Takes up the backlog, oldest first, and every request that comes. */
  async start(): Promise<void> {
    await this.#parts.store.leases.bury(isDeadNode)
    this.#unsubscribe = this.#parts.bus.onWork(() => this.#pump())
    this.#renewLater()
    this.#pump()
  }

  /** Resolves when nothing runs; for tests and for draining. */
  async idle(): Promise<void> {
    while (this.#pumping || this.#inHand.size > 0) {
      await Promise.race([...this.#inHand.values(), new Promise((resolve) => setImmediate(resolve))])
    }
  }

  /** Takes no more; gives back what is running after `graceMs`. */
  async stop(graceMs = 2_000): Promise<void> {
    this.#unsubscribe?.()
    for (const cancel of this.#cancelTimers) cancel()
    this.#cancelWake?.()
    this.#isClosed = true
    if (this.#inHand.size > 0) {
      const timers = [
        setTimeout(() => this.#stopping.abort(), graceMs),
        setTimeout(() => this.#leaving.abort(), graceMs + leaveMs),
      ]
      await Promise.all(this.#inHand.values())
      timers.forEach(clearTimeout)
    }
  }

  #renewLater(): void {
    this.#cancelTimers = [
      this.#parts.clock.after(this.#parts.store.lease.renewMs, async () => {
        if (this.#isClosed) return
        const { store, node } = this.#parts
        if (this.#inHand.size > 0)
          await this.#try(() => store.requests.renew(node, store.lease.ms, [...this.#inHand.keys()]))
        await this.#try(() => this.#parts.store.leases.bury(isDeadNode))
        this.#pump()
        this.#renewLater()
      }),
    ]
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#parts.log('error', `Requests: ${(error as Error).message}`)
    }
  }

  #pump(): void {
    if (this.#pumping) {
      this.#again = true
      return
    }
    this.#pumping = true
    void this.#try(() => this.#takeAll()).then(() => {
      this.#pumping = false
      if (!this.#again) return
      this.#again = false
      this.#pump()
    })
  }

  async #takeAll(): Promise<void> {
    const { bus, store, node, clock } = this.#parts
    const wish = { node, leaseMs: store.lease.ms, limits: this.#limits() }
    while (!this.#isClosed && this.#free > 0) {
      const work = await bus.next({ ...wish, free: this.#free })
      if (!work) break
      const { id } = work.claimed.crumb
      this.#running++
      const served = this.#try(() => this.#serve(work)).then(() => {
        this.#inHand.delete(id)
        this.#pump()
      })
      this.#inHand.set(id, served)
    }
    this.#cancelWake?.()
    const dueMs = this.#isClosed || this.#free <= 0 ? null : await bus.nextDueMs()
    if (dueMs === null) return
    const waitMs = dueMs - clock.now()
    // What is due and was not given out waits for its tool, and nobody tells when that is free; or it has become due
    // since, and nobody tells that either.
    this.#cancelWake = clock.after(waitMs > 0 ? waitMs : busyMs, () => this.#pump())
  }

  /**
   * How many more can be taken: a place is free when its tool has ended, while its response is still being stored.
   * A store that falls behind holds the node up all the same: twice the places is the most in hand.
   */
  get #free(): number {
    return Math.min(this.#concurrency - this.#running, 2 * this.#concurrency - this.#inHand.size)
  }

  async #serve(work: Work): Promise<void> {
    const { store, node, clock } = this.#parts
    const { claimed } = work
    const { crumb, event, attempts } = claimed
    const request = requestOf(crumb.context)
    let outcome = this.#refusal(claimed, request)
    try {
      outcome ??= storable(inWordsOfRequests(await this.#call(crumb, event, request)))
    } finally {
      this.#running--
      this.#pump()
    }
    const isStopped = this.#stopping.signal.aborted && !outcome.ok && outcome.error.code === 'CANCELLED'
    if (isStopped || (isWorthRetrying(outcome) && attempts < maxAttempts)) {
      const atMs = clock.now() + (isStopped ? 0 : retryDelayMs(attempts + 1))
      await this.#persist(() => store.requests.release(crumb.id, node, atMs))
      await work.later(atMs)
      return
    }
    const tool = typeof request['tool'] === 'string' ? request['tool'] : ''
    const principal = principalAfter(event, { tool, run: crumb.id }, this.#parts)
    const response = this.#response(claimed, request, outcome)
    const letters =
      outcome.ok || refusals.has(outcome.error.code) ? [] : [this.#letter(claimed, tool, outcome)]
    await this.#persist(() => store.requests.finish(crumb.id, node, response, letters, principal))
    await work.done()
  }

  #persist<T>(write: () => Promise<T>): Promise<T> {
    return persist(this.#parts, this.#leaving.signal, write)
  }

  /** Why a request cannot be run at all, as a failed outcome. */
  #refusal(claimed: ClaimedRequest, request: { readonly [key: string]: Json | undefined }): Outcome | null {
    const { crumb, event, attempts } = claimed
    const fail = (code: string, message: string, hint?: string): Outcome => ({
      ok: false,
      error: { code, message, retryable: false, hint },
      logs: [],
      ms: 0,
      runId: crumb.id,
      enforcement: { layers: [], dimensions: {} },
    })
    if (typeof request['tool'] !== 'string' || request['tool'] === '')
      return fail('REQUEST_INVALID', 'The request names no tool.', 'Put the name at context.tool.')
    if (request['input'] !== undefined && !isPlainObject(request['input']))
      return fail('REQUEST_INVALID', 'The input of the request is no object.')
    if (request['requestId'] !== undefined && typeof request['requestId'] !== 'string')
      return fail('REQUEST_INVALID', 'The requestId of the request is no text.')
    if (event.causation.depth >= maxDepth)
      return fail(
        'LOOP_DEPTH',
        `${request['tool']} was not run: ${event.causation.depth} runs lie between this request and the event that began it.`,
        'Break the circle in which tools call or trigger each other.',
      )
    if (this.#parts.clock.now() - Date.parse(crumb.created_at) > this.#staleMs)
      return fail(
        'REQUEST_STALE',
        `The request is older than ${Math.round(this.#staleMs / 3_600_000)} hours.`,
      )
    if (attempts > maxAttempts)
      return fail(
        'WORKER_LOST',
        `The crib ended ${maxAttempts} times while this request ran; it is not tried again.`,
      )
    return null
  }

  async #call(
    crumb: Crumb,
    event: CrumbEvent,
    request: { readonly [key: string]: Json | undefined },
  ): Promise<Outcome> {
    const principal = principalOf(event, this.#parts)
    const byTool = event.causation.by_tool
    const tool = request['tool'] as string
    try {
      await this.#parts.mustBeInSight?.(tool, { as: principal, runId: crumb.id })
    } catch (error) {
      return failureOf(error, crumb.id)
    }
    return this.#parts.invoke(tool, request['input'] ?? {}, {
      principal: byTool === null ? principal : { ...principal, tool: byTool },
      trigger: asJson(event),
      runId: crumb.id,
      signal: this.#stopping.signal,
      // Its claim counts under the name it was asked by; under another name the call takes a place of its own.
      hasSlot: this.#limits()[tool] !== undefined,
    })
  }

  #response(
    claimed: ClaimedRequest,
    request: { readonly [key: string]: Json | undefined },
    outcome: Outcome,
  ): CrumbDraft {
    const { crumb, attempts } = claimed
    const now = this.#parts.clock.now()
    const id = typeof request['requestId'] === 'string' ? request['requestId'] : crumb.id
    const tool = typeof request['tool'] === 'string' ? request['tool'] : ''
    const exit = outcome.meta?.['exitCode'] ?? exitCodeIn(outcome)
    const code = outcome.ok ? null : outcome.error.code
    const ms = Math.round(outcome.ms)
    return {
      title: clip(`${outcome.ok ? 'Response' : 'Error'}: ${tool}`, 500),
      schema_name: 'tool.response.v1',
      tags: tagsOf([
        this.#workspaceOf(crumb),
        'tool:response',
        `request:${id}`,
        ...(id.startsWith('llm-') ? ['request:llm'] : []),
      ]),
      visibility: 'team',
      sensitivity: 'low',
      ttl: new Date(now + 7 * day).toISOString(),
      context: {
        request_id: id,
        request_breadcrumb_id: crumb.id,
        tool,
        status: outcome.ok ? 'success' : 'error',
        ...(outcome.ok
          ? { output: outcome.value as Json }
          : {
              error: `Error: ${outcome.error.message}`,
              error_code: outcome.error.code,
              error_details: outcome.error.details ?? null,
            }),
        ...blocksOf(outcome),
        attempts,
        execution_time_ms: ms,
        metadata: {
          duration_ms: ms,
          timedOut: code === 'TIMEOUT',
          exitCode:
            typeof exit === 'number'
              ? exit
              : code === null
                ? 0
                : exit === null || killed.has(code)
                  ? null
                  : exitCodeOf(code),
        },
        timestamp: new Date(now).toISOString(),
      },
    }
  }

  #letter(claimed: ClaimedRequest, tool: string, outcome: Outcome & { ok: false }): CrumbDraft {
    const request = requestOf(claimed.crumb.context)
    return deadLetter({
      tool,
      requestId: typeof request['requestId'] === 'string' ? request['requestId'] : claimed.crumb.id,
      code: outcome.error.code,
      message: outcome.error.message,
      cause: outcome.error.details,
      attempts: claimed.attempts,
      firstAtMs: claimed.firstAtMs,
      lastAtMs: this.#parts.clock.now(),
      logs: outcome.logs,
      workspace: this.#workspaceOf(claimed.crumb),
    })
  }

  #workspaceOf(crumb: Crumb): string {
    return crumb.tags.find((tag) => this.#workspaces.includes(tag)) ?? this.#workspaces[0]!
  }
}
