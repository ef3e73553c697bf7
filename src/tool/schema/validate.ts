// Parameters in, checked parameters out. The caller's object is never changed.
import type { Json } from '../json.ts'
import { nearNames } from '../near-names.ts'
import type { JsonSchema } from '../tool.ts'
import { ToolError } from '../tool-error.ts'
import { compileSchema, type Violation } from './compile-schema.ts'

/**
 * Validates `value`, filling schema defaults first when asked (on a copy). Throws PARAMS_INVALID with every
 * violation and its pointer.
 */
export function validateParams(
  toolId: string,
  schema: JsonSchema,
  value: unknown,
  fillDefaults: boolean,
): unknown {
  const validator = compileSchema(schema, { fillDefaults })
  const checked = fillDefaults ? structuredCloneJson(value) : value
  const violations = validator.violations(checked)
  if (violations.length === 0) return checked
  throw new ToolError('PARAMS_INVALID', `${toolId}: ${describeViolations(violations)}.`, {
    details: faultDetails(violations),
    hint: paramsHint(toolId, schema, violations),
  })
}

/** Of more, only the number is told: a long list of wrong entries must not become a longer answer. */
const maxFaults = 100

/**
 * The details of PARAMS_INVALID and RESULT_INVALID: the first faults, by `pointer` and by `path`, as tools of the format
 * tool-code are used to, and how many there are.
 */
export function faultDetails(violations: readonly Violation[]): Json {
  const shown = violations.slice(0, maxFaults)
  return {
    violations: shown.map((violation) => ({ path: violation.pointer, ...violation })),
    count: violations.length,
  }
}

/** `/name is required; /count must be integer` */
export function describeViolations(violations: readonly Violation[], root = 'the parameters'): string {
  const shown = violations.slice(0, 5).map((violation) => `${violation.pointer || root} ${violation.message}`)
  const rest = violations.length - shown.length
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}

function paramsHint(toolId: string, schema: JsonSchema, violations: readonly Violation[]): string {
  const declared = Object.keys((schema['properties'] as Record<string, unknown> | undefined) ?? {})
  const extra = violations.find((violation) => /Properties$/.test(violation.keyword))
  if (extra) {
    const near = nearNames(extra.pointer.slice(1), declared, 1)
    if (near.length > 0) return `Did you mean "${near[0]}"?`
  }
  return declared.length > 0
    ? `Declared parameters: ${declared.join(', ')}. See \`toolcrib show ${toolId}\`.`
    : `See \`toolcrib show ${toolId}\`.`
}

/** A deep copy of JSON-like data; faster than structuredClone and keeps what JSON cannot hold by reference. */
export function structuredCloneJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(structuredCloneJson)
  const proto = Object.getPrototypeOf(value)
  if (proto !== Object.prototype && proto !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const given = (value as Record<string, unknown>)[key]
    const item = typeof given === 'object' ? structuredCloneJson(given) : given
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true })
    else copy[key] = item
  }
  return copy
}
