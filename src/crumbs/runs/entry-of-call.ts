// A finished call as a record: who, what, how it ended. Secrets are taken out, arguments and results go in by
// shape unless the configuration wants them in full.
import type { Call } from '../../kernel/call.ts'
import { lineageOf } from '../../kernel/run-history.ts'
import { shapeOf } from '../../kernel/shape-of.ts'
import type { Caller } from '../../tool/caller.ts'
import { familyOf } from '../../tool/error-codes.ts'
import type { Json } from '../../tool/json.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { RunEntry } from './run-record.ts'

const maxLogLines = 200
const maxLineLength = 2_000
const maxFullLength = 262_144

export function entryOfCall(call: Call, detail: 'shape' | 'full'): RunEntry {
  const scrub = call.scrubber
  // A shape has no values, but names of members can carry one too.
  const keep = (value: unknown): Json => scrub.value(detail === 'full' ? bounded(value) : shapeOf(value))
  const error = call.error === undefined ? null : scrub.value(errorData(call.error))
  const isDenied = error !== null && familyOf(error.code) === 'denied'
  return {
    kind: isDenied ? 'deny' : 'run',
    runId: call.id,
    tool: call.tool.id,
    format: call.tool.format,
    ...whoOf(call.caller),
    startedAt: new Date(call.startedAt).toISOString(),
    ms: round(call.elapsedMs()),
    ok: error === null,
    ...(error ? { errorCode: error.code } : {}),
    ...(call.cost ? { cost: call.cost } : {}),
    enforcement: call.enforcement,
    params: keep(call.args),
    ...(detail === 'full' ? { isInFull: true } : {}),
    outcome: (error
      ? { ok: false, error: { code: error.code, message: error.message, retryable: error.retryable } }
      : { ok: true, value: keep(call.result) }) as Json,
    ...(call.logs.length === 0
      ? {}
      : {
          logs: call.logs.slice(-maxLogLines).map((line) => ({
            level: line.level,
            message: scrub.text(line.message).slice(0, maxLineLength),
            atMs: line.atMs,
          })),
        }),
    ...(call.meta ? { meta: scrub.value(call.meta) } : {}),
    spans: spansOf(call),
    ...lineageOf(call),
  }
}

/** Who asked; of a call that a tool makes also who is behind it. */
export function whoOf({ surface, tool, name }: Caller): Pick<RunEntry, 'caller' | 'surface' | 'user'> {
  return {
    caller: tool ?? name ?? surface,
    surface,
    ...(tool !== undefined && name !== undefined ? { user: name } : {}),
  }
}

/** The parts of a call that took time worth telling: the chain keeps no others. */
function spansOf(call: Call): Json {
  return call.spans.map(({ name, startMs, endMs }) => ({
    name,
    startMs: round(startMs),
    endMs: round(endMs),
  }))
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
