// A finished call as a record: who, what, how it ended. Secrets are taken out, arguments and results go in by
// shape unless the configuration wants them in full. Nobody waits for the text of a record, so it is written later,
// together with others; what whoever has the outcome could change meanwhile is copied at once.
import type { Call } from '../kernel/call.ts'
import { type RunEntry, type RunRow, rowOf } from '../store/run-record.ts'
import { familyOf } from '../tool/error-codes.ts'
import type { Json } from '../tool/json.ts'
import type { LogLine, Span } from '../tool/outcome.ts'
import type { Principal } from '../tool/principal.ts'
import { nothingToScrub, type Scrubber } from '../tool/scrub.ts'
import { errorData, type ToolErrorData } from '../tool/tool-error.ts'
import { endOf, lineageOf } from './run-history.ts'
import { shapeOf } from './shape-of.ts'

const maxLogLines = 200
const maxLineLength = 2_000
const maxFullLength = 262_144

/** A finished call, and what must be kept of it as it was when it ended. */
export interface EndedCall {
  readonly call: Call
  readonly kind: 'run' | 'deny'
  readonly error: ToolErrorData | null
  readonly detail: 'shape' | 'full'
  readonly params: Json
  readonly value: Json
  readonly meta: { readonly [key: string]: Json } | undefined
  readonly startedAt: number
  readonly logs: readonly LogLine[]
  readonly spans: readonly Span[]
}

export function endedCall(call: Call, detail: 'shape' | 'full'): EndedCall {
  const { scrubber, logs, spans, meta, state } = call
  const error = state.error === undefined ? null : scrubber.value(errorData(state.error))
  return {
    call,
    kind: error !== null && familyOf(error.code) === 'denied' ? 'deny' : 'run',
    error,
    detail,
    params: kept(call.args, scrubber, detail),
    value: error === null ? kept(state.result, scrubber, detail) : null,
    meta: meta && JSON.parse(JSON.stringify(scrubber.value(meta))),
    startedAt: call.startedAt,
    logs: logs.slice(-maxLogLines),
    spans: spans.slice(),
  }
}

export function rowOfCall({ call, kind, error, detail, logs, spans, ...ended }: EndedCall): RunRow {
  const { id, tool, principal, scrubber } = call
  const entry: RunEntry = {
    kind,
    runId: id,
    tool: tool.id,
    format: tool.format,
    toolVersion: tool.version || undefined,
    toolDigest: tool.source.digest || undefined,
    ...whoOf(principal),
    startedAt: new Date(ended.startedAt).toISOString(),
    ms: round(call.elapsedMs()),
    ok: error === null,
    enforcement: call.enforcement,
    effects: call.effects?.changeSet === undefined ? undefined : call.effects,
    params: ended.params,
    outcome: error
      ? { ok: false, error: { code: error.code, message: error.message, retryable: error.retryable } }
      : { ok: true, value: ended.value },
    spans: spans.map(({ name, startMs, endMs }) => ({ name, startMs: round(startMs), endMs: round(endMs) })),
    errorCode: error?.code,
    cost: call.cost,
    isInFull: detail === 'full' || undefined,
    logs: logs.length > 0 ? logs.map((line) => keptLine(line, scrubber)) : undefined,
    meta: ended.meta,
    reason: call.isDryRun ? 'dry run' : undefined,
    ...endOf(call, error === null),
    ...lineageOf(call),
  }
  return rowOf(entry)
}

/** Who asked; of a call that a tool makes also who is behind it. */
export function whoOf({ surface, tool, name }: Principal): Pick<RunEntry, 'caller' | 'surface' | 'user'> {
  return tool === undefined ? { caller: name, surface } : { caller: tool, surface, user: name }
}

/** What is recorded of arguments and results. A shape has no values, but names of members can carry one too. */
function kept(value: unknown, scrubber: Scrubber, detail: 'shape' | 'full'): Json {
  try {
    const plain = detail === 'full' ? bounded(value) : shapeOf(value)
    return scrubber === nothingToScrub ? plain : scrubber.value(plain)
  } catch {
    // Members that throw when they are read must not keep a run out of the record.
    return '[not JSON]'
  }
}

/** A copy, as far as it is not huge. */
function bounded(value: unknown): Json {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > maxFullLength ? `[${text.length} characters, not recorded]` : JSON.parse(text)
}

function keptLine({ level, message, atMs }: LogLine, scrubber: Scrubber): Json {
  return { level, message: scrubber.text(message).slice(0, maxLineLength), atMs }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
