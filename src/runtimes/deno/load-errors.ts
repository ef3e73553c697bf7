// Why a tool could not be loaded into Deno.
import { ToolError } from '../../tool/tool-error.ts'
import type { WorkerEnd } from '../../workers/worker-end.ts'
import { readableStack } from './readable-stack.ts'
import { whyLost } from './worker-end.ts'

export function loadTimeout(toolName: string, afterMs: number): ToolError {
  return new ToolError('LOAD_TIMEOUT', `${toolName} did not load within ${afterMs} ms.`, {
    hint: 'Move slow work from the top level of the module into execute.',
  })
}

export function loadFailed(message: string, stack: string, toolName: string): ToolError {
  return new ToolError(
    'LOAD_FAILED',
    `${toolName} could not be loaded: ${readableStack(message, toolName)}`,
    {
      details: { stack: readableStack(stack, toolName) },
    },
  )
}

export function endedWhileLoading(end: WorkerEnd, toolName: string): ToolError {
  if (end.kind === 'exit' && end.callId !== null)
    return new ToolError(
      'LOAD_FAILED',
      `${toolName} ended the process with code ${end.code} while it was loaded.`,
    )
  return whyLost(end, toolName)
}
