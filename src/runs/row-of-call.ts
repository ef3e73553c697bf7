// A finished call as a record: who, what, how it ended. Secrets are taken out, arguments and results go in by
// shape unless the configuration wants them in full. Nobody waits for the text of a record, so it is written later,
// together with others; what whoever has the outcome could change meanwhile is taken down at once.
import type { Call } from '../kernel/call.ts'
import type { RunEntry, RunRow } from '../store/run-record.ts'
import { familyOf } from '../tool/error-codes.ts'
import { enforcementText, type LogLine, type Span } from '../tool/outcome.ts'
import type { Principal } from '../tool/principal.ts'
import { nothingToScrub, type Scrubber } from '../tool/scrub.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, type ToolErrorData } from '../tool/tool-error.ts'
import { lineageOf } from './run-history.ts'
import { shapeOf, shapeText } from './shape-of.ts'

const maxLogLines = 200
const maxLineLength = 2_000
const maxFullLength = 262_144

/** A finished call, and what must be kept of it as it was when it ended. */
export interface EndedCall {
  readonly call: Call
  readonly kind: 'run' | 'deny'
  readonly error: ToolErrorData | null
  readonly detail: 'shape' | 'full'
  /** As JSON text. */
  readonly params: string
  readonly value: string
  readonly meta: string
  readonly startedAt: number
  readonly logs: readonly LogLine[]
  readonly spans: readonly Span[]
}

export function takeDown(call: Call, detail: 'shape' | 'full'): EndedCall {
  const { scrubber, logs, spans, meta } = call
  const error = call.error === undefined ? null : scrubber.value(errorData(call.error))
  return {
    call,
    kind: error !== null && familyOf(error.code) === 'denied' ? 'deny' : 'run',
    error,
    detail,
    params: keptText(call.args, scrubber, detail),
    value: error === null ? keptText(call.result, scrubber, detail) : '',
    meta: meta ? JSON.stringify(scrubber.value(meta)) : '',
    startedAt: call.startedAt,
    logs: logs.slice(-maxLogLines),
    spans: spans.slice(),
  }
}

export function rowOfCall(ended: EndedCall): RunRow {
  const { call, kind, error, logs } = ended
  const { id, tool, principal, scrubber } = call
  const who = principal.tool ?? principal.name
  const outcome = error
    ? `{"ok":false,"error":${JSON.stringify({ code: error.code, message: error.message, retryable: error.retryable })}}`
    : `{"ok":true,"value":${ended.value}}`
  let body =
    `{"kind":"${kind}","runId":${JSON.stringify(id)},${toolText(tool)},"caller":${JSON.stringify(who)},` +
    `"surface":${JSON.stringify(principal.surface)},"startedAt":"${timeText(ended.startedAt)}","ms":${round(call.elapsedMs())},` +
    `"ok":${error === null},"enforcement":${enforcementText(call.enforcement)},` +
    `"params":${ended.params},"outcome":${outcome},"spans":${spansText(ended.spans)}`
  if (principal.tool !== undefined) body += `,"user":${JSON.stringify(principal.name)}`
  if (error) body += `,"errorCode":${JSON.stringify(error.code)}`
  if (call.cost) body += `,"cost":${JSON.stringify(call.cost)}`
  if (ended.detail === 'full') body += ',"isInFull":true'
  if (logs.length > 0) body += `,"logs":${logsText(logs, scrubber)}`
  if (ended.meta !== '') body += `,"meta":${ended.meta}`
  if (call.isDryRun) body += ',"reason":"dry run"'
  if (call.parent || call.options.trigger !== undefined) {
    const lineage = JSON.stringify(lineageOf(call))
    if (lineage !== '{}') body += `,${lineage.slice(1, -1)}`
  }
  return [id, kind, tool.id, who, error === null ? 1 : 0, `${body}}`]
}

/** Who asked; of a call that a tool makes also who is behind it. */
export function whoOf({ surface, tool, name }: Principal): Pick<RunEntry, 'caller' | 'surface' | 'user'> {
  return tool === undefined ? { caller: name, surface } : { caller: tool, surface, user: name }
}

/** What is recorded of arguments and results. A shape has no values, but names of members can carry one too. */
function keptText(value: unknown, scrub: Scrubber, detail: 'shape' | 'full'): string {
  try {
    if (scrub === nothingToScrub) return detail === 'full' ? boundedText(value) : shapeText(value)
    return JSON.stringify(scrub.value(detail === 'full' ? JSON.parse(boundedText(value)) : shapeOf(value)))
  } catch {
    // Members that throw when they are read must not keep a run out of the record.
    return '"[not JSON]"'
  }
}

/** JSON as far as it is not huge. */
function boundedText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > maxFullLength ? `"[${text.length} characters, not recorded]"` : text
}

const toolTexts = new WeakMap<Tool, string>()

function toolText(tool: Tool): string {
  let text = toolTexts.get(tool)
  if (text === undefined) {
    text = `"tool":${JSON.stringify(tool.id)},"format":${JSON.stringify(tool.format)}`
    toolTexts.set(tool, text)
  }
  return text
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

function logsText(logs: readonly LogLine[], scrub: Scrubber): string {
  return JSON.stringify(
    logs.map((line) => ({
      level: line.level,
      message: scrub.text(line.message).slice(0, maxLineLength),
      atMs: line.atMs,
    })),
  )
}

/** The parts of a call that took time worth telling: the chain keeps no others. */
function spansText(spans: readonly Span[]): string {
  if (spans.length === 0) return '[]'
  return JSON.stringify(
    spans.map(({ name, startMs, endMs }) => ({ name, startMs: round(startMs), endMs: round(endMs) })),
  )
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
