// The calls of a crib that wait for an answer of their client (2026-07-28). What a client is given to come back with is
// sealed: it fits this crib, this principal, this tool with these arguments, once, and not for ever (U2).
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import {
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { Crib } from '../../crib/crib.ts'
import { jsonDigest } from '../../tool/json.ts'
import { identityOf, type Principal } from '../../tool/principal.ts'
import type { AskedCall } from './asked-call.ts'
import { rightsOf } from './client-catalogs.ts'

/** What a call is for; who comes back with something else is refused. */
export interface Subject {
  readonly principal: Principal
  /** The id of the tool, or what else is asked for. */
  readonly tool: string
  readonly args: unknown
}

/** One principal's calls that wait at the same time; the oldest is given up for another. */
const maxEach = 64

interface Waiting {
  readonly call: AskedCall<object>
  readonly owner: string
  readonly timer: NodeJS.Timeout
}

export class WaitingCalls {
  readonly #key = randomBytes(32)
  readonly #waiting = new Map<string, Waiting>()
  readonly #waitMs: () => number

  constructor(waitMs: () => number) {
    this.#waitMs = waitMs
  }

  /** The answer to a request whose call asks something: the questions, and the seal to come back with. */
  keep(call: AskedCall<object>, questions: InputRequests, subject: Subject): InputRequiredResult {
    const id = randomUUID()
    const owner = identityOf(subject.principal)
    const own = [...this.#waiting].filter(([, waiting]) => waiting.owner === owner)
    if (own.length >= maxEach) this.#giveUp(own[0]![0], 'Its client asked for too much at the same time.')
    const waitMs = this.#waitMs()
    const timer = setTimeout(() => this.#giveUp(id, 'Its client did not answer in time.'), waitMs).unref()
    this.#waiting.set(id, { call, owner, timer })
    const untilMs = Date.now() + waitMs
    const requestState = `call.${id}.${untilMs}.${this.#seal(id, untilMs, subject)}`
    return inputRequired({ inputRequests: questions, requestState })
  }

  /** The call that a client comes back for; -32602 for a seal that is changed, too old, used, or somebody else's. */
  take(state: string, subject: Subject): AskedCall<object> {
    const [, id = '', until = '', seal = ''] = state.split('.')
    const untilMs = Number(until)
    const waiting = this.#waiting.get(id)
    const isSealed = isEqual(seal, this.#seal(id, untilMs, subject))
    if (!waiting || !isSealed || !(untilMs > Date.now())) throw refusedState()
    this.#forget(id)
    return waiting.call
  }

  #seal(id: string, untilMs: number, { principal, tool, args }: Subject): string {
    const subject = jsonDigest([identityOf(principal), rightsOf(principal), tool, args ?? {}])
    return createHmac('sha256', this.#key).update(`${id}\n${untilMs}\n${subject}`).digest('base64url')
  }

  #giveUp(id: string, why: string): void {
    this.#waiting.get(id)?.call.stop(why)
    this.#forget(id)
  }

  #forget(id: string): void {
    clearTimeout(this.#waiting.get(id)?.timer)
    this.#waiting.delete(id)
  }
}

export function isSealed(state: string): boolean {
  return state.startsWith('call.')
}

/** In the words that the SDK has for it. */
export function refusedState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const byCrib = new WeakMap<Crib, WaitingCalls>()

/** Requests of one call may come over any connection to the crib. */
export function waitingCallsOf(crib: Crib): WaitingCalls {
  let waiting = byCrib.get(crib)
  if (!waiting) {
    waiting = new WaitingCalls(() => crib.config.approvals.timeoutMs)
    byCrib.set(crib, waiting)
  }
  return waiting
}
