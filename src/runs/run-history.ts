// What happened: the runs a surface can show. The run log of the store keeps them.

import type { Call } from '../kernel/call.ts'
import type { RunTrigger } from '../store/run-record.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import type { Cost, Enforcement, LogLine, Outcome, Span } from '../tool/outcome.ts'

export interface RunSummary {
  readonly runId: string
  readonly tool: string
  readonly format: string
  readonly caller: string
  readonly surface: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly ms: number
  /** A run in progress has `state` and no `ok`. */
  readonly state?: 'running'
  readonly ok?: boolean
  readonly errorCode?: string
  readonly cost?: Cost
  readonly enforcement: Enforcement
  /** The run this one was called from. */
  readonly parent?: string
  readonly trigger?: RunTrigger
}

export interface RunDetail extends RunSummary {
  /** As recorded: their shape, or the values when `audit.params` is `full`. */
  readonly params: Json
  /** True when `params` are the values: the run can be repeated. */
  readonly isInFull?: boolean
  readonly outcome?: Outcome
  readonly logs: readonly LogLine[]
  readonly spans: readonly Span[]
}

export interface RunQuery {
  readonly limit: number
  readonly tool?: string
  /** Only runs of this caller. */
  readonly caller?: string
  readonly ok?: boolean
  readonly surface?: string
  /** RFC 3339: only runs that began then or later. */
  readonly since?: string
  /** Where a former page ended. */
  readonly cursor?: string
}

export interface RunPage {
  readonly runs: readonly RunSummary[]
  /** Where to go on, when there is more. */
  readonly next?: string
}

export interface RunHistory {
  /** Finished runs, latest first. */
  list(query: RunQuery): Promise<RunPage>
  find(runId: string): Promise<RunDetail | undefined>
}

/** A call in progress as a run. */
export function runningRun(call: Call): RunSummary {
  return { ...identityOf(call), state: 'running' }
}

function identityOf(call: Call): RunSummary {
  return {
    runId: call.id,
    tool: call.tool.id,
    format: call.tool.format,
    caller: call.principal.tool ?? call.principal.name,
    surface: call.principal.surface,
    startedAt: new Date(call.startedAt).toISOString(),
    ms: Math.round(call.elapsedMs() * 1000) / 1000,
    enforcement: call.enforcement,
    ...lineageOf(call),
  }
}

/** Where a call came from: the run it was made in, the event that triggered it. */
export function lineageOf(call: Call): Pick<RunSummary, 'parent' | 'trigger'> {
  const { trigger } = call.options
  return {
    ...(call.parent ? { parent: call.parent.id } : {}),
    ...(isPlainObject(trigger) ? { trigger: triggerOf(trigger) } : {}),
  }
}

function triggerOf(trigger: { readonly [key: string]: unknown }): RunTrigger {
  const { schema_name: schema, id, breadcrumb_id: crumb } = trigger
  return {
    schema: typeof schema === 'string' ? schema : '',
    ...(typeof crumb === 'string' ? { event: String(id), crumb } : {}),
  }
}
