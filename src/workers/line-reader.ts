// Cuts a stream of bytes into lines. It is the only reader of what a child writes, and bounded: a line longer than the
// cap is never collected, because whoever writes it is not trusted to stop.

export interface LineReaderOptions {
  readonly maxBytes: number
  /** Called for each line that is not empty; `isCut`: only its beginning. */
  readonly onLine: (line: string, isCut: boolean) => void
  /** Called instead when a line is too long, and nothing more is read; absent: the line is cut. */
  readonly onTooLong?: () => void
}

const newline = 10

export class LineReader {
  readonly #options: LineReaderOptions
  #parts: Buffer[] = []
  #kept = 0
  /** The beginning of this line was given; its rest is dropped. */
  #isCut = false
  #isStopped = false

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  take(chunk: Buffer): void {
    if (this.#isStopped) return
    const { length } = chunk
    // Nearly always a chunk is one line.
    const isLine = this.#kept === 0 && !this.#isCut && length > 1 && length <= this.#options.maxBytes
    if (isLine && chunk.indexOf(newline) === length - 1)
      return this.#options.onLine(chunk.toString('utf8', 0, length - 1), false)
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end))
      if (this.#isStopped) return
      this.flush()
      start = end + 1
    }
    if (start < length) this.#add(chunk.subarray(start))
  }

  /** Gives what there is of an unfinished line. */
  flush(): void {
    if (this.#kept > 0) this.#give(false)
    this.#isCut = false
  }

  stop(): void {
    this.#isStopped = true
    this.#parts = []
    this.#kept = 0
  }

  #add(part: Buffer): void {
    if (this.#isCut) return
    const room = this.#options.maxBytes - this.#kept
    const isTooLong = part.length > room
    if (isTooLong && this.#options.onTooLong) {
      this.stop()
      return this.#options.onTooLong()
    }
    const kept = isTooLong ? part.subarray(0, room) : part
    if (kept.length > 0) this.#parts.push(kept)
    this.#kept += kept.length
    if (!isTooLong) return
    this.#give(true)
    this.#isCut = true
  }

  #give(isCut: boolean): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#kept = 0
    const text = bytes.toString('utf8')
    this.#options.onLine(isCut ? text.replace(/\uFFFD+$/, '') : text, isCut)
  }
}
