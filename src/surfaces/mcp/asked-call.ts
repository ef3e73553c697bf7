// A call of a client of 2026-07-28, which is asked by the answer to its request and answers with its next one. The call
// goes on meanwhile, waits where it asks, and is the same call in every round (U2).
import type { InputRequests } from '@modelcontextprotocol/server'
import type { CallOptions } from '../../kernel/call.ts'
import type { LogLine, Outcome, Progress } from '../../tool/outcome.ts'
import { CancellableCall } from './cancellable-call.ts'
import { type Ask, Questions } from './questions.ts'

/** The request that waits for the call now. */
export interface Round {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly onLog?: ((line: LogLine) => void) | undefined
}

type Start = (options: Pick<CallOptions, 'onPrepared' | 'onProgress'>, ask: Ask) => Promise<Outcome>

export class AskedCall {
  readonly #running = new CancellableCall()
  readonly #questions = new Questions(() => this.#wake?.())
  readonly #outcome: Promise<Outcome>
  #round: Round = {}
  #wake: (() => void) | undefined

  constructor(start: Start) {
    const onProgress = (progress: Progress) => this.#round.onProgress?.(progress)
    this.#outcome = start({ onPrepared: this.#running.onPrepared, onProgress }, this.#questions.ask)
  }

  readonly onLog = (line: LogLine): void => this.#round.onLog?.(line)

  /** Gives the questions that have an answer their answers; the others stay open. */
  answer(answers: { readonly [key: string]: unknown }): void {
    this.#questions.answer(answers)
  }

  /** The outcome, once the call is over; else what it asks meanwhile. */
  async next(round: Round = {}): Promise<Outcome | { readonly questions: InputRequests }> {
    this.#round = round
    const onAbort = () => this.stop('The client cancelled the call.')
    round.signal?.addEventListener('abort', onAbort, { once: true })
    if (round.signal?.aborted) onAbort()
    const asks = new Promise<undefined>((resolve) => {
      this.#wake = () => !this.#questions.isEmpty && resolve(undefined)
    })
    this.#wake?.()
    const outcome = await Promise.race([this.#outcome, asks])
    this.#wake = undefined
    this.#round = {}
    round.signal?.removeEventListener('abort', onAbort)
    return outcome ?? { questions: this.#questions.requests() }
  }

  stop(why: string): void {
    this.#running.stop(why)
  }
}
