// A call on behalf of an MCP client: its progress, logs and cancellation, the question of approval where the client can
// put it to its user, and what a foreign server asks meanwhile.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { CallOptions } from '../../kernel/call.ts'
import type { QuestionMethod } from '../../runtimes/mcp/ask-caller.ts'
import { matchesTool } from '../../sandbox/tool-grants.ts'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import type { Outcome, Progress } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Desk } from './desk.ts'
import { logSender } from './send-logs.ts'

/** A request of a client that leads to a call. */
export interface ClientRequest {
  readonly desk: Desk
  readonly server: Server
  readonly context: ServerContext
}

/** The outcome, or what the client must answer first. */
export async function callForClient(
  { desk, server, context }: ClientRequest,
  tool: Tool,
  args: unknown,
): Promise<Outcome | InputRequiredResult> {
  const consent = consentOf(desk, server, tool, args, context)
  if (typeof consent !== 'string') return consent
  const onProgress = progressSender(context)
  const onLog = logSender(server, context, tool.id)
  return desk.crib.call(tool, args, {
    principal: desk.principal,
    signal: context.mcpReq.signal,
    approved: consent === 'given' ? true : undefined,
    refused: consent === 'refused' ? `the user of ${desk.principal.name}'s client` : undefined,
    onProgress,
    onLog,
    ...askers(server, context),
    ...traceOf(context),
  })
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
 * Questions of the older era are sent on the stream of the call itself, which is there whether or not the client
 * listens to another. A client is not asked what it did not state.
 */
function askers(server: Server, context: ServerContext): CallerAnswers {
  const { mcpReq } = context
  if (mcpReq.envelope !== undefined) return {}
  return answersOf(server.getClientCapabilities(), (method, params) =>
    mcpReq.send({ method, params: params as never }),
  )
}

/** The answers that a client with these capabilities can give. */
export function answersOf(
  capabilities: ClientCapabilities | undefined,
  ask: (method: QuestionMethod, params?: unknown) => Promise<unknown>,
): CallerAnswers {
  const { elicitation, sampling, roots } = capabilities ?? {}
  return {
    onElicit:
      elicitation && ((params: unknown) => ask('elicitation/create', params) as Promise<ElicitResult>),
    // One that names no mode can show forms, as all could before there were others.
    elicitModes: elicitation?.url ? (elicitation.form ? ['form', 'url'] : ['url']) : ['form'],
    onSample: sampling && ((params: unknown) => ask('sampling/createMessage', params)),
    onRoots: roots && (() => ask('roots/list')),
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
