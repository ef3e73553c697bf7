// Questions that are asked while an earlier one is under way go together in the next: one round trip for all of
// them. A question never joins one that was sent before it, so its answer is never older than itself.
interface Asked<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export class Gather<Question, Answer> {
  readonly #send: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #most: number
  #line: Asked<Question, Answer>[] = []
  #isSending = false

  /** `send` gives one answer for each question, in their order. */
  constructor(send: (questions: readonly Question[]) => Promise<readonly Answer[]>, most = 256) {
    this.#send = send
    this.#most = most
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#line.push({ question, resolve, reject })
      if (this.#isSending) return
      this.#isSending = true
      // Questions of the same turn go together.
      setImmediate(() => void this.#sendAll())
    })
  }

  async #sendAll(): Promise<void> {
    while (this.#line.length > 0) {
      const batch = this.#line.splice(0, this.#most)
      try {
        const answers = await this.#send(batch.map(({ question }) => question))
        batch.forEach(({ resolve }, index) => resolve(answers[index]!))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isSending = false
  }
}
