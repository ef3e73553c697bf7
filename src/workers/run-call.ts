// One call in a worker, from dispatch to its end: the deadline, the cancel, the end turned into a value or an error by
// the format whose call it is. Whatever happens, it settles once and the worker is told when it must go.
import { Deadline } from '../tool/deadline.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { CallListener } from './call-listener.ts'
import type { CallEnd } from './protocol.ts'
import { stopped, timeoutError } from './run-to-end.ts'
import type { Worker } from './worker.ts'
import type { WorkerEnd } from './worker-end.ts'

export interface StoppableCall {
  readonly signal: AbortSignal
  /** Calls back when it is stopped, at once when it was; gives what takes the listener away again. */
  onStop(listener: () => void): () => void
  /** Infinite for a service. */
  readonly timeoutMs: number
}

export interface RunOptions<Value> {
  readonly worker: Worker
  /** Makes the message of the call. */
  readonly text: (id: number) => string
  readonly attempt: StoppableCall
  /** Whoever makes the call stops it when its time is up. */
  readonly isTimed?: boolean
  readonly listener: Omit<CallListener, 'done' | 'stray' | 'lost'>
  /** What its end comes to; throws the error of the call. */
  readonly read: (end: CallEnd) => Value
  readonly strayError: (kind: 'rejection' | 'error', message: string, stack: string) => ToolError
  /** What the end of its process comes to. */
  readonly readLost: (end: WorkerEnd, call: { readonly id: number; readonly running: number }) => Value
}

const cancelGraceMs = 1_000

export function runCall<Value>(options: RunOptions<Value>): Promise<Value> {
  return new Promise((resolve, reject) => new RunningCall(options, resolve, reject))
}

/** Listens to its worker itself: a warm call is answered in the turn its message comes in. */
class RunningCall<Value> implements CallListener {
  readonly #options: RunOptions<Value>
  readonly #resolve: (value: Value) => void
  readonly #reject: (error: unknown) => void
  readonly #id: number
  readonly #deadline: Deadline | undefined
  readonly #forget: () => void
  readonly print: CallListener['print']
  #graceTimer: NodeJS.Timeout | undefined
  #stopError: ToolError | undefined
  #isOver = false

  constructor(options: RunOptions<Value>, resolve: (value: Value) => void, reject: (error: unknown) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    const { worker, attempt, text, listener } = options
    this.print = listener.print?.bind(listener)
    this.#id = worker.call(text, this)
    this.#deadline = options.isTimed ? undefined : this.#untilLate(attempt.timeoutMs)
    this.#forget = attempt.onStop(() => this.#stop(stopped(attempt.signal, attempt.timeoutMs)))
  }

  line(...line: Parameters<CallListener['line']>): void {
    this.#options.listener.line(...line)
  }

  progress(...progress: Parameters<CallListener['progress']>): void {
    this.#options.listener.progress(...progress)
  }

  ask(...question: Parameters<CallListener['ask']>): ReturnType<CallListener['ask']> {
    return this.#options.listener.ask(...question)
  }

  waits(op: string): boolean {
    return this.#options.listener.waits(op)
  }

  done(end: CallEnd): void {
    this.#settle(() => this.#options.read(end))
  }

  stray(kind: 'rejection' | 'error', message: string, stack: string): void {
    this.#settle(() => {
      throw this.#options.strayError(kind, message, stack)
    })
  }

  lost(end: WorkerEnd, call: { readonly id: number; readonly running: number }): void {
    this.#settle(() => this.#options.readLost(end, call))
  }

  #settle(read: () => Value): void {
    if (!this.#end()) return
    try {
      if (this.#stopError) throw this.#stopError
      this.#resolve(read())
    } catch (error) {
      this.#reject(error)
    }
  }

  #untilLate(timeoutMs: number): Deadline | undefined {
    return Number.isFinite(timeoutMs) ? new Deadline(timeoutMs, () => this.#timeOut(timeoutMs)) : undefined
  }

  #timeOut(timeoutMs: number): void {
    if (this.#options.worker.hearsAbort) this.#options.worker.abort(this.#id, 'The time limit was reached.')
    this.#drop(timeoutError(timeoutMs))
  }

  #stop(error: ToolError): void {
    this.#stopError = error
    const { worker } = this.#options
    if (worker.hearsAbort) worker.abort(this.#id, error.message)
    if (error.code === 'TIMEOUT' || !worker.hearsAbort) this.#drop(error)
    else this.#graceTimer = setTimeout(() => this.#drop(error), cancelGraceMs)
  }

  /** A call that goes on inside after its end takes the process with it. */
  #drop(error: ToolError): void {
    if (!this.#end()) return
    const tell = () => this.#reject(error)
    this.#options.worker.dropCall(this.#id, error).then(tell, tell)
  }

  /** False when it was over before. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#deadline?.drop()
    clearTimeout(this.#graceTimer)
    this.#forget?.()
    return true
  }
}
