// What a worker asks of the store, answered a few at a time. A thousand questions in one go would hold the host for as
// long as they take together, and its memory for as long as the worker does not read what it asked for.
import { type LineChannel, maxUnreadBytes } from './line-channel.ts'

interface Question {
  readonly bytes: number
  /** Never rejects. */
  readonly answer: () => Promise<void>
}

const atOnce = 4
/** Questions that wait; with more of them nothing further is read. */
const maxWaitingBytes = 16_777_216

export class Questions {
  readonly #channel: LineChannel
  readonly #waiting: Question[] = []
  #running = 0
  #waitingBytes = 0
  #isDue = false

  constructor(channel: LineChannel) {
    this.#channel = channel
  }

  add(question: Question): void {
    if (this.#waiting.length === 0 && this.#hasRoom) return this.#run(question)
    this.#waiting.push(question)
    this.#waitingBytes += question.bytes
    if (this.#waitingBytes > maxWaitingBytes) this.#channel.pause()
    this.#goOn()
  }

  get #hasRoom(): boolean {
    return this.#running < atOnce && this.#channel.unreadBytes < maxUnreadBytes
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
        if (this.#waitingBytes <= maxWaitingBytes) this.#channel.resume()
        this.#run(question)
      }
      this.#goOn()
    }
    if (this.#channel.unreadBytes < maxUnreadBytes) setImmediate(next)
    else this.#channel.onceRead(next)
  }
}
