// What happened: the runs a surface can show. The run log of the store keeps them.
import type { Json } from '../tool/json.ts'
import type { Cost, Enforcement, LogLine, Outcome, Span } from '../tool/outcome.ts'
import type { Call } from './call.ts'

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
}

export interface RunDetail extends RunSummary {
  /** As recorded: their shape, or the values when `audit.params` is `full`. */
  readonly params: Json
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
}

export interface RunHistory {
  /** Finished runs, latest first. */
  list(query: RunQuery): readonly RunSummary[] | Promise<readonly RunSummary[]>
  find(runId: string): RunDetail | undefined | Promise<RunDetail | undefined>
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
    caller: call.caller.tool ?? call.caller.name ?? call.caller.surface,
    surface: call.caller.surface,
    startedAt: new Date(call.startedAt).toISOString(),
    ms: Math.round(call.elapsedMs() * 1000) / 1000,
    enforcement: call.enforcement,
  }
}
