// The store as a running tool sees it: only its owner's crumbs, and every write carries where it came from, so
// that tools which trigger each other are stopped.
import { randomUUID } from 'node:crypto'
import type { Call } from '../kernel/call.ts'
import type { Broker, BrokerRun, BrokerSession, RunRequest } from '../runtimes/deno/broker.ts'
import { defaultWorkspace, maxDepth } from '../store/crumb.ts'
import { isStoreFault } from '../store/store-error.ts'
import { isPlainObject, type JsonObject } from '../tool/json.ts'
import { defaultOwner } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'
import { ConfigCache } from './config-cache.ts'
import type { ResolvedConfig } from './configs.ts'
import { CrumbSession, type SessionParts } from './crumb-session.ts'

export interface BrokerParts extends SessionParts {
  readonly owner?: string
  readonly workspace?: string
}

export function crumbBroker(parts: BrokerParts): Broker {
  const configs = new ConfigCache(parts.crumbs.store)
  return {
    open(run) {
      try {
        const session = openSession(parts, configs, run)
        return session instanceof Promise ? session.catch(refuse) : session
      } catch (error) {
        return refuse(error)
      }
    },
  }
}

function refuse(error: unknown): never {
  // The tool has not begun: that its store is away is not its failure, and passes.
  if (!isStoreFault(error)) throw error
  throw new ToolError('UPSTREAM_FAILED', error.message, { retryable: true, hint: error.hint })
}

function openSession(
  parts: BrokerParts,
  configs: ConfigCache,
  run: BrokerRun,
): BrokerSession | Promise<BrokerSession> {
  const call = run.call as Call
  const owner = parts.owner ?? defaultOwner
  const workspace = parts.workspace ?? defaultWorkspace
  const cause = causeOf(call)
  if (cause.depth >= maxDepth)
    throw new ToolError(
      'LOOP_DEPTH',
      `${run.tool.id} was not run: ${cause.depth} runs lie between it and what began it.`,
      {
        hint: 'Break the circle in which tools call or trigger each other.',
      },
    )
  const { request, configId } = requestOf(run, call, workspace)
  const asker = firstOf(call).principal
  // What the crumbs of a run set off is bound by the list of whoever asked first, not by that of the tool (G16).
  const principal = {
    ...call.asPrincipal,
    tool: run.tool.id,
    allowedTools: asker.allowedTools,
    offer: asker.offer,
    owner,
    root: cause.root,
    depth: cause.depth + 1,
  }
  const sessionWith = ({ config, id }: ResolvedConfig): BrokerSession =>
    new CrumbSession(parts, { principal, asker }, workspace, withConfigId(request, id), config)
  const found = configs.resolve(run.tool, owner, configId)
  return found instanceof Promise ? found.then(sessionWith) : sessionWith(found)
}

/** The call that all others were made from. */
function firstOf(call: Call): Call {
  let first = call
  while (first.parent) first = first.parent
  return first
}

/** How deep a call is: what triggered it, or one deeper than the call it was made from. */
function causeOf(call: Call): { readonly depth: number; readonly root?: string } {
  const trigger = call.options.trigger
  const causation = isPlainObject(trigger) ? trigger['causation'] : undefined
  if (isPlainObject(causation) && typeof causation['depth'] === 'number')
    return { depth: causation['depth'], root: String(causation['root']) }
  if (trigger === undefined && call.parent) {
    const outer = causeOf(call.parent)
    return { ...outer, depth: outer.depth + 1 }
  }
  return { depth: 0 }
}

function requestOf(
  run: BrokerRun,
  call: Call,
  workspace: string,
): { readonly request: RunRequest; readonly configId: string | null } {
  const trigger = isPlainObject(call.options.trigger) ? (call.options.trigger as JsonObject) : null
  const input = isPlainObject(run.params) ? run.params : {}
  const context = trigger && isPlainObject(trigger['context']) ? trigger['context'] : {}
  const isRequest = trigger?.['schema_name'] === 'tool.request.v1'
  const asked = (isRequest ? context['config_id'] : undefined) ?? input['config_id']
  const configId = typeof asked === 'string' ? asked : null
  if (!trigger) {
    const event: JsonObject = {
      schema_name: 'tool.request.v1',
      tags: [workspace, 'tool:request'],
      timestamp: new Date(call.startedAt).toISOString(),
      context: { tool: run.tool.id, input: input as JsonObject },
    }
    const id = run.runId.startsWith('call-') ? run.runId : `call-${run.runId || randomUUID()}`
    return { request: { id, workspace, agentId: agentOf(call), trigger_event: event }, configId }
  }
  const isEvent = typeof trigger['breadcrumb_id'] === 'string'
  const agentId = isEvent ? String(trigger['created_by'] ?? '') : agentOf(call)
  return { request: { id: run.runId, workspace, agentId, trigger_event: trigger }, configId }
}

function agentOf(call: Call): string {
  return call.principal.name
}

/** Puts the id of the settings in force into the event, where a tool looks for it. */
function withConfigId(request: RunRequest, id: string | null): RunRequest {
  const event = request.trigger_event
  const context = isPlainObject(event['context']) ? (event['context'] as JsonObject) : {}
  if (id === null || context['config_id'] !== undefined) return request
  return { ...request, trigger_event: { ...event, context: { ...context, config_id: id } } }
}
