// What happened: the runs a surface can show. This one remembers the latest in memory; a store that keeps
// them for good implements the same interface.
import type { Json } from '../tool/json.ts'
import type { Cost, Enforcement, LogLine, Outcome, Span } from '../tool/outcome.ts'
import type { Call } from './call.ts'
import { outcomeOf } from './kernel.ts'
import { shapeOf } from './shape-of.ts'

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

const maxLogs = 500

/** The latest runs, in memory. */
export class RecentRuns implements RunHistory {
  readonly #most: number
  readonly #runs = new Map<string, RunDetail>()

  constructor(most = 1_000) {
    this.#most = most
  }

  add(call: Call, params: 'shape' | 'full'): void {
    if (call.isDryRun) return
    if (this.#runs.size >= this.#most) this.#runs.delete(this.#runs.keys().next().value!)
    this.#runs.set(call.id, finishedRun(call, params))
  }

  list(query: RunQuery): RunSummary[] {
    const found: RunSummary[] = []
    for (const run of [...this.#runs.values()].reverse()) {
      if (found.length >= query.limit) break
      if (query.tool !== undefined && run.tool !== query.tool) continue
      if (query.caller !== undefined && run.caller !== query.caller) continue
      if (query.ok !== undefined && run.ok !== query.ok) continue
      found.push(summaryOf(run))
    }
    return found
  }

  find(runId: string): RunDetail | undefined {
    return this.#runs.get(runId)
  }
}

/** A call in progress as a run. */
export function runningRun(call: Call): RunSummary {
  return { ...identityOf(call), state: 'running' }
}

function finishedRun(call: Call, params: 'shape' | 'full'): RunDetail {
  const outcome = outcomeOf(call)
  const logs = call.logs.length > maxLogs ? call.logs.slice(0, maxLogs) : call.logs
  return {
    ...identityOf(call),
    ok: outcome.ok,
    ...(outcome.ok ? {} : { errorCode: outcome.error.code }),
    ...(outcome.cost ? { cost: outcome.cost } : {}),
    params: params === 'full' ? ((call.args ?? null) as Json) : shapeOf(call.args),
    outcome: { ...(params === 'full' ? outcome : withoutValue(outcome)), logs },
    logs,
    spans: call.spans,
  }
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

/** A result may hold what must not be kept; its shape tells enough. */
function withoutValue(outcome: Outcome): Outcome {
  return outcome.value === undefined ? outcome : { ...outcome, value: shapeOf(outcome.value) }
}

function summaryOf(run: RunDetail): RunSummary {
  const { params, outcome, logs, spans, ...summary } = run
  return summary
}
