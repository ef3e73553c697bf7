// The log of one call, within its caps: lines are cut, the whole ends with a marker, stack frames name the tool
// instead of the data URL it was loaded from.
import type { Json } from '../../tool/json.ts'
import type { LogLevel } from '../../tool/outcome.ts'

export interface LogCaps {
  readonly logBytes: number
  readonly logLineBytes: number
}

export class CallLog {
  readonly #caps: LogCaps
  readonly #write: (level: LogLevel, message: string, data?: Json) => void
  #bytes = 0
  /** Length of what the worker sent for it over the channel, kept or not. */
  heard = 0

  constructor(caps: LogCaps, write: (level: LogLevel, message: string, data?: Json) => void) {
    this.#caps = caps
    this.#write = write
  }

  line(level: LogLevel, message: string, data?: Json): void {
    const wasFull = this.#bytes > this.#caps.logBytes
    const cut = cutText(message, this.#caps.logLineBytes)
    this.#bytes += Buffer.byteLength(cut) + 1 + (data === undefined ? 0 : JSON.stringify(data).length)
    if (wasFull) return
    if (this.#bytes > this.#caps.logBytes)
      this.#write('warn', `[log limit of ${this.#caps.logBytes} bytes reached, the rest is dropped]`)
    else if (data === undefined) this.#write(level, cut)
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

/** `data:…:3:26` becomes `adder.ts:3:26`; frames of the harness and of Deno itself are left out. */
export function readableStack(stack: string, toolName: string): string {
  return stack
    .split('\n')
    .filter((line) => !/^\s+at .*(harness\.js|ext:|node:)/.test(line))
    .map((line) => line.replace(/data:[^\s()]*/g, (url) => readablePlace(url, toolName)))
    .join('\n')
}

/** In two steps: as one expression it would look through a hostile line again from each of its places. */
function readablePlace(url: string, toolName: string): string {
  const at = url.search(/:\d+:\d+/)
  return at === -1 ? url : `${toolName}.ts${url.slice(at)}`
}
