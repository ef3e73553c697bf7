// tools/call: the desk's tool, the client's progress and cancellation, and the question of approval where the
// client can put it to its user.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { CallOptions } from '../../kernel/call.ts'
import { matchesTool } from '../../sandbox/tool-grants.ts'
import { nearNames } from '../../tool/near-names.ts'
import type { Progress } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Desk } from './desk.ts'
import { logSender } from './send-logs.ts'
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
  const consent = consentOf(desk, server, tool, args, context)
  if (typeof consent !== 'string') return consent
  const onProgress = progressSender(context)
  const onLog = logSender(server, context, tool.id)
  const outcome = await desk.crib.call(tool, args, {
    principal: desk.principal,
    signal: context.mcpReq.signal,
    approved: consent === 'given' ? true : undefined,
    refused: consent === 'refused' ? `the user of ${desk.principal.name}'s client` : undefined,
    onProgress,
    onLog,
    ...askers(server, context),
    ...traceOf(context),
  })
  return server.projectCallToolResult(toolResult(desk.crib, tool, outcome), tool.returns ?? undefined)
}

/**
 * The operator's own client may ask its user; anybody else's calls wait in the queue for the operator, because
 * a client must not approve itself.
 */
function consentOf(
  desk: Desk,
  server: Server,
  tool: Tool,
  args: unknown,
  context: ServerContext,
): 'none' | 'given' | 'refused' | InputRequiredResult {
  if (!desk.principal.isAdmin || !desk.crib.config.approve.some((pattern) => matchesTool(pattern, tool)))
    return 'none'
  if (!canElicit(server, context)) return 'none'
  const subject = { tool: tool.id, params: args ?? {}, principal: desk.principal }
  const answer = inputResponse(context.mcpReq.inputResponses, 'approve')
  // An answer counts for the question that was asked: these arguments, this client, once (G25).
  const isAsked =
    answer.kind !== 'missing' && desk.crib.approvals.redeem(context.mcpReq.requestState(), subject)
  if (!isAsked)
    return inputRequired({
      requestState: desk.crib.approvals.issue(subject),
      inputRequests: {
        approve: inputRequired.elicit({
          message: `Let ${tool.id} run with ${JSON.stringify(args ?? {})}?`,
          requestedSchema: {
            type: 'object',
            properties: { approve: { type: 'boolean', title: 'Approve', description: `Run ${tool.id}` } },
            required: ['approve'],
          },
        }),
      },
    })
  const isGiven = acceptedContent(context.mcpReq.inputResponses, 'approve')?.['approve'] === true
  return isGiven ? 'given' : 'refused'
}

/**
 * Questions in the middle of a call are a thing of the older era; the newer one has no way for them. They are
 * sent on the stream of the call itself, which is there whether or not the client listens to another.
 */
function askers(server: Server, context: ServerContext): Pick<CallOptions, 'onElicit' | 'onSample'> {
  const { mcpReq } = context
  if (mcpReq.envelope !== undefined) return {}
  const capabilities = server.getClientCapabilities()
  return {
    onElicit: capabilities?.elicitation
      ? (params: never) => mcpReq.send({ method: 'elicitation/create', params })
      : undefined,
    onSample: capabilities?.sampling
      ? (params: never) => mcpReq.send({ method: 'sampling/createMessage', params })
      : undefined,
  }
}

function canElicit(server: Server, context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  return (declared as ClientCapabilities | undefined)?.elicitation !== undefined
}

/** The trace the client's request belongs to, as it says. */
function traceOf(context: ServerContext): Pick<CallOptions, 'traceparent'> {
  const traceparent = context.mcpReq._meta?.['traceparent'] ?? context.http?.req?.headers.get('traceparent')
  return typeof traceparent === 'string' ? { traceparent } : {}
}

/** Sends progress when the client asked for it; values that do not grow are left out, as the protocol wants. */
function progressSender(context: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = context.mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = Number.NEGATIVE_INFINITY
  return ({ done, total, message }) => {
    if (!(done > last)) return
    last = done
    context.mcpReq
      .notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress: done,
          total,
          message,
        },
      })
      .catch(() => {})
  }
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
