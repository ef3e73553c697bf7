// A JSON Schema as the text of a TypeScript type. What TypeScript cannot say is `unknown`; what is too deep or refers
// to itself without end is cut there too.
import { isPlainObject, type Json } from '../../tool/json.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const maxDepth = 12
const plainTypes: { readonly [name: string]: string } = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The type of a value that the schema accepts. */
export function schemaAsType(schema: unknown, root: JsonSchema, depth = 0): string {
  if (!isPlainObject(schema) || depth > maxDepth) return 'unknown'
  if (typeof schema['$ref'] === 'string') return schemaAsType(targetOf(schema['$ref'], root), root, depth + 1)
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal))
  const variants = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(variants)) return union(variants.map((each) => schemaAsType(each, root, depth + 1)))
  if (Array.isArray(schema['allOf'])) {
    const { allOf, ...own } = schema
    const parts = [own, ...allOf].map((each) => schemaAsType(each, root, depth + 1))
    return all(parts.filter((part) => part !== 'unknown'))
  }
  const { type } = schema
  if (Array.isArray(type)) return union(type.map((name) => byName(String(name), schema, { root, depth })))
  if (typeof type === 'string') return byName(type, schema, { root, depth })
  return isPlainObject(schema['properties']) ? byName('object', schema, { root, depth }) : 'unknown'
}

interface At {
  readonly root: JsonSchema
  readonly depth: number
}

function byName(name: string, schema: { readonly [key: string]: unknown }, { root, depth }: At): string {
  if (name === 'array') {
    const { items, prefixItems } = schema
    if (Array.isArray(prefixItems) && items === false)
      return `[${prefixItems.map((each) => schemaAsType(each, root, depth + 1)).join(', ')}]`
    const item = schemaAsType(items, root, depth + 1)
    return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`
  }
  if (name === 'object') return objectType(schema, { root, depth })
  return plainTypes[name] ?? 'unknown'
}

function objectType(schema: { readonly [key: string]: unknown }, { root, depth }: At): string {
  const { properties, additionalProperties, required } = schema
  if (!isPlainObject(properties) || Object.keys(properties).length === 0) {
    const value = isPlainObject(additionalProperties)
      ? schemaAsType(additionalProperties, root, depth + 1)
      : 'unknown'
    return additionalProperties === false ? '{}' : `{ [key: string]: ${value} }`
  }
  const needed = new Set(Array.isArray(required) ? required : [])
  const members = Object.entries(properties).map(([key, each]) => {
    const type = schemaAsType(each, root, depth + 1)
    return `${comment(each)}${JSON.stringify(key)}${needed.has(key) ? '' : '?'}: ${type}`
  })
  return `{ ${members.join('; ')} }`
}

/** A description as a comment that cannot end early. */
export function comment(schema: unknown): string {
  const said = isPlainObject(schema) ? schema['description'] : undefined
  if (typeof said !== 'string' || said.trim() === '') return ''
  const line = said.replaceAll(/\s+/g, ' ').trim().slice(0, 300).replaceAll('*/', '*\u200b/')
  return `/** ${line} */ `
}

/** A text or a number as a type; JSON's escapes are TypeScript's. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `readonly [${value.map(literal).join(', ')}]`
  if (isPlainObject(value))
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`)
      .join('; ')} }`
  return JSON.stringify((value ?? null) as Json)
}

function union(types: readonly string[]): string {
  const each = [...new Set(types)]
  return each.includes('unknown') || each.length === 0 ? 'unknown' : each.join(' | ')
}

function all(types: readonly string[]): string {
  if (types.length === 0) return 'unknown'
  return types.length === 1 ? types[0]! : types.map((type) => `(${type})`).join(' & ')
}

/** What `#/$defs/x` means; nothing outside the document. */
function targetOf(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return undefined
  let at: unknown = root
  for (const step of ref.slice(1).split('/').filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: unknown })[key]
  }
  return at
}
