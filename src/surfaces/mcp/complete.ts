// Completion of arguments: the values of `enum`, `const` and `boolean` that begin with what was typed.
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'

const maxValues = 100

export function completions(
  tool: Tool,
  argument: string,
  typed: string,
): { values: string[]; total: number; hasMore: boolean } {
  const properties = tool.params?.['properties']
  const property = isPlainObject(properties) ? properties[argument] : undefined
  const start = typed.toLowerCase()
  const found = valuesOf(property).filter((value) => value.toLowerCase().startsWith(start))
  return { values: found.slice(0, maxValues), total: found.length, hasMore: found.length > maxValues }
}

function valuesOf(property: unknown): string[] {
  if (!isPlainObject(property)) return []
  if (Array.isArray(property['enum'])) return property['enum'].map(String)
  if (property['const'] !== undefined) return [String(property['const'])]
  if (property['type'] === 'boolean') return ['true', 'false']
  const alternatives = property['anyOf'] ?? property['oneOf']
  if (Array.isArray(alternatives)) return [...new Set(alternatives.flatMap(valuesOf))]
  return isPlainObject(property['items']) ? valuesOf(property['items']) : []
}
