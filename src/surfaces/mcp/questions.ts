// The questions that a call has put to its client and that have no answer yet.
import type { InputRequests } from '@modelcontextprotocol/server'
import type { QuestionMethod } from '../../runtimes/mcp/ask-caller.ts'

interface Question {
  readonly method: QuestionMethod
  readonly params: unknown
  settle(answer: unknown): void
}

export type Ask = (method: QuestionMethod, params?: unknown) => Promise<unknown>

export class Questions {
  readonly #open = new Map<string, Question>()
  readonly #onAsked: () => void
  #asked = 0

  constructor(onAsked: () => void = () => {}) {
    this.#onAsked = onAsked
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  readonly ask: Ask = (method, params) =>
    new Promise((settle) => {
      this.#open.set(`question-${++this.#asked}`, { method, params, settle })
      // What is asked at the same time goes out together.
      setImmediate(this.#onAsked)
    })

  /** Gives the questions that have an answer their answers; the others stay open. */
  answer(answers: { readonly [key: string]: unknown }): void {
    for (const [key, question] of [...this.#open]) {
      if (!Object.hasOwn(answers, key)) continue
      this.#open.delete(key)
      question.settle(answers[key])
    }
  }

  /** As a client gets them. */
  requests(): InputRequests {
    const open = [...this.#open].map(([key, { method, params }]) => [
      key,
      params === undefined ? { method } : { method, params },
    ])
    return Object.fromEntries(open)
  }
}
