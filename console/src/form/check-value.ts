// Light checks in the browser, so that a slip is shown before anything is sent. The server has the last word.
import { say, type Text } from '../words/say.ts'
import { listOf, type Schema, shapeOf } from './schema.ts'

export interface Fault {
  /** JSON pointer of the field. */
  readonly pointer: string
  readonly message: string
}

const formats: Record<string, readonly [RegExp, Text]> = {
  email: [/^[^@\s]+@[^@\s]+$/, 'must be an e-mail address'],
  uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be an address such as https://example.com'],
  url: [/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be an address such as https://example.com'],
  date: [/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-05-31'],
  time: [/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/i, 'must be a time such as 14:30:00Z'],
  'date-time': [
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i,
    'must be a moment such as 2026-05-31T14:30:00Z',
  ],
  uuid: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID'],
  ipv4: [/^(\d{1,3}\.){3}\d{1,3}$/, 'must be an IPv4 address'],
}

export function checkValue(given: unknown, value: unknown, root: Schema, pointer = ''): Fault[] {
  const shape = shapeOf(given, root)
  const { schema } = shape
  const fault = (message: string): Fault[] => [{ pointer, message }]
  if (value === null && shape.isNullable) return []
  switch (shape.kind) {
    case 'const':
      return same(value, shape.value)
        ? []
        : fault(say('must be {value}', { value: JSON.stringify(shape.value) }))
    case 'choice':
      return shape.choices.some((choice) => same(choice.value, value))
        ? []
        : fault(say('must be one of the choices'))
    case 'union':
      return checkUnion(shape.variants, value, root, pointer)
    case 'string':
      return typeof value === 'string'
        ? textFaults(schema, value).map((message) => ({ pointer, message }))
        : fault(say('must be text'))
    case 'integer':
    case 'number':
      return numberFaults(schema, value, shape.kind).map((message) => ({ pointer, message }))
    case 'boolean':
      return typeof value === 'boolean' ? [] : fault(say('must be true or false'))
    case 'null':
      return value === null ? [] : fault(say('must be null'))
    case 'array':
      return Array.isArray(value) ? checkArray(schema, value, root, pointer) : fault(say('must be a list'))
    case 'object':
      return isRecord(value) ? checkObject(schema, value, root, pointer) : fault(say('must be an object'))
    default:
      return []
  }
}

function checkUnion(variants: readonly Schema[], value: unknown, root: Schema, pointer: string): Fault[] {
  const tries = variants.map((variant) => checkValue(variant, value, root, pointer))
  if (tries.some((faults) => faults.length === 0)) return []
  // The variant that comes closest tells best what is missing.
  return tries.sort((a, b) => a.length - b.length)[0] ?? []
}

interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

function textFaults(schema: Schema, value: string): string[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = '' } = schema as TextRules
  const faults: string[] = []
  const length = [...value].length
  if (length < minLength)
    faults.push(
      minLength === 1 ? say('must not be empty') : say('must have at least {n} characters', { n: minLength }),
    )
  if (length > maxLength) faults.push(say('must have at most {n} characters', { n: maxLength }))
  if (pattern !== undefined && !matches(pattern, value)) faults.push(say('must match {pattern}', { pattern }))
  const known = formats[format]
  if (known && !known[0].test(value)) faults.push(say(known[1]))
  return faults
}

/** A pattern the browser cannot read is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function numberFaults(schema: Schema, value: unknown, kind: 'integer' | 'number'): string[] {
  if (typeof value !== 'number' || Number.isNaN(value)) return [say('must be a number')]
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number
  >
  const faults: string[] = []
  if (kind === 'integer' && !Number.isInteger(value)) faults.push(say('must be a whole number'))
  if (value < minimum!) faults.push(say('must be at least {n}', { n: minimum! }))
  if (value > maximum!) faults.push(say('must be at most {n}', { n: maximum! }))
  if (value <= exclusiveMinimum!) faults.push(say('must be more than {n}', { n: exclusiveMinimum! }))
  if (value >= exclusiveMaximum!) faults.push(say('must be less than {n}', { n: exclusiveMaximum! }))
  if (multipleOf && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9)
    faults.push(say('must be a multiple of {n}', { n: multipleOf }))
  return faults
}

function checkArray(schema: Schema, value: readonly unknown[], root: Schema, pointer: string): Fault[] {
  const { minItems, maxItems } = schema as Record<string, number>
  const faults: Fault[] = []
  if (value.length < minItems!)
    faults.push({ pointer, message: say('needs at least {n} entries', { n: minItems! }) })
  if (value.length > maxItems!)
    faults.push({ pointer, message: say('takes at most {n} entries', { n: maxItems! }) })
  if (
    schema['uniqueItems'] === true &&
    new Set(value.map((item) => JSON.stringify(item))).size < value.length
  )
    faults.push({ pointer, message: say('must not hold the same entry twice') })
  const first = listOf(schema['prefixItems'])
  for (const [index, item] of value.entries()) {
    const rule = first[index] ?? schema['items']
    if (rule !== undefined) faults.push(...checkValue(rule, item, root, `${pointer}/${index}`))
  }
  return faults
}

function checkObject(schema: Schema, value: Record<string, unknown>, root: Schema, pointer: string): Fault[] {
  const properties = (schema['properties'] ?? {}) as Record<string, unknown>
  const faults: Fault[] = []
  for (const key of listOf(schema['required']) as string[])
    if (value[key] === undefined)
      faults.push({ pointer: `${pointer}/${escaped(key)}`, message: say('is required') })
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    const at = `${pointer}/${escaped(key)}`
    if (Object.hasOwn(properties, key)) faults.push(...checkValue(properties[key], inner, root, at))
    else if (schema['additionalProperties'] === false && !schema['patternProperties'])
      faults.push({ pointer: at, message: say('is not known here') })
  }
  return faults
}

/** A key as a part of a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
