// An entry of `config.args` that is a map: one parameter on the command line, left out as a whole when it is absent.
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { textOf } from './template.ts'

export function isParamArgument(entry: Json): entry is JsonObject {
  return isPlainObject(entry) && typeof entry['param'] === 'string'
}

/**
 * `{ param, flag?, else?, together?, allow_dash? }`. A flag that ends in `=` takes its value in the same argument; true
 * is the flag alone, false is `else`; a list repeats the flag, or follows it `together`; without a flag the value
 * stands by itself.
 */
export function paramArgument(entry: JsonObject, params: { readonly [name: string]: unknown }): string[] {
  const name = entry['param'] as string
  const flag = typeof entry['flag'] === 'string' ? entry['flag'] : undefined
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  if (value === undefined || value === null) return []
  if (typeof value === 'boolean' && flag !== undefined) {
    if (value) return [flag.replace(/=$/, '')]
    return typeof entry['else'] === 'string' ? [entry['else']] : []
  }
  const values = Array.isArray(value) ? value.map(textOf) : [textOf(value)]
  if (values.length === 0) return []
  if (flag?.endsWith('=')) return values.map((text) => flag + text)
  if (entry['allow_dash'] !== true) for (const text of values) refuseDash(text, name, flag)
  if (flag === undefined) return values
  return entry['together'] === true ? [flag, ...values] : values.flatMap((text) => [flag, text])
}

/** True for an argument that is known by its place alone. */
export function isPositional(entry: Json): boolean {
  return isParamArgument(entry) && entry['flag'] === undefined
}

/** A missing positional before one that is given would move the later value into its place. */
export function refuseGap(missing: string, given: string): never {
  throw new ToolError(
    'PARAMS_INVALID',
    `${given} cannot be given without ${missing}, which stands before it.`,
    {
      hint: `Give ${missing} too.`,
    },
  )
}

/** A program cannot see where an argument came from: a value with a dash would be read as an option. */
export function refuseDash(text: string, name: string, flag: string | undefined): void {
  if (!text.startsWith('-') || (flag !== undefined && /^-\d+(\.\d+)?$/.test(text))) return
  throw new ToolError(
    'COMMAND_ARG_REFUSED',
    `${name} starts with "-", so the program would take ${JSON.stringify(text.slice(0, 60))} for an option.`,
    { hint: 'Write a file name as ./-name, or set allow_dash: true for this argument in the definition.' },
  )
}
