// Reads one object of a descriptor by its shape and reports what is unknown, unsupported, missing or of the wrong
// type. Enums, patterns and formats have problem codes of their own and are judged by whoever reads the value.
import { isPlainObject } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { ObjectShape, Static, TSchema } from '../../tool/shape.ts'
import type { Report } from './report.ts'

/** Upstream fields that decide what runs or is refused, and that this program lacks. */
const unsupported = new Set(['binaryWrapper', 'condition', 'denyResolveCommand', 'denyAlwaysResolve'])

/** What is read, where it stands, and what it is called in messages. */
export interface Reading<S extends TSchema> {
  readonly value: unknown
  readonly pointer: string
  readonly what: string
  readonly shape: S
  /** A field that somebody else judges, whatever it holds. */
  readonly apart?: string
}

/**
 * The sound fields of one object, `null`s left out. undefined when it is no object. Every fault is reported; a
 * field with a fault is left out of the result.
 */
export function readFields<F extends { readonly [name: string]: TSchema }>(
  reading: Reading<ObjectShape<F>>,
  report: Report,
): Partial<Static<ObjectShape<F>>> | undefined {
  const { value, pointer, what, shape, apart } = reading
  if (!isPlainObject(value)) {
    report.error('descriptor-shape', pointer, `${what} must be an object`)
    return undefined
  }
  const fields: { readonly [name: string]: TSchema } = shape.properties
  const required = (shape['required'] ?? []) as readonly string[]
  const sound: Record<string, unknown> = {}
  for (const [name, content] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
    if (!field) reportStranger(name, content, reading, report)
    else if (content === null && !required.includes(name)) continue
    else if (name !== apart && !fits(content, field))
      report.error(
        'descriptor-shape',
        `${pointer}/${escapePointer(name)}`,
        `${name} of ${what} must be ${wordsFor(field)}`,
      )
    else sound[name] = content
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name))
      report.error(
        'descriptor-shape',
        pointer,
        `${what} lacks ${name}, which must be ${wordsFor(fields[name]!)}`,
      )
  }
  return sound as Partial<Static<ObjectShape<F>>>
}

function reportStranger(
  name: string,
  content: unknown,
  { pointer, what, shape }: Reading<ObjectShape<{ readonly [name: string]: TSchema }>>,
  report: Report,
): void {
  const at = `${pointer}/${escapePointer(name)}`
  if (!unsupported.has(name)) {
    report.warning(
      'unknown-field',
      at,
      `${name} is no field of ${what} and is ignored`,
      `Known fields: ${Object.keys(shape.properties).join(', ')}.`,
    )
  } else if (content !== null) {
    report.error(
      'unsupported-field',
      at,
      `${name} of ${what} is not supported; without it something else would run`,
      'Remove the field and what depends on it.',
    )
  }
}

type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

function kindsOf(shape: TSchema): readonly Kind[] {
  const type = shape['type'] as Kind | 'null' | readonly (Kind | 'null')[] | undefined
  return [type ?? []].flat().filter((kind) => kind !== 'null')
}

/** Whether a value has the type and the bounds of a shape; objects and lists of them are read by themselves. */
function fits(value: unknown, shape: TSchema): boolean {
  const { anyOf } = shape as { readonly anyOf?: readonly TSchema[] }
  if (anyOf) return anyOf.some((each) => fits(value, each))
  if ('const' in shape) return value === shape['const']
  const kinds = kindsOf(shape)
  return kinds.length === 0 ? shape['type'] === undefined : kinds.some((kind) => isOf(kind, value, shape))
}

function isOf(kind: Kind, value: unknown, { minLength = 0, minimum, maximum, items }: TSchema): boolean {
  if (kind === 'string') return typeof value === 'string' && value.length >= minLength
  if (kind === 'array')
    return (
      Array.isArray(value) && (items?.type === 'object' || value.every((item) => fits(item, items ?? {})))
    )
  if (kind === 'object') return isPlainObject(value)
  if (kind === 'boolean') return typeof value === 'boolean'
  if (typeof value !== 'number' || (kind === 'integer' && !Number.isInteger(value))) return false
  return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)
}

/** What a value must be, in words. */
function wordsFor(shape: TSchema): string {
  const { anyOf, type, items, minLength, minimum, maximum } = shape
  if (anyOf)
    return [...new Set((anyOf as TSchema[]).filter((each) => each['type'] !== 'null').map(wordsFor))].join(
      ' or ',
    )
  if ('const' in shape) return JSON.stringify(shape['const'])
  const kinds = kindsOf(shape)
  if (kinds.length > 1) {
    const scalars = kinds.filter((kind) => kind !== 'array')
    const all = `${scalars.slice(0, -1).join(', ')} or ${scalars.at(-1)}`
    return `a ${all}${kinds.includes('array') ? ', or a list of them' : ''}`
  }
  switch (kinds[0]) {
    case 'string':
      return minLength ? 'a string that is not empty' : 'a string'
    case 'integer':
      return [
        'a whole number',
        minimum === undefined ? '' : ` from ${minimum}`,
        maximum ? ` to ${maximum}` : '',
      ].join('')
    case 'array':
      return items?.type === 'string'
        ? 'a list of strings'
        : items?.type === 'integer'
          ? 'a list of whole numbers'
          : 'a list'
    case 'boolean':
      return 'true or false'
    default:
      return type === undefined ? 'anything' : 'an object'
  }
}
