// Whether a call was ended by somebody or something else, and not by itself (E10).
import type { Call } from '../../kernel/call.ts'
import { isToolError } from '../../tool/tool-error.ts'

const stopCodes = new Set([
  'TIMEOUT',
  'CANCELLED',
  'MEMORY_LIMIT',
  'OUTPUT_TOO_LARGE',
  'WORKER_LOST',
  'HALTED',
])

export function isStopped(call: Call, error: unknown): boolean {
  return call.isAborted || (isToolError(error) && stopCodes.has(error.code))
}
