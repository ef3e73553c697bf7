// One call in a worker, from dispatch to its end: the deadline, the cancel, the result turned into a value or an
// error. Whatever happens, the listener settles once and the worker is told when it must go.

import { Deadline } from '../../tool/deadline.ts'
import { type ErrorCode, errorCodes } from '../../tool/error-codes.ts'
import { isNestedDeeper, type Json } from '../../tool/json.ts'
import type { Progress } from '../../tool/outcome.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations, faultsOf } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import { timeoutError } from '../../workers/run-to-end.ts'
import type { Attempt } from '../runtime.ts'
import type { ApiAnswer } from './api.ts'
import { type CallLog, readableStack } from './call-log.ts'
import type { WorkerMessage } from './messages.ts'
import type { DenoWorker } from './worker.ts'
import type { CallListener, CallStart } from './worker-call.ts'

export interface RunOptions {
  readonly tool: Tool
  readonly worker: DenoWorker
  readonly start: CallStart
  /** Its time limit is infinite for a service. */
  readonly attempt: Pick<Attempt, 'signal' | 'onStop' | 'timeoutMs'>
  readonly outputBytes: number
  readonly listener: Pick<CallListener, 'log' | 'progress' | 'api'>
}

const cancelGraceMs = 1_000
/** Whoever goes through a result, to check, to scrub or to write it, does so by calling itself. */
const maxLevels = 1_000

/** The tool's result as JSON would carry it; rejects with the ToolError of the outcome table. */
export function runCall(options: RunOptions): Promise<unknown> {
  return new Promise((resolve, reject) => new RunningCall(options, resolve, reject))
}

/** Listens to its worker itself: a warm call is answered in the turn its message comes in. */
class RunningCall implements CallListener {
  readonly #options: RunOptions
  readonly #resolve: (value: unknown) => void
  readonly #reject: (error: unknown) => void
  readonly #id: number
  readonly #deadline: Deadline | undefined
  readonly #forget: () => void
  #graceTimer: NodeJS.Timeout | undefined
  #stopError: ToolError | undefined
  #isOver = false

  constructor(options: RunOptions, resolve: (value: unknown) => void, reject: (error: unknown) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    const { worker, attempt, start } = options
    const { timeoutMs } = attempt
    this.#id = worker.call(start, this)
    if (Number.isFinite(timeoutMs)) this.#deadline = Deadline.in(timeoutMs, () => this.#timeOut(timeoutMs))
    this.#forget = attempt.onStop(() => this.#stop(cancelError(attempt)))
  }

  get log(): CallLog {
    return this.#options.listener.log
  }

  progress(progress: Progress): void {
    this.#options.listener.progress(progress)
  }

  api(op: string, args: readonly Json[]): Promise<ApiAnswer> {
    return this.#options.listener.api(op, args)
  }

  done(message: Ended): void {
    if (!this.#end()) return
    try {
      if (this.#stopError) throw this.#stopError
      this.#resolve(readEnd(message, this.#options))
    } catch (error) {
      this.#reject(error)
    }
  }

  failed(error: ToolError): void {
    if (this.#end()) this.#reject(error)
  }

  #timeOut(timeoutMs: number): void {
    this.#options.worker.abort(this.#id, 'The time limit was reached.')
    this.#drop(timeoutError(timeoutMs))
  }

  #stop(error: ToolError): void {
    this.#stopError = error
    this.#options.worker.abort(this.#id, error.message)
    if (error.code === 'TIMEOUT') this.#drop(error)
    else this.#graceTimer = setTimeout(() => this.#drop(error), cancelGraceMs)
  }

  /** A call that goes on inside after its end takes the process with it. */
  #drop(error: ToolError): void {
    if (!this.#end()) return
    const tell = () => this.#reject(error)
    this.#options.worker.dropCall(this.#id).then(tell, tell)
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

type Ended = Extract<WorkerMessage, { t: 'result' | 'too-large' | 'unjson' | 'error' }>

/** Why an attempt was stopped: its own reason when that is one of ours, else a plain cancel. */
export function cancelError({ signal, timeoutMs }: Pick<Attempt, 'signal' | 'timeoutMs'>): ToolError {
  const reason: unknown = signal.reason
  if (isToolError(reason)) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError') return timeoutError(timeoutMs)
  return new ToolError('CANCELLED', 'The call was cancelled.')
}

function readEnd(message: Ended, { tool, outputBytes, listener }: RunOptions): unknown {
  switch (message.t) {
    case 'result':
      return readResult(message.json, message.isUndefined === true, tool, outputBytes)
    case 'too-large':
      throw tooLarge(tool.id, message.bytes, outputBytes)
    case 'unjson':
      throw new ToolError(
        'RESULT_INVALID',
        `${tool.id} returned ${message.what} at ${message.path || 'its root'}, which JSON cannot hold.`,
        {
          details: faultsOf([{ pointer: message.path, keyword: 'json', message: `is ${message.what}` }]),
        },
      )
    case 'error': {
      if (message.stack !== '') listener.log.line('error', readableStack(message.stack, tool.id))
      const isKnown =
        message.code !== undefined && message.code !== null && Object.hasOwn(errorCodes, message.code)
      throw new ToolError('TOOL_FAILED', message.message, {
        retryable: message.retryable === true,
        ...(message.code ? { details: { code: isKnown ? (message.code as ErrorCode) : message.code } } : {}),
      })
    }
  }
}

function readResult(json: string, isUndefined: boolean, tool: Tool, outputBytes: number): unknown {
  const bytes = Buffer.byteLength(json)
  if (bytes > outputBytes) throw tooLarge(tool.id, bytes, outputBytes)
  if (isUndefined) {
    const violations = tool.returns
      ? compileSchema(tool.returns, { fillDefaults: false }).violations(null)
      : []
    if (violations.length === 0) return null
    throw new ToolError('RESULT_INVALID', `${tool.id}: execute returned undefined.`, {
      details: faultsOf(violations),
      hint: `The output schema wants a value: ${describeViolations(violations, 'the result')}.`,
    })
  }
  if (isNestedDeeper(json, maxLevels))
    throw new ToolError(
      'RESULT_INVALID',
      `${tool.id} returned a value that is nested deeper than ${maxLevels} levels.`,
    )
  try {
    return JSON.parse(json)
  } catch {
    throw new ToolError('RESULT_INVALID', `${tool.id} sent a result that is not JSON.`)
  }
}

function tooLarge(toolId: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError(
    'OUTPUT_TOO_LARGE',
    `${toolId} returned ${bytes} bytes; at most ${maxBytes} are taken.`,
    {
      details: { bytes, maxBytes },
      hint: 'Return less, or raise deno.outputBytes in toolcrib.yaml.',
    },
  )
}
