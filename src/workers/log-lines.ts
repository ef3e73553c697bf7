// Turns the output of a process into log lines as it arrives. A line `::progress done/total message` is progress
// and no log. Lines and their sum are bounded, so that a flood of output stays a handful of megabytes.
import type { LogLevel, Progress } from '../tool/outcome.ts'
import { CallLog, defaultLogCaps } from './call-log.ts'
import { LineReader } from './line-reader.ts'

const tailBytes = 8_192
const maxMessageChars = 1_000

export interface LogSink {
  log(level: LogLevel, message: string): void
  progress(progress: Progress): void
}

export class LogLines {
  readonly #reader: LineReader
  #tail: Buffer = Buffer.alloc(0)

  constructor(sink: LogSink, level: LogLevel) {
    const log = new CallLog(defaultLogCaps, (at, message) => sink.log(at, message))
    this.#reader = new LineReader({
      // One more than a line may have, so that the log sees that it must cut.
      maxBytes: defaultLogCaps.logLineBytes + 1,
      onLine: (line) => logLine(line, level, log, sink),
    })
  }

  /** The last characters that came by, for error messages. */
  get tail(): string {
    return this.#tail.toString('utf8').replace(/^\uFFFD+/, '')
  }

  take(chunk: Buffer): void {
    const whole = chunk.length >= tailBytes ? chunk : Buffer.concat([this.#tail, chunk])
    this.#tail = whole.subarray(-tailBytes)
    this.#reader.take(chunk)
  }

  /** Logs what is left of an unfinished line. */
  end(): void {
    this.#reader.flush()
  }
}

/** One line of output: progress, or a line of the log. */
function logLine(given: string, level: LogLevel, log: CallLog, sink: Pick<LogSink, 'progress'>): void {
  const line = given.endsWith('\r') ? given.slice(0, -1) : given
  if (line === '') return
  const progress = parseProgress(line)
  if (!progress) log.line(level, line)
  else if (log.count(line.length)) sink.progress(progress)
}

const progressLine = /^::progress (\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?: (.*))?$/

/** Reads `::progress done[/total] [message]`; undefined for any other line. */
export function parseProgress(line: string): Progress | undefined {
  if (!line.startsWith('::progress ')) return undefined
  const match = progressLine.exec(line.trimEnd())
  if (!match) return undefined
  return {
    done: Number(match[1]),
    total: match[2] === undefined ? undefined : Number(match[2]),
    message: match[3] ? match[3].slice(0, maxMessageChars) : undefined,
  }
}
