// `--name value` to parameters, typed by the tool's schema: numbers, booleans, JSON for lists and objects, a
// repeated flag makes a list. What does not fit stays text, so that the schema says what is wrong.
import { isPlainObject } from '../../tool/json.ts'
import { nearNames } from '../../tool/near-names.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { UsageError } from './command.ts'

/** Reads the flags that are not the program's own. */
export function paramsFromFlags(
  flags: readonly string[],
  schema: JsonSchema | null,
): Record<string, unknown> {
  const params: Record<string, unknown> = {}
  for (let i = 0; i < flags.length; i++) {
    const flag = flags[i]!
    if (!flag.startsWith('--') || flag.length < 3)
      throw new UsageError(`"${flag}" is neither a parameter nor an option.`, waysToGive(schema))
    const equals = flag.indexOf('=')
    const name = nameOf(equals === -1 ? flag.slice(2) : flag.slice(2, equals), schema)
    const property = propertyOf(schema, name)
    const negated =
      property === undefined && name.startsWith('no-') ? nameOf(name.slice(3), schema) : undefined
    if (negated !== undefined && typeOf(propertyOf(schema, negated)) === 'boolean') {
      params[negated] = false
      continue
    }
    let text: string
    if (equals !== -1) text = flag.slice(equals + 1)
    else if (typeOf(property) === 'boolean' && !/^(true|false)$/.test(flags[i + 1] ?? '')) text = 'true'
    else if (i + 1 < flags.length) text = flags[++i]!
    else throw new UsageError(`--${name} needs a value.`)
    add(params, name, text, property)
  }
  return params
}

function waysToGive(schema: JsonSchema | null): string {
  const names = Object.keys((schema?.['properties'] as object | undefined) ?? {}).map((name) => `--${name}`)
  const shown = names.length > 0 && names.length <= 12 ? `: ${names.join(', ')}` : ''
  return `Parameters are given as --name value${shown}, or all at once with --params.`
}

function add(params: Record<string, unknown>, name: string, text: string, property: unknown): void {
  const isList = typeOf(property) === 'array'
  if (isList && !text.trimStart().startsWith('[')) {
    const items = isPlainObject(property) ? property['items'] : undefined
    params[name] = [...((params[name] as unknown[] | undefined) ?? []), coerce(text, items)]
  } else if (name in params && !isList) {
    const before = params[name]
    params[name] = [...(Array.isArray(before) ? before : [before]), coerce(text, property)]
  } else params[name] = coerce(text, property)
}

/** One text as the value its schema wants; a list may be given as JSON or by its only item. */
export function valueFromText(text: string, property: unknown): unknown {
  const params: Record<string, unknown> = {}
  add(params, 'value', text, property)
  return params['value']
}

function coerce(text: string, property: unknown): unknown {
  switch (typeOf(property)) {
    case 'number':
    case 'integer':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'null':
      return text === 'null' ? null : text
    case 'array':
    case 'object':
      return jsonOr(text)
    case 'string':
      return text
    default: {
      // No type stated: JSON where it is some, else text; so is a number that would be written otherwise (`1.10`).
      const value = jsonOr(text)
      return typeof value === 'number' && String(value) !== text ? text : value
    }
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Flags that the schema does not name and that look like one it does name, as notes for whoever typed them (D20). */
export function misspeltFlags(flags: readonly string[], schema: JsonSchema | null): string[] {
  // Where nothing else is taken, the refusal says it itself.
  if (schema?.['additionalProperties'] === false) return []
  const declared = Object.keys(propertiesOf(schema))
  return flags.flatMap((flag) => {
    const given = /^--([^=]+)/.exec(flag)?.[1]
    if (given === undefined || declared.includes(nameOf(given, schema))) return []
    if (given.startsWith('no-') && declared.includes(nameOf(given.slice(3), schema))) return []
    const [near] = nearNames(given, declared, 1)
    return near === undefined ? [] : [`--${given}: did you mean --${near}?`]
  })
}

/** `--dry-mode` also means `dry_mode` and `dryMode`, when that is what the schema declares. */
function nameOf(given: string, schema: JsonSchema | null): string {
  const declared = Object.keys(propertiesOf(schema))
  if (declared.includes(given)) return given
  const key = given.replaceAll(/[-_]/g, '').toLowerCase()
  const matches = declared.filter((name) => name.replaceAll(/[-_]/g, '').toLowerCase() === key)
  return matches.length === 1 ? matches[0]! : given
}

function propertiesOf(schema: JsonSchema | null): Record<string, unknown> {
  const properties = schema?.['properties']
  return isPlainObject(properties) ? properties : {}
}

function propertyOf(schema: JsonSchema | null, name: string): unknown {
  const properties = propertiesOf(schema)
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function typeOf(property: unknown): string | undefined {
  if (!isPlainObject(property)) return undefined
  const type = Array.isArray(property['type'])
    ? property['type'].find((item) => item !== 'null')
    : property['type']
  if (typeof type === 'string') return type
  const options = property['enum']
  return Array.isArray(options) && options.every((option) => typeof option === 'string')
    ? 'string'
    : undefined
}
