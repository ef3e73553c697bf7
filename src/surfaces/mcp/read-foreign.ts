// A prompt or resource of a foreign server, read for a client: a call like every other, and its result as the server
// gave it (U1). A failure is an error of the protocol.
import {
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ToolErrorData } from '../../tool/tool-error.ts'
import { type ClientRequest, callForClient } from './client-call.ts'
import { protocolFailureIn } from './protocol-failure.ts'
import { foreignMeta } from './tool-result.ts'

export async function readForeign<Result extends object>(
  request: ClientRequest,
  tool: Tool,
  params: unknown,
): Promise<Result | InputRequiredResult> {
  const outcome = await callForClient(request, tool, params)
  if (isInputRequiredResult(outcome)) return outcome
  if (!outcome.ok) throw protocolError(outcome.error)
  const { _meta, ...result } = outcome.value as Result & { _meta?: unknown }
  return isPlainObject(_meta) ? ({ ...result, _meta: foreignMeta(_meta) } as Result) : (result as Result)
}

/** An error that the server gave as one of the protocol stays that. */
function protocolError(error: ToolErrorData): ProtocolError {
  const { code, message, hint } = error
  const failure = protocolFailureIn(error)
  if (failure) return new ProtocolError(failure.code, failure.message, failure.data)
  const isOfParams = code === 'PARAMS_INVALID'
  return new ProtocolError(
    isOfParams ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    hint ? `${message} ${hint}` : message,
    error,
  )
}
