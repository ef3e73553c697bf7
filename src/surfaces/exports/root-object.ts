// A parameter schema with an object at its root, for clients and models that take nothing else there: `$ref` and
// `allOf` are joined in, of `anyOf` and `oneOf` every property is named and none is demanded that one branch lacks. The
// full schema is still what a call is checked against.
import { defined } from '../../tool/defined.ts'
import { isPlainObject } from '../../tool/json.ts'
import { resolvePointer } from '../../tool/pointer.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { mergeSchemas } from './merge-schemas.ts'

type Schema = Record<string, unknown>

const choices = ['anyOf', 'oneOf'] as const
const maxDepth = 8

/** The same object where there is nothing to rewrite. */
export function rootObject(schema: JsonSchema): JsonSchema {
  const needs = ['$ref', 'allOf', ...choices].some((keyword) => schema[keyword] !== undefined)
  return needs ? (flat(schema as Schema, schema, 0) as JsonSchema) : schema
}

function flat(node: Schema, root: JsonSchema, depth: number): Schema {
  if (depth > maxDepth) return {}
  const { $ref, allOf, anyOf, oneOf, ...own } = node
  let whole: Schema = own
  const parts = [...(typeof $ref === 'string' ? [targetOf(root, $ref)] : []), ...listOf(allOf)]
  for (const part of parts) {
    const inner = isPlainObject(part) ? flat(part, root, depth + 1) : undefined
    whole = (inner && (mergeSchemas(whole, inner) ?? union([whole, inner]))) ?? whole
  }
  for (const branches of [listOf(anyOf), listOf(oneOf)]) {
    const inner = branches.flatMap((branch) => (isPlainObject(branch) ? [flat(branch, root, depth + 1)] : []))
    if (inner.length === 0) continue
    const choice = union(inner)
    whole = mergeSchemas(whole, choice) ?? union([whole, choice])
  }
  return whole
}

/** Every property of any of them; one that they describe differently may be either. Required is what all require. */
function union(branches: readonly Schema[]): Schema {
  const properties: Schema = {}
  for (const branch of branches) {
    for (const [name, property] of Object.entries(
      isPlainObject(branch['properties']) ? branch['properties'] : {},
    ))
      Object.defineProperty(properties, name, {
        value: Object.hasOwn(properties, name) ? either(properties[name], property) : property,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  const required = branches
    .map((branch) => listOf(branch['required']))
    .reduce((common, names) => common.filter((name) => names.includes(name)))
  const { properties: _p, required: _r, additionalProperties: _a, ...notes } = branches[0]!
  const kept = branches.length > 1 ? onlyShared(notes, branches) : notes
  return defined({
    ...kept,
    type: 'object',
    properties,
    required: required.length > 0 ? required : undefined,
  })
}

function onlyShared(notes: Schema, branches: readonly Schema[]): Schema {
  return Object.fromEntries(
    Object.entries(notes).filter(
      ([key, value]) =>
        ['$schema', '$defs', 'definitions', 'title', 'description'].includes(key) ||
        branches.every((branch) => JSON.stringify(branch[key]) === JSON.stringify(value)),
    ),
  )
}

function either(a: unknown, b: unknown): unknown {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  const known =
    isPlainObject(a) && Array.isArray(a['anyOf']) && Object.keys(a).length === 1 ? a['anyOf'] : [a]
  return { anyOf: [...known, b] }
}

function targetOf(root: JsonSchema, ref: string): unknown {
  try {
    return ref.startsWith('#') ? resolvePointer(root, decodeURIComponent(ref.slice(1))) : undefined
  } catch {
    return undefined
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
