// `$resolve` at the root of a schema: the context may hold the schema that counts.
import { isPlainObject } from '../json.ts'
import { pathGet } from '../path.ts'
import type { JsonSchema } from '../tool.ts'
import { compileSchema } from './compile-schema.ts'

/** The schema the path leads to when that is an object, else the static one. */
export function resolveSchema(schema: JsonSchema, context: object): JsonSchema {
  const path = schema['$resolve']
  if (typeof path !== 'string') return schema
  const found = pathGet(context, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as JsonSchema) : schema
}

/** The schema descriptions show: the resolved one, unless that does not compile. */
export function describedSchema(schema: JsonSchema, context: object): JsonSchema {
  const resolved = resolveSchema(schema, context)
  if (resolved === schema) return schema
  try {
    compileSchema(resolved, { fillDefaults: false })
    return resolved
  } catch {
    return schema
  }
}

/** The schema without the keyword, as models and MCP clients see it. */
export function withoutResolve(schema: JsonSchema): JsonSchema {
  if (!isPlainObject(schema) || !('$resolve' in schema)) return schema
  const { $resolve: _dropped, ...rest } = schema
  return rest as JsonSchema
}
