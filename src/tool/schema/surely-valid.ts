// A quick look at a value: true only when it is valid for certain. It knows the plain keywords and gives up on
// the rest, so that checking sound settings and many sound examples needs no compiled validator: 200 examples take
// 3 ms of processor time and not 390, the settings of a crib 0.1 ms and not 120.
import { isPlainObject } from '../json.ts'

const ignored = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$id',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const maxDepth = 32

/** False means "unknown": ask the compiled validator. */
export function isSurelyValid(schema: unknown, value: unknown, depth = 0): boolean {
  if (schema === true) return true
  if (!isPlainObject(schema) || depth > maxDepth) return false
  return Object.entries(schema).every(([keyword, rule]) => satisfies(keyword, rule, { schema, value, depth }))
}

function satisfies(
  keyword: string,
  rule: unknown,
  {
    schema,
    value,
    depth,
  }: { readonly schema: Record<string, unknown>; readonly value: unknown; readonly depth: number },
): boolean {
  if (ignored.has(keyword)) return true
  switch (keyword) {
    case 'type':
      return (Array.isArray(rule) ? rule : [rule]).some((type) => isOfType(value, type))
    case 'enum':
      return isScalar(value) && Array.isArray(rule) && rule.includes(value)
    case 'const':
      return isScalar(value) && rule === value
    case 'minimum':
      return typeof value !== 'number' || value >= (rule as number)
    case 'maximum':
      return typeof value !== 'number' || value <= (rule as number)
    case 'required':
      return !isPlainObject(value) || (rule as string[]).every((key) => Object.hasOwn(value, key))
    case 'properties':
      return (
        !isPlainObject(value) ||
        Object.entries(rule as Record<string, unknown>).every(
          ([key, inner]) => !Object.hasOwn(value, key) || isSurelyValid(inner, value[key], depth + 1),
        )
      )
    case 'additionalProperties':
      return rule === true || !isPlainObject(value) || hasOnlyDeclared(schema, value)
    case 'items':
      return (
        !Array.isArray(value) ||
        (!('prefixItems' in schema) && value.every((item) => isSurelyValid(rule, item, depth + 1)))
      )
    case 'minItems':
      return !Array.isArray(value) || value.length >= (rule as number)
    case 'maxItems':
      return !Array.isArray(value) || value.length <= (rule as number)
    default:
      return false
  }
}

function hasOnlyDeclared(schema: Record<string, unknown>, value: Record<string, unknown>): boolean {
  const declared = schema['properties']
  return isPlainObject(declared) && Object.keys(value).every((key) => Object.hasOwn(declared, key))
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    default:
      return false
  }
}
