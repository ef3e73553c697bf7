// The value a form begins with: defaults, constants, and the skeleton of what is required.
import { listOf, type Schema, settled, shapeOf } from './schema.ts'

const deepest = 8

/** Undefined means that the field is left out. */
export function initialValue(given: unknown, root: Schema, isRequired: boolean, depth = 0): unknown {
  const shape = shapeOf(given, root)
  const { schema } = shape
  if ('default' in schema) return structuredClone(schema['default'])
  if (shape.kind === 'const') return isRequired ? shape.value : undefined
  if (depth > deepest) return undefined
  if (shape.kind === 'object') return initialObject(schema, root, isRequired, depth)
  if (!isRequired) return undefined
  if (shape.kind === 'array') return initialArray(schema, root, depth)
  if (shape.kind === 'boolean') return false
  if (shape.kind === 'null') return null
  if (shape.kind === 'union' && !shape.isNullable)
    return initialValue(shape.variants[0], root, true, depth + 1)
  return undefined
}

function initialObject(schema: Schema, root: Schema, isRequired: boolean, depth: number): unknown {
  const required = listOf(schema['required'])
  const value: Record<string, unknown> = {}
  for (const [key, property] of Object.entries((schema['properties'] ?? {}) as Record<string, unknown>)) {
    const inner = initialValue(property, root, required.includes(key), depth + 1)
    // An optional part is offered, not filled in, unless it has a default of its own.
    if (inner !== undefined && (required.includes(key) || 'default' in settled(property, root)))
      value[key] = inner
  }
  return isRequired || depth === 0 ? value : undefined
}

function initialArray(schema: Schema, root: Schema, depth: number): unknown[] {
  const least = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 20) : 0
  return Array.from({ length: least }, () => initialValue(schema['items'], root, true, depth + 1) ?? null)
}
