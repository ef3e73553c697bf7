// Reading a JSON Schema for a form: references followed, `allOf` laid together, and the one question a form
// asks of it: which kind of field is this?

export type Schema = { readonly [keyword: string]: unknown }

export interface Choice {
  readonly value: unknown
  readonly label: string
  readonly description?: string
}

export type Shape = { readonly schema: Schema; readonly isNullable: boolean } & (
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array' | 'any' }
  | { readonly kind: 'const'; readonly value: unknown }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | { readonly kind: 'union'; readonly variants: readonly Schema[] }
)

const mostSteps = 40

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema with its local reference followed and its `allOf` laid together. */
export function settled(given: unknown, root: Schema): Schema {
  let schema = isSchema(given) ? given : {}
  for (let step = 0; step < mostSteps && typeof schema['$ref'] === 'string'; step++) {
    const { $ref, ...beside } = schema
    schema = { ...lookUp($ref as string, root), ...beside }
  }
  const parts = schema['allOf']
  if (!Array.isArray(parts)) return schema
  const { allOf: _, ...own } = schema
  return parts.map((part) => settled(part, root)).reduce(laidTogether, own)
}

function lookUp(ref: string, root: Schema): Schema {
  if (!ref.startsWith('#')) return {}
  let found: unknown = root
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    found = (found as Record<string, unknown> | undefined)?.[key]
  }
  return isSchema(found) ? found : {}
}

function laidTogether(one: Schema, other: Schema): Schema {
  return {
    ...other,
    ...one,
    ...(one['properties'] || other['properties']
      ? { properties: { ...(other['properties'] as object), ...(one['properties'] as object) } }
      : {}),
    ...(one['required'] || other['required']
      ? { required: [...listOf(one['required']), ...listOf(other['required'])] }
      : {}),
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Which kind of field shows the schema. */
export function shapeOf(given: unknown, root: Schema): Shape {
  const schema = settled(given, root)
  if ('const' in schema) return { schema, isNullable: false, kind: 'const', value: schema['const'] }
  if (Array.isArray(schema['enum'])) return choiceShape(schema, schema['enum'].map(plainChoice))
  const variants = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(variants) && variants.length > 0) return unionShape(schema, variants, root)
  return typedShape(schema)
}

function plainChoice(value: unknown): Choice {
  return { value, label: value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value) }
}

function choiceShape(schema: Schema, choices: readonly Choice[]): Shape {
  const given = choices.filter((choice) => choice.value !== null)
  return { schema, isNullable: given.length < choices.length, kind: 'choice', choices: given }
}

function unionShape(schema: Schema, variants: readonly unknown[], root: Schema): Shape {
  const { oneOf: _one, anyOf: _any, ...outer } = schema
  const inner = variants.map((variant) => settled(variant, root))
  const given = inner.filter((variant) => variant['type'] !== 'null' && variant['const'] !== null)
  const isNullable = given.length < inner.length
  // Only demands on top of what the outer schema says, such as "one of these two is required".
  if (given.every((variant) => !describesValue(variant))) return { ...typedShape(outer), isNullable }
  if (given.every((variant) => 'const' in variant)) {
    const choices = given.map((variant) => ({
      ...plainChoice(variant['const']),
      ...(typeof variant['title'] === 'string' ? { label: variant['title'] } : {}),
      ...(typeof variant['description'] === 'string' ? { description: variant['description'] } : {}),
    }))
    return { schema, isNullable, kind: 'choice', choices }
  }
  if (given.length === 1) {
    const only = shapeOf(laidTogether(outer, given[0]!), root)
    return { ...only, isNullable: isNullable || only.isNullable }
  }
  return {
    schema: outer,
    isNullable,
    kind: 'union',
    variants: given.map((each) => laidTogether(each, withoutWords(outer))),
  }
}

function describesValue(schema: Schema): boolean {
  return ['type', 'properties', 'const', 'enum', 'oneOf', 'anyOf', 'items', '$ref'].some(
    (key) => key in schema,
  )
}

function withoutWords({
  title: _title,
  description: _description,
  default: _default,
  ...rest
}: Schema): Schema {
  return rest
}

function typedShape(schema: Schema): Shape {
  const types = typesOf(schema)
  const given = types.filter((type) => type !== 'null')
  const isNullable = given.length > 0 && given.length < types.length
  if (given.length > 1)
    return {
      schema,
      isNullable,
      kind: 'union',
      variants: given.map((type) => ({ ...schema, type, title: type })),
    }
  const kind = (given[0] ?? (types.length > 0 ? 'null' : 'any')) as 'string'
  return { schema, isNullable, kind }
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type as string[]
  if ('properties' in schema) return ['object']
  if ('items' in schema || 'prefixItems' in schema) return ['array']
  return []
}

/** What a field is called: its title, or its key in words. */
export function labelOf(schema: Schema, key: string): string {
  return typeof schema['title'] === 'string' && schema['title'] !== '' ? schema['title'] : key
}

/** How a variant of a union is named in its select. */
export function variantLabel(variant: Schema, index: number, root: Schema): string {
  if (typeof variant['title'] === 'string') return variant['title']
  const properties = variant['properties'] as Record<string, unknown> | undefined
  for (const [key, property] of Object.entries(properties ?? {})) {
    const shape = shapeOf(property, root)
    if (shape.kind === 'const') return `${key}: ${String(shape.value)}`
  }
  if (typeof variant['type'] === 'string' && variant['type'] !== 'object') return variant['type']
  const names = Object.keys(properties ?? {})
  return names.length > 0 ? `with ${names.slice(0, 3).join(', ')}` : `variant ${index + 1}`
}
