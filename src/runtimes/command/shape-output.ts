// What a finished command comes to: post-processed, cut to lines, parsed when it is JSON, with the author's hints.
import { canonicalJson } from '../../tool/json.ts'
import type { HintCondition } from '../../tool/plans/command-plan.ts'
import type { CompiledEntry } from './compile-plan.ts'

export interface Output {
  readonly text: string
  readonly exitCode: number
  /** Bytes were dropped while reading. */
  readonly isTruncated: boolean
  readonly maxBytes: number
}

type Params = { readonly [name: string]: unknown }

/** The value of the call, and hints that had no text to stand in. */
export function shapeOutput(
  entry: CompiledEntry,
  output: Output,
  params: Params,
): { value: unknown; hints: string[] } {
  const hints = hintsOf(entry, output, params)
  const lines = firstLines(output.text, entry.maxOutputLines)
  const data = output.isTruncated || lines !== output.text ? undefined : jsonIn(output.text)
  if (data !== undefined) return { value: data, hints }
  const notice = output.isTruncated
    ? `\n[output truncated: only the first ${output.maxBytes} bytes are kept]`
    : ''
  // T40: a blank line before each hint, also where the text ends with a line end.
  const value = hints.reduce(
    (text, hint) => `${text}${text.endsWith('\n') ? '\n' : '\n\n'}hint: ${hint}`,
    lines + notice,
  )
  return { value, hints: [] }
}

/** The first `count` lines, and how many there were. */
function firstLines(text: string, count: number | undefined): string {
  if (count === undefined) return text
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  if (lines.length <= count) return text
  return `${lines.slice(0, count).join('\n')}\n\n[${count} of ${lines.length} lines shown, ${lines.length - count} omitted]`
}

function jsonIn(text: string): unknown {
  const first = /^\s*([[{])/.exec(text)?.[1]
  if (!first) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function hintsOf(entry: CompiledEntry, output: Output, params: Params): string[] {
  return (entry.hintConditions ?? []).flatMap((hint, index) =>
    fires(hint, entry.hints[index]!.pattern, output, params) ? [filled(hint.hint, params)] : [],
  )
}

function fires(
  hint: HintCondition,
  pattern: { test(text: string): boolean } | null,
  output: Output,
  params: Params,
): boolean {
  const tests: boolean[] = []
  if (hint.exitCode !== undefined)
    tests.push(hint.exitCode === 'nonzero' ? output.exitCode !== 0 : output.exitCode === hint.exitCode)
  if (hint.notEmpty) tests.push(output.text.trim() !== '')
  if (hint.whenArg)
    for (const [name, value] of Object.entries(hint.whenArg))
      tests.push(Object.hasOwn(params, name) && canonicalJson(params[name]) === canonicalJson(value))
  if (tests.includes(false)) return false
  if (pattern) tests.push(pattern.test(output.text))
  return tests.length > 0 && !tests.includes(false)
}

function filled(hint: string, params: Params): string {
  return hint.replace(/\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? paramText(params, name) : whole,
  )
}

/** A parameter as text: strings as they are, all else as JSON, nothing for a missing one. */
export function paramText(params: Params, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
