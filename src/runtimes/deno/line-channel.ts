// One JSON text per line over a two-way pipe, as Deno's message channel writes it. A line longer than the cap is
// never collected: the other side is not trusted to stop.
import type { Readable, Writable } from 'node:stream'
import { writeNow } from '../../workers/write-now.ts'

export interface LineChannelEvents {
  readonly onLine: (line: string) => void
  /** A line grew past the cap; nothing more is read. */
  readonly onOverflow: (maxBytes: number) => void
  /** The other side closed it. */
  readonly onEnd: () => void
}

export const maxUnreadBytes = 8_388_608

export class LineChannel {
  readonly #stream: Readable & Writable
  readonly #maxBytes: number
  readonly #events: LineChannelEvents
  #parts: Buffer[] = []
  #kept = 0
  #isOpen = true

  constructor(stream: Readable & Writable, maxBytes: number, events: LineChannelEvents) {
    this.#stream = stream
    this.#maxBytes = maxBytes
    this.#events = events
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    stream.once('end', () => {
      if (this.#isOpen) events.onEnd()
    })
  }

  send(message: object): void {
    if (!this.#isOpen || !this.#stream.writable) return
    writeNow(this.#stream, `${JSON.stringify(message)}\n`)
    // Who does not read is not read either, or what is sent to him would pile up here.
    if (this.unreadBytes < maxUnreadBytes || this.#stream.isPaused()) return
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

  /** Takes nothing in until `resume`; the other side has to wait. */
  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    if (this.#stream.isPaused()) this.#stream.resume()
  }

  close(): void {
    this.#isOpen = false
    this.#parts = []
    this.#stream.destroy()
  }

  #take(chunk: Buffer): void {
    // Nearly always a chunk is one line.
    const { length } = chunk
    if (this.#parts.length === 0 && length > 1 && length <= this.#maxBytes && chunk[length - 1] === 10) {
      const text = chunk.toString('utf8', 0, length - 1)
      if (!text.includes('\n')) return this.#events.onLine(text)
    }
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1 && this.#isOpen; end = chunk.indexOf(10, start)) {
      this.#parts.push(chunk.subarray(start, end))
      const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
      this.#parts = []
      this.#kept = 0
      start = end + 1
      if (line.length > this.#maxBytes) return this.#overflow()
      if (line.length > 0) this.#events.onLine(line.toString('utf8'))
    }
    if (!this.#isOpen || start >= chunk.length) return
    this.#parts.push(chunk.subarray(start))
    this.#kept += chunk.length - start
    if (this.#kept > this.#maxBytes) this.#overflow()
  }

  #overflow(): void {
    this.close()
    this.#events.onOverflow(this.#maxBytes)
  }
}
