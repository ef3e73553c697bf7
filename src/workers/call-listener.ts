// What does a call want to hear from its worker?
import type { Json } from '../tool/json.ts'
import type { LogLevel, Progress } from '../tool/outcome.ts'
import type { Answer, CallEnd } from './protocol.ts'
import type { WorkerEnd } from './worker-end.ts'

/** What a call wants to hear from its worker. Exactly one of `done`, `stray` and `lost` is called, once. */
export interface CallListener {
  /** A line of its log, or one that nobody knows whose it is. */
  line(level: LogLevel, message: string, data?: Json): void
  /** What the process printed for the call, byte for byte; absent: it gets lines. */
  print?(fd: 1 | 2, chunk: Buffer): void
  progress(progress: Progress): void
  /** A question of the tool; never rejects. `waits`: its answer may take its time (another tool). */
  ask(op: string, args: readonly Json[]): Promise<Answer>
  waits(op: string): boolean
  done(end: CallEnd): void
  /** It failed outside of its function. */
  stray(kind: 'rejection' | 'error', message: string, stack: string): void
  /** The process ended under it; `running`: calls that were in it, this one included. */
  lost(end: WorkerEnd, call: { readonly id: number; readonly running: number }): void
}
