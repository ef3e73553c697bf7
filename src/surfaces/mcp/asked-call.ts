// A request of a client of 2026-07-28, which is asked by the answer to its request and answers with its next one. The
// work goes on meanwhile, waits where it asks, and is the same in every round (U2).
import type { InputRequests } from '@modelcontextprotocol/server'
import type { CallOptions } from '../../kernel/call.ts'
import type { LogLine, Progress } from '../../tool/outcome.ts'
import { CancellableCall } from './cancellable-call.ts'
import { type Answers, type Ask, Questions } from './questions.ts'

/** The request that waits for the call now. */
export interface Round {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly onLog?: ((line: LogLine) => void) | undefined
}

/** Begins the work; what asks meanwhile does so by `ask`. */
export type Start<Result> = (
  options: Pick<CallOptions, 'onPrepared' | 'onProgress' | 'onLog'>,
  ask: Ask,
) => Promise<Result>

export class AskedCall<Result extends object> {
  readonly #running = new CancellableCall()
  readonly #questions: Questions
  readonly #result: Promise<Result>
  #round: Round
  #wake: (() => void) | undefined

  /** `early`: answers that came with the first request, before anything was asked. */
  constructor(start: Start<Result>, round: Round = {}, early: Answers = {}) {
    // The work may begin to tell before anybody waits for it.
    this.#round = round
    this.#questions = new Questions(() => this.#wake?.(), early)
    const options = {
      onPrepared: this.#running.onPrepared,
      onProgress: (progress: Progress) => this.#round.onProgress?.(progress),
      onLog: round.onLog && ((line: LogLine) => this.#round.onLog?.(line)),
    }
    this.#result = start(options, this.#questions.ask)
  }

  /** Gives the questions that have an answer their answers; the others stay open. */
  answer(answers: Answers): void {
    this.#questions.answer(answers)
  }

  /** The result, once there is one; else what is asked meanwhile. */
  async next(round: Round = {}): Promise<Result | { readonly questions: InputRequests }> {
    this.#round = round
    const onAbort = () => this.stop('The client cancelled the call.')
    round.signal?.addEventListener('abort', onAbort, { once: true })
    if (round.signal?.aborted) onAbort()
    const asks = new Promise<undefined>((resolve) => {
      this.#wake = () => !this.#questions.isEmpty && resolve(undefined)
    })
    this.#wake?.()
    try {
      return (await Promise.race([this.#result, asks])) ?? { questions: this.#questions.requests() }
    } finally {
      this.#wake = undefined
      this.#round = {}
      round.signal?.removeEventListener('abort', onAbort)
    }
  }

  stop(why: string): void {
    this.#running.stop(why)
  }
}
