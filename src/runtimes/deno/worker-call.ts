// A call as its worker sees it: what it is given, and what it wants to hear.
import type { Json, JsonObject } from '../../tool/json.ts'
import type { Progress } from '../../tool/outcome.ts'
import type { ToolError } from '../../tool/tool-error.ts'
import type { ApiAnswer } from './api.ts'
import type { CallLog } from './call-log.ts'
import type { WorkerMessage } from './messages.ts'

/** What a call wants to hear from its worker. Exactly one of `done` and `failed` is called, once. */
export interface CallListener {
  readonly log: CallLog
  progress(progress: Progress): void
  done(message: Extract<WorkerMessage, { t: 'result' | 'too-large' | 'unjson' | 'error' }>): void
  failed(error: ToolError): void
  api(op: string, args: readonly Json[]): Promise<ApiAnswer>
}

export interface CallStart {
  readonly input: unknown
  readonly secrets: { readonly [name: string]: string }
  readonly config: JsonObject
  readonly request: object
}
