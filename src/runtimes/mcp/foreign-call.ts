// One call to a foreign server, and what it is asked with in each era.
import { CLIENT_CAPABILITIES_META_KEY, type Client, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client'
import type { Progress } from '../../tool/outcome.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import type { Caller } from './ask-caller.ts'
import type { lineOf } from './foreign-log.ts'
import { knowsTasks } from './foreign-task.ts'
import type { ForeignRequest } from './raw-result.ts'

export interface ForeignCall {
  readonly request: ForeignRequest
  /** Its input schema, where that says which arguments are sent as headers too. */
  readonly params?: JsonSchema | null
  readonly signal: AbortSignal
  readonly timeoutMs: number
  progress?(progress: Progress): void
  /** Takes what the server logs meanwhile; absent: nobody asked for that. */
  log?(line: ReturnType<typeof lineOf>): void
  /** The least important messages it takes. */
  readonly logLevel: string
  /** Whoever made the call, for what the server asks meanwhile. */
  readonly caller: Caller
  /** It is to be a task of the server, where that has tasks. */
  readonly isTask?: boolean
}

/** A request of the newer era says what its client can be asked, and which log messages it wants. */
export function withEnvelope({ request, caller, log, logLevel }: ForeignCall): ForeignRequest {
  const _meta = {
    [CLIENT_CAPABILITIES_META_KEY]: { ...caller.capabilities, ...knowsTasks },
    ...(log && { [LOG_LEVEL_META_KEY]: logLevel }),
  }
  return { ...request, params: { ...request.params, _meta } }
}

/** A server of 2025-11-25 is asked for a task; one that has none gets a plain call. */
export function asTask({ request, isTask }: ForeignCall, client: Client): ForeignRequest {
  const hasTasks = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined
  return isTask && hasTasks ? { ...request, params: { ...request.params, task: {} } } : request
}
