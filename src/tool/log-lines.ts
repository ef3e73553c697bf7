// The log of a run is kept in memory and in its record, so it has an end.
import type { LogLine } from './outcome.ts'

const maxLogLines = 10_000

/** Adds a line to a log; the first one too many says that the rest is dropped. */
export function keepLine(lines: LogLine[], line: LogLine): void {
  if (lines.length < maxLogLines) lines.push(line)
  else if (lines.length === maxLogLines) {
    const message = `[more than ${maxLogLines} log lines, the rest is dropped]`
    lines.push({ level: 'warn', message, atMs: line.atMs })
  }
}
