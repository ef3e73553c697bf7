// What a rye tool's output comes to, for functions and processes alike: the result object, or the failure it
// reports. The whole result is kept either way.
import type { Json, JsonObject } from '../../tool/json.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { describeExit } from '../../workers/exit.ts'
import { parseProgress } from '../../workers/log-lines.ts'
import type { Attempt } from '../runtime.ts'

const maxMessageChars = 2_000

export interface Printed {
  readonly result: JsonObject
  /** Lines before the result. */
  readonly logs: readonly string[]
}

/** Reads a result from what was printed: all of it as JSON, else its last line, else the text itself. */
export function readPrinted(stdout: string): Printed {
  const text = withoutProgress(stdout)
  const whole = parseObject(text)
  if (whole) return { result: whole, logs: [] }
  const lines = text.split(/\r?\n/)
  let last = lines.length - 1
  while (last > 0 && lines[last]!.trim() === '') last--
  const result = parseObject(lines[last]!)
  if (result) return { result, logs: lines.slice(0, last).filter((line) => line.trim() !== '') }
  return { result: { success: true, output: text.replace(/\r?\n$/, '') }, logs: [] }
}

/** `output: plain`: what was printed as data when it is one JSON object or list, else as text. */
export function plainResult(stdout: string): Json {
  const text = withoutProgress(stdout)
  if (/^\s*[[{]/.test(text))
    try {
      return JSON.parse(text) as Json
    } catch {}
  return text.replace(/\r?\n$/, '')
}

function withoutProgress(text: string): string {
  if (!text.includes('::progress ')) return text
  return text
    .split('\n')
    .filter((line) => !parseProgress(line))
    .join('\n')
}

function parseObject(text: string): JsonObject | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined
  try {
    const value: unknown = JSON.parse(trimmed)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** How the producing process ended; absent for a function that returned. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** The signal it died of, as far as can be told. */
  readonly diedOf: NodeJS.Signals | null
  /** The end of what it wrote to stderr. */
  readonly stderr: string
  /** What to do about it, where that can be told. */
  readonly hint?: string | undefined
}

/** A returned value as a result object; `execute` is expected to return one, the others may return anything. */
export function wrapReturned(value: unknown, entry: string, attempt: Attempt): JsonObject {
  if (isPlainObject(value)) return value as JsonObject
  const result = { success: true, output: value as Json }
  if (entry === 'execute')
    warn(attempt, 'result-not-object', `execute returned ${kindOf(value)}, not an object`, result)
  return result
}

/** The result, when it is a success; throws TOOL_FAILED when it or the process says otherwise. */
export function judgeResult(result: JsonObject, attempt: Attempt, end?: ProcessEnd): JsonObject {
  const facts = {
    result,
    ...(end && end.exitCode !== null && end.exitCode !== 0 ? { exit_code: end.exitCode } : {}),
    ...(end?.signal ? { signal: end.signal } : {}),
  }
  if (end && (end.exitCode !== 0 || end.signal)) {
    const how = describeExit({ code: end.exitCode, diedOf: end.diedOf })
    const said = errorText(result['error']) ?? lastOf(end.stderr)
    throw new ToolError('TOOL_FAILED', said ?? `${attempt.tool.id} ${how}.`, {
      details: facts,
      hint: end.hint ?? `The process ${how}.`,
      retryable: end.diedOf !== null || result['retryable'] === true,
    })
  }
  const success = result['success']
  if (success === true) return result
  if (success === undefined) {
    warn(attempt, 'result-no-success', 'the result has no boolean "success"', result)
    return result
  }
  if (success === false) {
    const said = errorText(result['error']) ?? errorText(result['stderr']) ?? lastOf(end?.stderr ?? '')
    throw new ToolError('TOOL_FAILED', said ?? `${attempt.tool.id} reported failure without saying why.`, {
      details: facts,
      retryable: result['retryable'] === true,
    })
  }
  throw new ToolError(
    'TOOL_FAILED',
    `${attempt.tool.id}: "success" of the result is ${JSON.stringify(success)}, not true or false.`,
    { details: facts, retryable: result['retryable'] === true },
  )
}

function warn(attempt: Attempt, code: string, message: string, result: JsonObject): void {
  if (attempt.strict) {
    throw new ToolError('TOOL_FAILED', `${attempt.tool.id}: ${message} (${code}, strict).`, {
      details: { result, problem: code },
    })
  }
  attempt.log('warn', `${code}: ${message}`, { code })
}

function errorText(error: Json | undefined): string | undefined {
  if (error === undefined || error === null || error === '') return undefined
  if (typeof error === 'string') return error.slice(0, maxMessageChars)
  if (isPlainObject(error) && typeof error['message'] === 'string') return error['message']
  return JSON.stringify(error).slice(0, maxMessageChars)
}

function lastOf(text: string): string | undefined {
  const trimmed = text.trim()
  return trimmed === '' ? undefined : trimmed.slice(-maxMessageChars)
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
