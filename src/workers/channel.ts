// One JSON text per line over a two-way pipe to a worker. Size, rate and what waits unread are bounded here, for every
// language: the other side is not trusted to stop, to be brief, or to read what it asked for.
import type { Readable, Writable } from 'node:stream'
import { LineReader } from './line-reader.ts'

export interface ChannelEvents {
  readonly onLine: (line: string) => void
  /** A line grew past the cap; nothing more is read. */
  readonly onOverflow: () => void
  /** The other side closed it. */
  readonly onEnd: () => void
}

export const maxUnreadBytes = 8_388_608
/** Lines taken in one turn of the loop; after more of them everybody else has a turn first. */
const maxLinesPerTurn = 64

export class Channel {
  readonly #stream: Readable & Writable
  readonly #reader: LineReader
  #lines = 0
  /** Reasons to take nothing in: a turn for others, unread answers, waiting questions. */
  #pauses = 0
  #isOpen = true

  constructor(stream: Readable & Writable, maxBytes: number, events: ChannelEvents) {
    this.#stream = stream
    this.#reader = new LineReader({
      maxBytes,
      onLine: (line) => {
        this.#lines++
        if (this.#isOpen) events.onLine(line)
      },
      onTooLong: () => {
        this.close()
        events.onOverflow()
      },
    })
    stream.on('data', this.#take)
    stream.once('end', () => {
      if (this.#isOpen) events.onEnd()
    })
  }

  send(text: string): void {
    if (!this.#isOpen || !this.#stream.writable) return
    this.#stream.write(`${text}\n`)
    // Who does not read is not read either, or what is sent to him would pile up here.
    if (this.#stream.writableLength < maxUnreadBytes || this.#pauses > 0) return
    this.pause()
    this.onceRead(() => this.resume())
  }

  /** Bytes sent that the other side has not taken yet. */
  get unreadBytes(): number {
    return this.#stream.writableLength
  }

  /** Calls back once everything that was sent is taken. */
  onceRead(listener: () => void): void {
    this.#stream.once('drain', listener)
  }

  /** Takes nothing in until `resume` was called as often; the other side has to wait. */
  pause(): void {
    if (++this.#pauses === 1) this.#stream.pause()
  }

  resume(): void {
    if (--this.#pauses === 0) this.#stream.resume()
  }

  /** Whether waiting for a message keeps this program from ending. */
  ref(): void {
    ;(this.#stream as { ref?(): void }).ref?.()
  }

  unref(): void {
    ;(this.#stream as { unref?(): void }).unref?.()
  }

  close(): void {
    this.#isOpen = false
    this.#reader.stop()
    this.#stream.destroy()
  }

  readonly #take = (chunk: Buffer): void => {
    this.#lines = 0
    this.#reader.take(chunk)
    if (this.#lines <= maxLinesPerTurn || !this.#isOpen) return
    this.pause()
    setImmediate(() => this.resume())
  }
}
