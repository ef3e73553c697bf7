// Whether alternatives exclude each other, so that `oneOf` may be said as `anyOf`.
import { isPlainObject } from '../../tool/json.ts'

type Schema = Record<string, unknown>

/** True when no value can fit two of them: different types, or a property with different fixed values. */
export function areDisjoint(branches: readonly (Schema | undefined)[]): boolean {
  return branches.every((a, index) =>
    branches.slice(index + 1).every((b) => a && b && (differInType(a, b) || differInConst(a, b))),
  )
}

function differInType(a: Schema, b: Schema): boolean {
  if (a['type'] === undefined || b['type'] === undefined) return false
  const wide = (schema: Schema) =>
    [schema['type']].flat().map((type) => (type === 'integer' ? 'number' : type))
  return !wide(a).some((type) => wide(b).includes(type))
}

function differInConst(a: Schema, b: Schema): boolean {
  const [of, other] = [a, b].map((schema) =>
    isPlainObject(schema['properties']) ? schema['properties'] : {},
  )
  const isRequired = (schema: Schema, name: string) =>
    Array.isArray(schema['required']) && schema['required'].includes(name)
  return Object.keys(of!).some((name) => {
    if (!isRequired(a, name) || !isRequired(b, name)) return false
    const [mine, theirs] = [of![name], other![name]].map(fixedValues)
    return mine !== undefined && theirs !== undefined && !mine.some((value) => theirs.includes(value))
  })
}

function fixedValues(schema: unknown): string[] | undefined {
  if (!isPlainObject(schema)) return undefined
  if ('const' in schema) return [JSON.stringify(schema['const'])]
  return Array.isArray(schema['enum']) ? schema['enum'].map((value) => JSON.stringify(value)) : undefined
}
