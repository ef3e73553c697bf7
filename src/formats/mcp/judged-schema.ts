// What is checked of a foreign server's schema before and after a call. The server judges its own input: a required
// property that has a default is its to fill (U3c), and parts that are odd are not held against a call (U2a).
import { isPlainObject } from '../../tool/json.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { withoutFaults } from '../../tool/schema/without-faults.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const known = new WeakMap<JsonSchema, JsonSchema>()

/** The schema without its faulty parts, and without the demand for properties that the server fills itself. */
export function judgedSchema(schema: JsonSchema): JsonSchema {
  let judged = known.get(schema)
  if (!judged) {
    judged = filledByServer(withoutFaults(schema)) as JsonSchema
    known.set(schema, judged)
  }
  return judged
}

/** True when nothing can be made of it: it is faulty at its root, or too large to look through. */
export function isUnreadable(schema: JsonSchema): boolean {
  return lintSchema(schema).some(({ pointer }) => pointer === '')
}

function filledByServer(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(filledByServer)
  if (!isPlainObject(node)) return node
  const filled: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) filled[key] = data.has(key) ? value : filledByServer(value)
  const { properties, required } = node
  if (Array.isArray(required) && isPlainObject(properties))
    filled['required'] = required.filter((name) => !hasDefault(properties, name))
  return filled
}

/** Keywords whose values are data, not schemas. */
const data = new Set(['default', 'enum', 'const', 'examples', 'required'])

function hasDefault(properties: Record<string, unknown>, name: unknown): boolean {
  const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isPlainObject(property) && 'default' in property
}
