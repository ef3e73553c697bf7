// What the end of a worker means for each call that was in it.
import { ToolError } from '../../tool/tool-error.ts'
import { describeExit } from '../../workers/exit.ts'
import type { WorkerEnd } from '../../workers/worker-end.ts'
import { maxScratchMb } from './scratch-watch.ts'

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
        hint: 'Raise context.limits.memory_mb of the tool, or let the tool hold less at once.',
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
  const detail =
    end.kind === 'signal'
      ? ` (it ${describeExit(end.exit)})`
      : end.kind === 'exit'
        ? ` (exit ${end.code})`
        : ''
  return new ToolError('WORKER_LOST', `The process of ${toolName} ended under this call${detail}.`, {
    hint: isAlone
      ? 'Call again; if it happens every time, the tool crashes Deno.'
      : 'Another call in the same process ended it; call again.',
    retryable: true,
  })
}
