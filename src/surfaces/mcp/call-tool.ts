// tools/call: the tool a client means, called for it, and its outcome as a result.
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { nearNames } from '../../tool/near-names.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, type ToolErrorData } from '../../tool/tool-error.ts'
import { callForClient } from './client-call.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { lackingIn, pagesWantedIn } from './protocol-failure.ts'
import { isTaskCall, startTask } from './serve-tasks.ts'
import { errorResult, toolResult } from './tool-result.ts'

export async function callTool(
  clientCatalog: ClientCatalog,
  server: Server,
  params: { readonly name: string; readonly arguments?: unknown; readonly task?: unknown },
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { name, arguments: args } = params
  const tool = await clientCatalog.resolve(name)
  if (!tool) {
    clientCatalog.noteHidden(name)
    const { code, message, hint, details, ...more } = await missingTool(clientCatalog, name)
    if (code !== 'TOOL_NOT_FOUND') return errorResult({ code, message, hint, details, ...more }, false)
    const said = hint ? `${message} ${hint}` : message
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, said, { code, ...(details as object) })
  }
  const request = { clientCatalog, server, context }
  if (isTaskCall(request, tool, params)) return startTask(request, tool, args)
  return callResolved(clientCatalog, server, tool, args, context)
}

/** Calls a tool that was found for the client's principal. */
export async function callResolved(
  clientCatalog: ClientCatalog,
  server: Server,
  tool: Tool,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const outcome = await callForClient({ clientCatalog, server, context }, tool, args)
  if (isInputRequiredResult(outcome)) return outcome
  const failure = outcome.ok
    ? undefined
    : context.mcpReq.envelope === undefined
      ? pagesWantedIn(outcome.error, server.getClientCapabilities())
      : lackingIn(outcome.error)
  if (failure) throw new ProtocolError(failure.code, failure.message, failure.data)
  return server.projectCallToolResult(
    toolResult(clientCatalog.crib, tool, outcome),
    tool.returns ?? undefined,
  )
}

/** A tool that is not there for this identity, with near names; AUTH_REQUIRED where its server waits for a log-in. */
export async function missingTool(clientCatalog: ClientCatalog, name: string): Promise<ToolErrorData> {
  const login = await clientCatalog.loginFor(name)
  if (login) return errorData(login)
  const near = nearNames(
    name,
    clientCatalog.tools.map((tool) => tool.name),
  )
  return {
    code: 'TOOL_NOT_FOUND',
    message: `There is no tool "${name}".`,
    hint: near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : undefined,
    details: { near },
    retryable: false,
  }
}
