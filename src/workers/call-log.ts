// The log of one call, within its caps: a line is cut, the whole ends with a marker.
import type { Json } from '../tool/json.ts'
import type { LogLevel } from '../tool/outcome.ts'

export interface LogCaps {
  readonly logBytes: number
  readonly logLineBytes: number
}

export const defaultLogCaps: LogCaps = { logBytes: 4_194_304, logLineBytes: 16_384 }

export class CallLog {
  readonly #caps: LogCaps
  readonly #write: (level: LogLevel, message: string, data?: Json) => void
  #bytes = 0

  constructor(caps: LogCaps, write: (level: LogLevel, message: string, data?: Json) => void) {
    this.#caps = caps
    this.#write = write
  }

  /** Counts what is no line but costs as much (progress); false: the cap is passed, it is dropped. */
  count(bytes: number): boolean {
    const wasFull = this.#bytes > this.#caps.logBytes
    this.#bytes += bytes
    if (wasFull) return false
    if (this.#bytes <= this.#caps.logBytes) return true
    this.#write('warn', `[log limit of ${this.#caps.logBytes} bytes reached, the rest is dropped]`)
    return false
  }

  line(level: LogLevel, message: string, data?: Json): void {
    const cut = cutText(message, this.#caps.logLineBytes)
    const bytes = Buffer.byteLength(cut) + 1 + (data === undefined ? 0 : JSON.stringify(data).length)
    if (!this.count(bytes)) return
    if (data === undefined) this.#write(level, cut)
    else this.#write(level, cut, data)
  }
}

/** At most `maxBytes` bytes of UTF-8, cut between characters and marked. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const kept = Buffer.from(text.slice(0, maxBytes))
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${kept} [line cut]`
}
