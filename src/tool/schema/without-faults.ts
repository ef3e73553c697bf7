// A schema of somebody else without its faulty parts, for those who must work with it as it is.
import { isPlainObject } from '../json.ts'
import { pointerKeys } from '../pointer.ts'
import type { JsonSchema } from '../tool.ts'
import { lintSchema } from './lint-schema.ts'

/** Taking a faulty part away may show another; of a schema that needs more rounds nothing is kept. */
const maxRounds = 8

/** The same object when it is sound; one that takes anything when nothing can be made of it. */
export function withoutFaults(schema: JsonSchema): JsonSchema {
  let findings = lintSchema(schema)
  if (findings.length === 0) return schema
  const copy = structuredClone(schema) as Record<string, unknown>
  for (let round = 0; findings.length > 0 && round < maxRounds; round++) {
    if (findings.some(({ pointer }) => pointer === '')) return {}
    for (const { pointer } of findings) remove(copy, pointerKeys(pointer))
    findings = lintSchema(copy)
  }
  return findings.length > 0 ? {} : (copy as JsonSchema)
}

/** Takes away what a path leads to; a member of a list becomes `true`, so that its neighbours stay where they are. */
function remove(root: unknown, path: readonly string[]): void {
  let node = root
  for (const key of path.slice(0, -1)) node = (node as { [key: string]: unknown } | undefined)?.[key]
  const last = path.at(-1)!
  if (Array.isArray(node)) node[Number(last)] = true
  else if (isPlainObject(node)) delete node[last]
}
