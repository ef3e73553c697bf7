// What a program says on standard error, as log lines while it runs; what lies beyond the cap is read and dropped.
import { LogLines } from '../../workers/log-lines.ts'
import type { Attempt } from '../runtime.ts'

export interface StderrLog {
  take(chunk: Buffer): void
  /** Logs an unfinished line, and that something was dropped. */
  end(): void
}

export function stderrLog(attempt: Attempt, maxBytes: number): StderrLog {
  const lines = new LogLines(attempt, 'info')
  let left = maxBytes
  return {
    take(chunk) {
      if (left > 0) lines.take(chunk.subarray(0, left))
      left -= chunk.length
    },
    end() {
      lines.end()
      if (left < 0) attempt.log('info', `[stderr truncated: only the first ${maxBytes} bytes are kept]`)
    },
  }
}
