// What happened: the runs a surface can show. The run log of the store keeps them.

import type { Call } from '../kernel/call.ts'
import type { RunTrigger } from '../store/run-record.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Static } from '../tool/shape.ts'
import type { runDetailShape, runShape } from './run-shape.ts'

export interface RunSummary extends Static<typeof runShape> {}

export interface RunDetail extends Static<typeof runDetailShape> {}

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
