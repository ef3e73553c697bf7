// What happened: the runs a surface can show. The run log of the store keeps them.

import type { Call } from '../kernel/call.ts'
import type { RunFilter, RunTrigger, StatsQuery } from '../store/run-record.ts'
import type { RunStats } from '../store/run-stats.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import type { Outcome, Progress } from '../tool/outcome.ts'
import type { Static } from '../tool/shape.ts'
import type { guardShape, runDetailShape, runShape } from './run-shape.ts'

/** Letters of what a tool says of its progress. */
const maxMessage = 500

export interface RunSummary extends Static<typeof runShape> {}

export interface RunGuard extends Static<typeof guardShape> {}

export interface RunDetail extends Static<typeof runDetailShape> {}

export interface RunQuery extends Omit<RunFilter, 'kinds'> {
  readonly limit: number
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
  /** `isWhole`: by the whole id alone, not by a beginning of it. */
  find(runId: string, isWhole?: boolean): Promise<RunDetail | undefined>
  /** Figures of all finished runs that match. */
  stats(query: Omit<StatsQuery, 'kinds'>): Promise<RunStats>
}

/** A call in progress as a run. */
export function runningRun(call: Call): RunSummary {
  return { ...identityOf(call), state: 'running' }
}

/** A call in progress with all that is known of it so far. Its arguments are shown as they are: it still has them. */
export function runningDetail(call: Call): RunDetail {
  return {
    ...runningRun(call),
    params: call.scrubber.value(call.args as Json),
    isInFull: true,
    logs: call.logs,
    spans: call.spans,
    guards: guardsOf(call),
    text: call.said === '' ? undefined : call.said,
  }
}

/** A call that is over, with all that is known of it. */
export function endedDetail(call: Call, outcome: Outcome): RunDetail {
  const { state: _, ...run } = runningDetail(call)
  return {
    ...run,
    ok: outcome.ok,
    outcome,
    errorCode: outcome.ok ? undefined : outcome.error.code,
    cost: call.cost,
    ...endOf(call, outcome.ok),
  }
}

/** Where a call had come to when it failed, and whether it was a check that said no: then the tool never began. */
export function endOf({ chain, cursor }: Call, isOk: boolean): Pick<RunSummary, 'stoppedAt' | 'isRefused'> {
  const stop = isOk ? undefined : chain[cursor]
  return { stoppedAt: stop?.name, isRefused: stop?.kind === 'check' || undefined }
}

/** The way of a call through its chain, up to where it is now. */
export function guardsOf({ chain, cursor, error }: Call): RunGuard[] {
  return chain.flatMap(({ name, kind }, index) => {
    if (kind === 'stage') return []
    const reached = index < cursor ? 'passed' : error === undefined ? 'now' : 'stopped'
    return { name, kind, state: index > cursor ? 'ahead' : reached }
  })
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
    progress: progressOf(call),
    ...lineageOf(call),
  }
}

/** How far it is. A tool may say so at any length; its beginning is enough. */
function progressOf({ lastProgress }: Call): Progress | undefined {
  return lastProgress && { ...lastProgress, message: lastProgress.message?.slice(0, maxMessage) }
}

/** Where a call came from: the run it was made in, the event that triggered it. */
export function lineageOf(call: Call): Pick<RunSummary, 'parent' | 'trigger'> {
  const { trigger } = call.options
  return {
    parent: call.parent?.id,
    trigger: isPlainObject(trigger) ? triggerOf(trigger) : undefined,
  }
}

function triggerOf(trigger: { readonly [key: string]: unknown }): RunTrigger {
  const { schema_name: schema, id, breadcrumb_id: crumb } = trigger
  return {
    schema: typeof schema === 'string' ? schema : '',
    ...(typeof crumb === 'string' ? { event: String(id), crumb } : {}),
  }
}
