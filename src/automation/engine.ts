// What the engines (requests, subscriptions, bootstrap, schedules) share: how a tool is called, who they are,
// what they write on failure, and the rule for trying again.

import type { CallOptions } from '../kernel/call.ts'
import type { Bus } from '../store/bus.ts'
import { type Clock, wait } from '../store/clock.ts'
import type { CrumbDraft, CrumbEvent } from '../store/crumb.ts'
import { writerOf } from '../store/log-row.ts'
import type { CrumbStore } from '../store/store.ts'
import { isStoreFault } from '../store/store-error.ts'
import type { Json } from '../tool/json.ts'
import type { Notify } from '../tool/notify.ts'
import type { LogLine, Outcome } from '../tool/outcome.ts'
import { type KnownTokens, type Principal, standingOf } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'

export type Invoke = (ref: string, args: unknown, options: CallOptions) => Promise<Outcome>

export interface EngineParts {
  readonly store: CrumbStore
  readonly bus: Bus
  readonly clock: Clock
  readonly node: string
  readonly invoke: Invoke
  /** Throws, and puts it on record, when whoever made a request must not know whether its tool exists (G17). */
  mustBeInSight?(tool: string, request: { readonly as: Principal; readonly runId: string }): Promise<void>
  /** Every tool of the catalog, in precedence order. */
  tools(): readonly Tool[]
  /** The tokens of the server, by which it is known what was taken away since; absent: none are known. */
  readonly tokens?: KnownTokens | undefined
  /** True while the crib is halted: nothing falls due. */
  isHalted?(): boolean
  readonly log: Notify
}

export const maxAttempts = 3

/**
 * Writes again what the store could not take because it was away, busy or full, until it does. Work that is
 * done is not thrown away because its result cannot be stored this moment.
 */
export async function persist<T>(
  { clock, log }: Pick<EngineParts, 'clock' | 'log'>,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 2_000)) {
    try {
      return await write()
    } catch (error) {
      if (!isStoreFault(error) || error.code === 'STORE_CLOSED' || signal.aborted) throw error
      log('warn', `${error.message} Trying again in ${delayMs} ms.`)
      await wait(clock, delayMs, signal)
    }
  }
}

/** How long to wait before attempt number `next` (2, 3). */
export function retryDelayMs(next: number): number {
  return next <= 2 ? 1_000 : 4_000
}

/** Lost workers, failed starts and errors that say so are tried again; nothing else is. */
export function isWorthRetrying(outcome: Outcome): boolean {
  if (outcome.ok) return false
  const { code, retryable } = outcome.error
  if (code === 'WORKER_LOST') return true
  return retryable && code !== 'TIMEOUT' && code !== 'CANCELLED'
}

/** Who a run is made for: whoever wrote that version of the crumb, with the rights of then at most (G16). */
export function principalOf(
  event: CrumbEvent,
  { tokens, clock }: Pick<EngineParts, 'tokens' | 'clock'>,
): Principal {
  const { name, rights } = writerOf(event)
  const { root, depth } = event.causation
  return { ...standingOf(name, rights, { tokens, nowMs: clock.now() }), owner: event.owner_id, root, depth }
}

/** Who writes what a run leads to: one deeper than its trigger, by the tool, with the rights of the trigger's writer. */
export function principalAfter(
  event: CrumbEvent,
  by: { readonly tool: string; readonly run: string },
  parts: Pick<EngineParts, 'tokens' | 'clock'>,
): Principal {
  return { ...principalOf(event, parts), ...by, depth: event.causation.depth + 1 }
}

export interface DeadLetter {
  readonly tool: string
  readonly requestId: string
  readonly code: string
  readonly message: string
  readonly cause?: Json
  readonly attempts: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly logs?: readonly LogLine[]
  readonly workspace: string
}

const day = 24 * 60 * 60 * 1000

/** The crumb that says a unit of work was given up. */
export function deadLetter(letter: DeadLetter): CrumbDraft {
  return {
    title: clip(`Error: ${letter.tool}`, 500),
    schema_name: 'tool.error.v1',
    tags: tagsOf(['tool:error', `tool:${letter.tool}`, `request:${letter.requestId}`, letter.workspace]),
    visibility: 'team',
    sensitivity: 'low',
    ttl: new Date(letter.lastAtMs + 7 * day).toISOString(),
    context: {
      request_id: letter.requestId,
      tool: letter.tool,
      code: letter.code,
      message: letter.message,
      cause: letter.cause ?? null,
      attempts: letter.attempts,
      first_at: new Date(letter.firstAtMs).toISOString(),
      last_at: new Date(letter.lastAtMs).toISOString(),
      log_tail: (letter.logs ?? []).slice(-20).map((line) => `${line.level}: ${clip(line.message, 1000)}`),
    },
  }
}

/** Each tag once, none longer than a tag may be. */
export function tagsOf(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => clip(tag, 200)))]
}

export function clip(text: string, most: number): string {
  return text.length > most ? text.slice(0, most) : text
}
