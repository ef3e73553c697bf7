// The questions that a call has put to its client and that have no answer yet.
import type { InputRequests } from '@modelcontextprotocol/server'
import type { QuestionMethod } from '../../runtimes/mcp/ask-caller.ts'
import type { AskOptions } from '../../tool/caller-answers.ts'
import { isPlainObject } from '../../tool/json.ts'
import { onAbort } from '../../tool/on-abort.ts'

interface Question {
  readonly method: QuestionMethod
  readonly params: unknown
  settle(answer: unknown): void
}

export type Ask = (method: QuestionMethod, params?: unknown, options?: AskOptions) => Promise<unknown>

export type Answers = { readonly [key: string]: unknown }

export class Questions {
  readonly #open = new Map<string, Question>()
  readonly #onAsked: () => void
  /** Answers to questions that nobody has put yet. */
  readonly #early: Map<string, unknown>
  #asked = 0

  constructor(onAsked: () => void = () => {}, early: Answers = {}) {
    this.#onAsked = onAsked
    this.#early = new Map(Object.entries(early))
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  readonly ask: Ask = (method, params, { key: name, signal } = {}) => {
    this.#asked++
    const key = name === undefined || this.#open.has(name) ? `question-${this.#asked}` : name
    const early = this.#early.get(key)
    this.#early.delete(key)
    if (isPlainObject(early)) return Promise.resolve(early)
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#open.delete(key)
        reject(signal?.reason)
      }
      const forget = signal && onAbort(signal, withdraw)
      if (signal?.aborted) return
      const settle = (answer: unknown) => {
        forget?.()
        resolve(answer)
      }
      this.#open.set(key, { method, params, settle })
      // What is asked at the same time goes out together.
      setImmediate(this.#onAsked)
    })
  }

  /** Gives the questions that have an answer their answers; the others stay open. */
  answer(answers: Answers): void {
    for (const [key, question] of [...this.#open]) {
      // What is no object answers nothing.
      if (!Object.hasOwn(answers, key) || !isPlainObject(answers[key])) continue
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
