// What a worker asks of its host, answered a few at a time. A thousand questions in one go would hold the host for as
// long as they take together, and its memory for as long as the worker does not read what it asked for.
import { type ErrorCode, statusOfCode } from '../tool/error-codes.ts'
import { type Channel, maxUnreadBytes } from './channel.ts'
import type { Answer } from './protocol.ts'

interface Question {
  readonly bytes: number
  /** Never rejects. */
  readonly answer: () => Promise<void>
}

const atOnce = 4
/** Questions that wait; with more of them nothing further is read. */
const maxWaitingBytes = 16_777_216

export class Questions {
  readonly #channel: Channel
  readonly #waiting: Question[] = []
  #running = 0
  #waitingBytes = 0
  #isDue = false
  #isPausing = false

  constructor(channel: Channel) {
    this.#channel = channel
  }

  add(question: Question): void {
    if (this.#waiting.length === 0 && this.#hasRoom) return this.#run(question)
    this.#waiting.push(question)
    this.#waitingBytes += question.bytes
    this.#holdBack()
    this.#goOn()
  }

  get #hasRoom(): boolean {
    return this.#running < atOnce && this.#channel.unreadBytes < maxUnreadBytes
  }

  #holdBack(): void {
    const isFull = this.#waitingBytes > maxWaitingBytes
    if (isFull === this.#isPausing) return
    this.#isPausing = isFull
    if (isFull) this.#channel.pause()
    else this.#channel.resume()
  }

  #run(question: Question): void {
    this.#running++
    void question.answer().then(() => {
      this.#running--
      this.#goOn()
    })
  }

  /** Others have their turn before the next one. */
  #goOn(): void {
    if (this.#isDue || this.#waiting.length === 0 || this.#running >= atOnce) return
    this.#isDue = true
    const next = () => {
      this.#isDue = false
      const question = this.#hasRoom ? this.#waiting.shift() : undefined
      if (question) {
        this.#waitingBytes -= question.bytes
        this.#holdBack()
        this.#run(question)
      }
      this.#goOn()
    }
    if (this.#channel.unreadBytes < maxUnreadBytes) setImmediate(next)
    else this.#channel.onceRead(next)
  }
}

/** Of one process, over all its calls. */
export const maxOpenQuestions = 1_000
export const tooMany = refusal('TOO_MANY_OPEN', `More than ${maxOpenQuestions} api requests are open.`)
export const isOver = refusal('CALL_OVER', 'The call is over; its api is closed.')

function refusal(code: ErrorCode, message: string): Answer {
  return { ok: false, error: { message, code, status: statusOfCode(code) } }
}
