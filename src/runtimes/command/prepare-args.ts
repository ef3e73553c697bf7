// The first half of building a command line, before any resolver runs: values to texts, newlines, denials, gaps.
import { ToolError } from '../../tool/tool-error.ts'
import type { CompiledArg, CompiledEntry } from './compile-plan.ts'

export interface Text {
  readonly text: string
  /** Written by the author of the skill, so it may begin with a dash. */
  readonly isAuthors: boolean
}

export interface PreparedArg {
  readonly arg: CompiledArg
  /** One per entry to emit; empty when the value is missing. */
  readonly texts: readonly Text[]
  /** The resolver is asked with an empty text, because the parameter is missing but optional. */
  readonly asksWithoutValue: boolean
  /** The value of a flagifboolean. */
  readonly isTrue: boolean
}

type Params = { readonly [name: string]: unknown }

/** Throws PARAMS_INVALID, COMMAND_ARG_REFUSED or, for a kind that is none, COMMAND_NOT_ALLOWED. */
export function prepareArgs(entry: CompiledEntry, params: Params, toolId: string): PreparedArg[] {
  const prepared = entry.args.map((arg) => prepareArg(arg, params, toolId))
  refuseGaps(prepared, toolId)
  return prepared
}

/** A missing positional would move a later value into its place. */
export function refuseGaps(prepared: readonly PreparedArg[], toolId: string): void {
  let gap: CompiledArg | undefined
  for (const { arg, texts, asksWithoutValue } of prepared) {
    if (arg.kind !== 'positional') continue
    if (texts.length === 0 || asksWithoutValue) gap ??= arg.optional ? undefined : arg
    else if (gap)
      throw new ToolError(
        'PARAMS_INVALID',
        `${toolId}: "${gap.param}" is missing, but "${arg.param}", which comes after it on the command line, has a value.`,
        {
          hint: `Give "${gap.param}", or leave out "${arg.param}".`,
        },
      )
  }
}

function prepareArg(arg: CompiledArg, params: Params, toolId: string): PreparedArg {
  const base = { arg, asksWithoutValue: false, isTrue: false }
  switch (arg.kind) {
    case 'literal':
      return { ...base, texts: arg.value === undefined ? [] : [{ text: arg.value, isAuthors: true }] }
    case 'flagifboolean':
      return { ...base, texts: [], isTrue: isTrue(givenOrDefault(arg, params).value, arg, toolId) }
    case 'positional':
    case 'flag':
    case 'stdin':
    case 'workingdir':
    case 'tempfile':
      return prepareTexts(arg, params, toolId)
    default:
      throw new ToolError(
        'COMMAND_NOT_ALLOWED',
        `${toolId}: kind-invalid: an argument of the unknown kind ${JSON.stringify(arg.kind)} cannot be passed on.`,
        { hint: 'See `toolcrib check`.' },
      )
  }
}

function prepareTexts(arg: CompiledArg, params: Params, toolId: string): PreparedArg {
  const { value, isAuthors } = givenOrDefault(arg, params)
  if (value === undefined) {
    const asks = arg.optional === true && arg.resolveCommand !== undefined
    return { arg, texts: asks ? [{ text: '', isAuthors: false }] : [], asksWithoutValue: asks, isTrue: false }
  }
  const takesLists = arg.kind === 'positional' || arg.kind === 'flag'
  const values: readonly unknown[] = Array.isArray(value) && takesLists ? value : [value]
  const texts = values.map((item) => {
    const text = textOf(item, arg, toolId)
    refuseDenied(text, arg, toolId)
    return { text, isAuthors: isAuthors && !arg.resolveCommand }
  })
  return { arg, texts, asksWithoutValue: false, isTrue: false }
}

function givenOrDefault(arg: CompiledArg, params: Params): { value: unknown; isAuthors: boolean } {
  const given = Object.hasOwn(params, arg.param) ? params[arg.param] : undefined
  const isMissing =
    given === undefined ||
    given === null ||
    (arg.kind === 'positional' && Array.isArray(given) && given.length === 0)
  if (!isMissing) return { value: given, isAuthors: false }
  return { value: arg.absentDefault, isAuthors: true }
}

/** A value as command line text: strings as they are, numbers and booleans as JSON writes them. */
function textOf(value: unknown, arg: CompiledArg, toolId: string): string {
  if (typeof value === 'string')
    return arg.normalizeNewlines ? value.replaceAll('\\n', '\n').replaceAll('\\t', '\t') : value
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  throw new ToolError(
    'PARAMS_INVALID',
    `${toolId}: "${arg.param}" must be a string, number or boolean${arg.kind === 'positional' || arg.kind === 'flag' ? ', or a list of them' : ''}.`,
  )
}

function isTrue(value: unknown, arg: CompiledArg, toolId: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.toLowerCase() === 'true'
  if (typeof value === 'number') return Number.isInteger(value) && value !== 0
  throw new ToolError('PARAMS_INVALID', `${toolId}: "${arg.param}" must be true or false.`)
}

/** COMMAND_ARG_REFUSED when the author's pattern matches, or takes too long to tell. */
export function refuseDenied(text: string, arg: CompiledArg, toolId: string): void {
  if (!arg.deny) return
  const matches = arg.deny.test(text)
  if (!matches && !arg.deny.timedOut) return
  throw new ToolError(
    'COMMAND_ARG_REFUSED',
    `${toolId}: the value of "${arg.param}" ${matches ? 'matches what the skill denies' : 'could not be checked in time against what the skill denies'} (${arg.denyPattern}).`,
    { hint: 'Use another value.' },
  )
}
