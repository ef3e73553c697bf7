// What the store refused, as the command line tells it: the store's own code, and an exit code from its status.
import type { CrumbError } from '../../store/crumb-error.ts'
import type { Json } from '../../tool/json.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'

const byStatus: Record<number, number> = { 403: 5, 404: 3, 409: 1, 412: 1, 503: 7 }

export function crumbFailure(error: CrumbError): { readonly data: ToolErrorData; readonly exitCode: number } {
  return {
    data: {
      code: error.code,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.errors === undefined ? {} : { details: error.errors as Json }),
      retryable: error.status === 503,
    },
    exitCode: byStatus[error.status] ?? 4,
  }
}
