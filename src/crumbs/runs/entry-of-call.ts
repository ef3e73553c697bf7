// A finished call as a record: who, what, how it ended. Secrets are taken out, arguments and results go in by
// shape unless the configuration wants them in full.
import type { Call } from '../../kernel/call.ts'
import { familyOf } from '../../tool/error-codes.ts'
import type { Json } from '../../tool/json.ts'
import { makeScrubber } from '../../tool/scrub.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { RunEntry } from './run-record.ts'
import { shapeOf } from './shape-of.ts'

const maxLogLines = 200
const maxLineLength = 2_000
const maxFullLength = 262_144

export function entryOfCall(call: Call, detail: 'shape' | 'full'): RunEntry {
  const scrub = makeScrubber(call.secrets)
  const keep = (value: unknown): Json => (detail === 'full' ? bounded(scrub.value(value)) : shapeOf(value))
  const error = call.error === undefined ? null : scrub.value(errorData(call.error))
  const isDenied = error !== null && familyOf(error.code) === 'denied'
  return {
    kind: isDenied ? 'deny' : 'run',
    runId: call.id,
    tool: call.tool.id,
    format: call.tool.format,
    caller: call.caller.name ?? call.caller.tool ?? call.caller.surface,
    surface: call.caller.surface,
    startedAt: new Date(call.startedAt).toISOString(),
    ms: Math.round(call.elapsedMs() * 1000) / 1000,
    ok: error === null,
    ...(error ? { errorCode: error.code } : {}),
    ...(call.cost ? { cost: call.cost } : {}),
    enforcement: call.enforcement,
    params: keep(call.args),
    outcome: (error
      ? { ok: false, error: { code: error.code, message: error.message, retryable: error.retryable } }
      : { ok: true, value: keep(call.result) }) as Json,
    logs: call.logs.slice(-maxLogLines).map((line) => ({
      level: line.level,
      message: scrub.text(line.message).slice(0, maxLineLength),
      atMs: line.atMs,
    })),
    spans: call.spans.map((span) => ({
      name: span.name,
      startMs: round(span.startMs),
      endMs: round(span.endMs),
    })),
    ...(call.parent ? { parent: call.parent.id } : {}),
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** JSON as far as it is JSON and not huge. */
function bounded(value: unknown): Json {
  try {
    const text = JSON.stringify(value) ?? 'null'
    return text.length > maxFullLength
      ? `[${text.length} characters, not recorded]`
      : (JSON.parse(text) as Json)
  } catch {
    return '[not JSON]'
  }
}
