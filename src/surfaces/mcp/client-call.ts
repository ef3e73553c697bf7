// A call on behalf of an MCP client: its progress, logs and cancellation, the question of approval where the client can
// put it to its user, and what a foreign server asks meanwhile. Questions of the older era go out on the stream of the
// call itself, those of the newer one in the answer to its request. A client is not asked what it did not state (U2).
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { CallCribOptions } from '../../crib/crib.ts'
import { asksApproval } from '../../guards/checks/approve.ts'
import type { CallOptions } from '../../kernel/call.ts'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import type { Outcome, Progress } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import { askHeld } from './ask-held.ts'
import { AskedCall, type Round, type Start } from './asked-call.ts'
import { answersOf, answersWhileRunning, canBeAsked } from './client-answers.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { logSender, wantedIn } from './send-logs.ts'
import { isSealed, refusedState, type Subject, waitingCallsOf } from './waiting-calls.ts'

/** A request of a client that leads to a call. */
export interface ClientRequest {
  readonly clientCatalog: ClientCatalog
  readonly server: Server
  readonly context: ServerContext
}

/** The outcome, or what the client must answer first. */
export async function callForClient(
  { clientCatalog, server, context }: ClientRequest,
  tool: Tool,
  args: unknown,
): Promise<Outcome | InputRequiredResult> {
  const { mcpReq } = context
  const subject = { principal: clientCatalog.principal, tool: tool.id, args }
  const round = {
    signal: mcpReq.signal,
    onProgress: progressSender(context),
    onLog: logSender(server, context, tool.id),
  }
  const state = stateOf(context)
  if (state !== undefined && isSealed(state)) return goOn<Outcome>({ clientCatalog, context }, subject, round)
  const consent = consentOf(clientCatalog, server, tool, args, context)
  if (typeof consent !== 'string') return consent
  // A state that no question of ours came with: it is somebody else's, or was changed.
  if (state !== undefined && consent === 'none') throw refusedState()
  const options: CallCribOptions = {
    principal: clientCatalog.principal,
    approved: consent === 'given' ? true : undefined,
    refused: consent === 'refused' ? `the user of ${clientCatalog.principal.name}'s client` : undefined,
    session: clientCatalog.session,
    effects: effectsAsked(mcpReq._meta),
    logLevel: wantedIn(server, context),
    ...traceOf(context),
  }
  const run = async (given: CallCribOptions) =>
    askHeld(
      clientCatalog,
      await clientCatalog.crib.call(tool, args, { ...options, ...given }),
      given.onElicit,
    )
  const capabilities = capabilitiesOf(server, context)
  if (mcpReq.envelope === undefined) {
    const over = new AbortController()
    const signal = AbortSignal.any([mcpReq.signal, over.signal])
    const answers = answersWhileRunning(server, mcpReq.send, signal)
    return run({ ...round, ...answers }).finally(() => over.abort())
  }
  if (!canBeAsked(capabilities)) return run(round)
  const start: Start<Outcome> = (given, ask) => run({ ...given, ...answersOf(capabilities, ask) })
  return begin({ clientCatalog, context }, subject, round, start)
}

/** What a program that embeds Toolcrib gives a client, which it may ask meanwhile. `what` names it. */
export async function giveToClient<Result extends object>(
  request: ClientRequest,
  what: { readonly tool: string; readonly args: unknown },
  give: (asks: CallerAnswers) => Result | Promise<Result>,
): Promise<Result | InputRequiredResult> {
  const { clientCatalog, server, context } = request
  const { mcpReq } = context
  const capabilities = capabilitiesOf(server, context)
  if (mcpReq.envelope === undefined) return give(answersWhileRunning(server, mcpReq.send, mcpReq.signal))
  const subject = { principal: clientCatalog.principal, ...what }
  const state = stateOf(context)
  if (state !== undefined && isSealed(state)) return goOn<Result>(request, subject, {})
  return begin(request, subject, {}, async (_given, ask) => give(answersOf(capabilities, ask)))
}

type AskedRequest = Pick<ClientRequest, 'clientCatalog' | 'context'>

/** Begins work that a client of the newer era may be asked in the middle of. */
async function begin<Result extends object>(
  request: AskedRequest,
  subject: Subject,
  round: Round,
  start: Start<Result>,
): Promise<Result | InputRequiredResult> {
  const call = new AskedCall(start, round, request.context.mcpReq.inputResponses ?? {})
  return nextOf(request, call, subject, round)
}

/** Goes on where the work waits that a client comes back for. */
async function goOn<Result extends object>(
  request: AskedRequest,
  subject: Subject,
  round: Round,
): Promise<Result | InputRequiredResult> {
  const { clientCatalog, context } = request
  // What the state is sealed with says that this is the call of the same request.
  const call = waitingCallsOf(clientCatalog.crib).take(stateOf(context)!, subject) as AskedCall<Result>
  call.answer(context.mcpReq.inputResponses ?? {})
  return nextOf(request, call, subject, round)
}

async function nextOf<Result extends object>(
  { clientCatalog }: AskedRequest,
  call: AskedCall<Result>,
  subject: Subject,
  round: Round,
): Promise<Result | InputRequiredResult> {
  const next = await call.next(round)
  return 'questions' in next
    ? waitingCallsOf(clientCatalog.crib).keep(call, next.questions as InputRequests, subject)
    : next
}

/** What a client of the newer era comes back with. */
function stateOf({ mcpReq }: ServerContext): string | undefined {
  const state = mcpReq.envelope === undefined ? undefined : mcpReq.requestState()
  return typeof state === 'string' ? state : undefined
}

/** What a client may ask for on top of the settings: to see what a call would change, or to decide about it first. */
function effectsAsked(meta: { readonly [key: string]: unknown } | undefined): CallOptions['effects'] {
  const asked = meta?.['toolcrib/effects']
  return asked === 'hold' || asked === 'discard' ? asked : undefined
}

/**
 * The operator's own client may ask its user; anybody else's calls wait in the queue for the operator, because
 * a client must not approve itself.
 */
function consentOf(
  clientCatalog: ClientCatalog,
  server: Server,
  tool: Tool,
  args: unknown,
  context: ServerContext,
): 'none' | 'given' | 'refused' | InputRequiredResult {
  if (!clientCatalog.principal.isAdmin || asksApproval(tool, clientCatalog.crib.config) === undefined)
    return 'none'
  if (!capabilitiesOf(server, context).elicitation) return 'none'
  const subject = { tool: tool.id, params: args ?? {}, principal: clientCatalog.principal }
  const answer = inputResponse(context.mcpReq.inputResponses, 'approve')
  // An answer counts for the question that was asked: these arguments, this client, once (G25).
  const isAsked =
    answer.kind !== 'missing' && clientCatalog.crib.approvals.redeem(context.mcpReq.requestState(), subject)
  if (!isAsked)
    return inputRequired({
      requestState: clientCatalog.crib.approvals.issue(subject),
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

/** What the client states: in each request in the newer era, once in the older one. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  const stated = envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()
  return (stated as ClientCapabilities | undefined) ?? {}
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
