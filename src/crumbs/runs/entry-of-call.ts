// A finished call as a record: who, what, how it ended. Secrets are taken out, arguments and results go in by
// shape unless the configuration wants them in full.
import type { Call } from '../../kernel/call.ts'
import { lineageOf } from '../../kernel/run-history.ts'
import { shapeOf } from '../../kernel/shape-of.ts'
import type { Caller } from '../../tool/caller.ts'
import { familyOf } from '../../tool/error-codes.ts'
import type { Json } from '../../tool/json.ts'
import type { Scrubber } from '../../tool/scrub.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { RunEntry } from './run-record.ts'

const maxLogLines = 200
const maxLineLength = 2_000
const maxFullLength = 262_144
const noSpans: Json = []

type Mutable<T> = { -readonly [key in keyof T]: T[key] }

export function entryOfCall(call: Call, detail: 'shape' | 'full'): RunEntry {
  const scrub = call.scrubber
  const error = call.error === undefined ? null : scrub.value(errorData(call.error))
  const { surface, tool: asTool, name } = call.caller
  // Member by member and not by spreading: one is made for every call there is.
  const entry: Mutable<RunEntry> = {
    kind: error !== null && familyOf(error.code) === 'denied' ? 'deny' : 'run',
    runId: call.id,
    tool: call.tool.id,
    format: call.tool.format,
    caller: asTool ?? name ?? surface,
    surface,
    startedAt: timeText(call.startedAt),
    ms: round(call.elapsedMs()),
    ok: error === null,
    enforcement: call.enforcement,
    params: kept(call.args, scrub, detail),
    outcome:
      error === null
        ? { ok: true, value: kept(call.result, scrub, detail) }
        : { ok: false, error: { code: error.code, message: error.message, retryable: error.retryable } },
    spans: call.spans.length === 0 ? noSpans : spansOf(call),
  }
  if (asTool !== undefined && name !== undefined) entry.user = name
  if (error) entry.errorCode = error.code
  if (call.cost) entry.cost = call.cost
  if (detail === 'full') entry.isInFull = true
  if (call.logs.length > 0)
    entry.logs = call.logs.slice(-maxLogLines).map((line) => ({
      level: line.level,
      message: scrub.text(line.message).slice(0, maxLineLength),
      atMs: line.atMs,
    }))
  if (call.meta) entry.meta = scrub.value(call.meta)
  return call.parent || call.options.trigger !== undefined ? Object.assign(entry, lineageOf(call)) : entry
}

/** What is recorded of arguments and results. A shape has no values, but names of members can carry one too. */
function kept(value: unknown, scrub: Scrubber, detail: 'shape' | 'full'): Json {
  return scrub.value(detail === 'full' ? bounded(value) : shapeOf(value))
}

let lastMs = 0
let lastText = ''

/** RFC 3339; calls that begin in the same millisecond share the text. */
function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms
    lastText = new Date(ms).toISOString()
  }
  return lastText
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
