// The `parameters` of a tool: what counts as a schema, and which names a caller may use.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import type { Report } from './report.ts'

/** A tool that takes nothing. */
export const noParameters: JsonSchema = { type: 'object', properties: {} }

/** The schema of a tool; reports what makes it unusable and then falls back to "takes nothing". */
export function readParameters(value: unknown, pointer: string, report: Report): JsonSchema {
  if (value === undefined || value === null) return noParameters
  if (!isPlainObject(value)) {
    report.error('parameters-not-object', pointer, 'parameters must be a JSON Schema of type "object"')
    return noParameters
  }
  if (Object.keys(value).length === 0) return noParameters
  const isObject =
    value['type'] === 'object' || (value['type'] === undefined && isPlainObject(value['properties']))
  if (!isObject) {
    const at = value['type'] === undefined ? pointer : `${pointer}/type`
    report.error('parameters-not-object', at, 'parameters must be a JSON Schema of type "object"')
    return noParameters
  }
  const findings = lintSchema(value)
  for (const finding of findings) {
    const code = finding.code === 'pattern-invalid' ? finding.code : 'schema-invalid'
    report.error(code, pointer + finding.pointer, `the schema does not compile: ${finding.message}`)
  }
  if (findings.length > 0) return noParameters
  return (value['type'] === undefined ? { type: 'object', ...value } : value) as JsonSchema
}

/** Names a caller may use; undefined when any name will do. */
export function declaredNames(schema: JsonSchema): readonly string[] | undefined {
  const { properties, additionalProperties } = schema
  if (!isPlainObject(properties)) return undefined
  if (additionalProperties === true || isPlainObject(additionalProperties)) return undefined
  return Object.keys(properties)
}

/** Patterns whose names count as declared, too. */
export function declaredPatterns(schema: JsonSchema): readonly string[] {
  const patterns = schema['patternProperties'] as JsonObject | undefined
  return isPlainObject(patterns) ? Object.keys(patterns) : []
}
