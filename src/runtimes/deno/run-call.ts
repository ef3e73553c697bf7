// One call in a worker, from dispatch to its end: the deadline, the cancel, the result turned into a value or an
// error. Whatever happens, the listener settles once and the worker is told when it must go.

import { Deadline } from '../../tool/deadline.ts'
import { type ErrorCode, errorCodes } from '../../tool/error-codes.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { Attempt } from '../runtime.ts'
import { timeoutError } from '../supervisor/run-to-end.ts'
import { readableStack } from './call-log.ts'
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

/** The tool's result as JSON would carry it; rejects with the ToolError of the outcome table. */
export async function runCall(options: RunOptions): Promise<unknown> {
  const { worker, attempt, listener } = options
  const { timeoutMs } = attempt
  let deadline: Deadline | undefined
  let graceTimer: NodeJS.Timeout | undefined
  let forget: (() => void) | undefined
  let stopError: ToolError | undefined
  let id = 0
  let hasEnded = false
  try {
    const message = await new Promise<Ended>((resolve, reject) => {
      const { log, progress, api } = listener
      id = worker.call(options.start, { log, progress, api, done: resolve, failed: reject })
      if (Number.isFinite(timeoutMs))
        deadline = Deadline.in(timeoutMs, () => {
          worker.abort(id, 'The time limit was reached.')
          reject(timeoutError(timeoutMs))
        })
      forget = attempt.onStop(() => {
        const error = cancelError(attempt)
        stopError = error
        worker.abort(id, error.message)
        if (error.code === 'TIMEOUT') return reject(error)
        graceTimer = setTimeout(() => reject(error), cancelGraceMs)
      })
    })
    hasEnded = true
    if (stopError) throw stopError
    return readEnd(message, options)
  } catch (error) {
    // A call that goes on inside after its end takes the process with it.
    const isStopped = isToolError(error) && (error.code === 'TIMEOUT' || error.code === 'CANCELLED')
    if (isStopped && !hasEnded) await worker.dropCall(id)
    throw error
  } finally {
    deadline?.drop()
    clearTimeout(graceTimer)
    forget?.()
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
          details: [{ path: message.path, keyword: 'json', message: `is ${message.what}` }],
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
      details: violations.map(({ pointer, keyword, message }) => ({ path: pointer, keyword, message })),
      hint: `The output schema wants a value: ${describeViolations(violations, 'the result')}.`,
    })
  }
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
