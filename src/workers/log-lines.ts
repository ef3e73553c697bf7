// Turns the output of a process into log lines as it arrives. A line `::progress done/total message` is progress
// and no log. Lines and their sum are bounded, so that a flood of output stays a handful of megabytes.
import { StringDecoder } from 'node:string_decoder'
import type { LogLevel, Progress } from '../tool/outcome.ts'

const maxLineChars = 16_384
const maxTotalChars = 4_194_304
const tailChars = 8_192
const maxMessageChars = 1_000

export interface LogSink {
  log(level: LogLevel, message: string): void
  progress(progress: Progress): void
}

export class LogLines {
  readonly #decoder = new StringDecoder('utf8')
  readonly #sink: LogSink
  readonly #level: LogLevel
  #open = ''
  #total = 0
  #isCut = false
  #tail = ''

  constructor(sink: LogSink, level: LogLevel) {
    this.#sink = sink
    this.#level = level
  }

  /** The last characters that came by, for error messages. */
  get tail(): string {
    return this.#tail
  }

  take(chunk: Buffer): void {
    this.#takeText(this.#decoder.write(chunk))
  }

  /** Logs what is left of an unfinished line. */
  end(): void {
    this.#takeText(this.#decoder.end())
    if (this.#open) this.#line(this.#open)
    this.#open = ''
  }

  #takeText(text: string): void {
    if (text === '') return
    this.#tail = (this.#tail + text.slice(-tailChars)).slice(-tailChars)
    const lines = (this.#open + text).split('\n')
    this.#open = lines.pop()!
    for (const line of lines) this.#line(line)
    if (this.#open.length > maxLineChars) {
      this.#line(this.#open)
      this.#open = ''
    }
  }

  #line(given: string): void {
    const line = given.endsWith('\r') ? given.slice(0, -1) : given
    if (line === '' || this.#isCut) return
    this.#total += line.length
    const progress = this.#total > maxTotalChars ? undefined : parseProgress(line)
    if (progress) return this.#sink.progress(progress)
    if (this.#total > maxTotalChars) {
      this.#isCut = true
      this.#sink.log('warn', `[more than ${maxTotalChars} characters of output, the rest is dropped]`)
      return
    }
    this.#sink.log(
      this.#level,
      line.length > maxLineChars ? `${line.slice(0, maxLineChars)} [line cut]` : line,
    )
  }
}

const progressLine = /^::progress (\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?: (.*))?$/

/** Reads `::progress done[/total] [message]`; undefined for any other line. */
export function parseProgress(line: string): Progress | undefined {
  if (!line.startsWith('::progress ')) return undefined
  const match = progressLine.exec(line.trimEnd())
  if (!match) return undefined
  return {
    done: Number(match[1]),
    ...(match[2] === undefined ? {} : { total: Number(match[2]) }),
    ...(match[3] ? { message: match[3].slice(0, maxMessageChars) } : {}),
  }
}
