// Why a worker ended, and what that means for each call that was in it.
import { ToolError } from '../../tool/tool-error.ts'
import { describeExit, type Exit } from '../../workers/exit.ts'
import { maxScratchMb } from './scratch-watch.ts'

export type WorkerEnd =
  /** The tool ended the process; `callId` is the call that did (0: unknown), null when nobody announced it. */
  | { readonly kind: 'exit'; readonly code: number; readonly callId: number | null }
  | { readonly kind: 'memory' }
  | { readonly kind: 'disk' }
  /** The channel was misused. */
  | { readonly kind: 'broken'; readonly detail: string }
  /** Killed: by us, by the system, by a crash. */
  | { readonly kind: 'signal'; readonly detail: string }

export interface EndFacts {
  readonly exit: Exit
  readonly stderr: string
  readonly exitMark: string
  readonly isOverMemory: boolean
  readonly isOverDisk: boolean
  readonly broken: string | undefined
}

const outOfMemory = /out of memory|heap limit|OOM error|memory allocation of \d+ bytes failed/i

export function endOf({ exit, stderr, exitMark, isOverMemory, isOverDisk, broken }: EndFacts): WorkerEnd {
  if (isOverMemory) return { kind: 'memory' }
  if (isOverDisk) return { kind: 'disk' }
  if (broken !== undefined) return { kind: 'broken', detail: broken }
  const announced = new RegExp(`${exitMark} (\\d+) (-?\\d+)`).exec(stderr)
  if (announced) return { kind: 'exit', callId: Number(announced[1]), code: Number(announced[2]) & 0xff }
  if (exit.diedOf !== null && outOfMemory.test(stderr)) return { kind: 'memory' }
  if (exit.diedOf !== null) return { kind: 'signal', detail: describeExit(exit) }
  return { kind: 'exit', callId: null, code: exit.code ?? 0 }
}

export interface LostCall {
  readonly id: number
  /** Calls that were in the worker, this one included. */
  readonly running: number
  readonly memoryMb: number
}

/** The error of a call whose worker ended under it; without a call, of the start itself. */
export function whyLost(end: WorkerEnd, toolName: string, call?: LostCall): ToolError {
  const isAlone = call === undefined || call.running === 1
  if (end.kind === 'memory') {
    return new ToolError(
      'MEMORY_LIMIT',
      `${toolName} used more memory than its limit${call ? ` of ${call.memoryMb} MB` : ''} and was stopped.`,
      {
        hint: 'Raise limits.memory_mb, or let the tool hold less at once.',
        // With several calls in one process nobody can tell whose memory it was.
        ...(isAlone ? {} : { retryable: true, details: { callsInProcess: call.running } }),
      },
    )
  }
  if (end.kind === 'exit' && call && (end.callId === call.id || (isAlone && (end.callId ?? 0) === 0))) {
    return new ToolError(
      'TOOL_EXITED',
      `${toolName} ended its process with code ${end.code} instead of returning.`,
      {
        hint: 'Return a value or throw an error; do not call Deno.exit.',
        details: { exitCode: end.code },
      },
    )
  }
  if (end.kind === 'disk' && isAlone) {
    return new ToolError(
      'TOOL_FAILED',
      `${toolName} keeps more than ${maxScratchMb} MB in its caches and was stopped.`,
      { hint: 'Keep less in caches and localStorage; they go with the process anyway.' },
    )
  }
  if (end.kind === 'broken' && isAlone) {
    return new ToolError(
      'TOOL_FAILED',
      `${toolName} misused the channel to its host (it ${end.detail}) and was stopped.`,
    )
  }
  const detail = end.kind === 'signal' ? ` (${end.detail})` : end.kind === 'exit' ? ` (exit ${end.code})` : ''
  return new ToolError('WORKER_LOST', `The process of ${toolName} ended under this call${detail}.`, {
    hint: isAlone
      ? 'Call again; if it happens every time, the tool crashes Deno.'
      : 'Another call in the same process ended it; call again.',
    retryable: true,
  })
}
