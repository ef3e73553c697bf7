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
import { callForClient } from './client-call.ts'
import type { Desk } from './desk.ts'
import { toolResult } from './tool-result.ts'

export async function callTool(
  desk: Desk,
  server: Server,
  name: string,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = await desk.resolve(name)
  if (!tool) {
    desk.noteHidden(name)
    const { message, hint, details } = missingTool(desk, name)
    const said = hint ? `${message} ${hint}` : message
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, said, { code: 'TOOL_NOT_FOUND', ...details })
  }
  return callResolved(desk, server, tool, args, context)
}

/** Calls a tool that was found for the desk's identity. */
export async function callResolved(
  desk: Desk,
  server: Server,
  tool: Tool,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const outcome = await callForClient({ desk, server, context }, tool, args)
  if (isInputRequiredResult(outcome)) return outcome
  return server.projectCallToolResult(toolResult(desk.crib, tool, outcome), tool.returns ?? undefined)
}

/** A tool that is not there for this identity, with near names. */
export function missingTool(desk: Desk, name: string) {
  const near = nearNames(
    name,
    desk.tools.map((tool) => tool.name),
  )
  return {
    code: 'TOOL_NOT_FOUND',
    message: `There is no tool "${name}".`,
    hint: near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : undefined,
    details: { near },
    retryable: false,
  }
}
