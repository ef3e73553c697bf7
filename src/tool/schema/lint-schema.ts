// Judges a JSON Schema before anything compiles it: bounded size and depth, known types, keyword shapes,
// patterns that compile, references that stay inside and resolve. Each finding carries a JSON pointer.
import { Budget } from '../budget.ts'
import { isPlainObject } from '../json.ts'
import { compileRegExp } from '../pattern.ts'
import { escapePointer, resolvePointer } from '../pointer.ts'

export interface SchemaFinding {
  readonly code: 'schema-invalid' | 'pattern-invalid' | 'enum-empty' | 'param-type-invalid'
  readonly pointer: string
  readonly message: string
}

export interface SchemaBounds {
  readonly maxDepth: number
  readonly maxNodes: number
  readonly maxPatternLength: number
}

const schemaBounds: SchemaBounds = { maxDepth: 64, maxNodes: 20_000, maxPatternLength: 2_000 }

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])
const oneSchema = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
])
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const counts = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
])
const numbers = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'])

/** Every reason why `schema` would not compile, or would cost too much to; empty when it is sound. */
export function lintSchema(schema: unknown, bounds: SchemaBounds = schemaBounds): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  const onPath = new Set<object>()
  const budget = new Budget({ steps: bounds.maxNodes, depth: bounds.maxDepth })
  let stopped = false

  function report(code: SchemaFinding['code'], pointer: string, message: string): void {
    findings.push({ code, pointer, message })
  }

  function visit(node: unknown, pointer: string, depth: number): void {
    if (stopped || typeof node === 'boolean') return
    if (!isPlainObject(node)) {
      report(
        'schema-invalid',
        pointer,
        `a schema is an object or a boolean, this is ${Array.isArray(node) ? 'a list' : JSON.stringify(node)}`,
      )
      return
    }
    if (onPath.has(node)) {
      report('schema-invalid', pointer, 'the schema contains itself; use $ref for recursion')
      return
    }
    const isTooDeep = !budget.allows('depth', depth)
    if (isTooDeep || !budget.allows('steps')) {
      stopped = true
      const { maxDepth, maxNodes } = bounds
      report(
        'schema-invalid',
        pointer,
        isTooDeep ? `nested deeper than ${maxDepth} levels` : `more than ${maxNodes} parts`,
      )
      return
    }
    onPath.add(node)
    for (const [keyword, value] of Object.entries(node)) {
      visitKeyword(keyword, value, `${pointer}/${escapePointer(keyword)}`, depth)
    }
    onPath.delete(node)
  }

  function visitKeyword(keyword: string, value: unknown, pointer: string, depth: number): void {
    if (keyword === 'type') checkType(value, pointer)
    else if (keyword === 'enum') checkEnum(value, pointer)
    else if (keyword === 'pattern') checkPattern(value, pointer)
    else if (keyword === 'required') checkStrings(value, pointer)
    else if (keyword === '$ref' || keyword === '$dynamicRef') checkRef(value, pointer)
    else if (keyword === 'items') visitItems(value, pointer, depth)
    else if (oneSchema.has(keyword)) visit(value, pointer, depth + 1)
    else if (schemaLists.has(keyword)) visitList(value, pointer, depth)
    else if (schemaMaps.has(keyword)) visitMap(keyword, value, pointer, depth)
    else if (keyword === 'dependentRequired')
      for (const [key, list] of Object.entries(isPlainObject(value) ? value : {}))
        checkStrings(list, `${pointer}/${escapePointer(key)}`)
    else if (counts.has(keyword) && !(Number.isInteger(value) && (value as number) >= 0))
      report('schema-invalid', pointer, `${keyword} must be a whole number from 0`)
    else if (numbers.has(keyword) && typeof value !== 'number')
      report('schema-invalid', pointer, `${keyword} must be a number`)
  }

  function checkType(value: unknown, pointer: string): void {
    const list = Array.isArray(value) ? value : [value]
    if (list.length === 0) report('param-type-invalid', pointer, 'type must name at least one type')
    for (const type of list) {
      if (!types.has(type as string)) {
        report(
          'param-type-invalid',
          pointer,
          `${JSON.stringify(type)} is no JSON Schema type; use ${[...types].join(', ')}`,
        )
      }
    }
  }

  function checkEnum(value: unknown, pointer: string): void {
    if (!Array.isArray(value)) report('schema-invalid', pointer, 'enum must be a list')
    else if (value.length === 0) report('enum-empty', pointer, 'enum must have at least one value')
  }

  function checkPattern(value: unknown, pointer: string): void {
    if (typeof value !== 'string') return report('pattern-invalid', pointer, 'pattern must be a string')
    if (value.length > bounds.maxPatternLength)
      return report(
        'pattern-invalid',
        pointer,
        `pattern is longer than ${bounds.maxPatternLength} characters`,
      )
    try {
      compileRegExp(value)
    } catch (error) {
      report('pattern-invalid', pointer, (error as Error).message)
    }
  }

  function checkStrings(value: unknown, pointer: string): void {
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
      report('schema-invalid', pointer, 'must be a list of names')
  }

  function checkRef(value: unknown, pointer: string): void {
    if (typeof value !== 'string') return report('schema-invalid', pointer, '$ref must be a string')
    if (/^https?:\/\/json-schema\.org\/draft/.test(value)) return
    if (!value.startsWith('#'))
      return report(
        'schema-invalid',
        pointer,
        `"${value}" points outside; only references inside the schema are followed`,
      )
    if (value.startsWith('#/') || value === '#') {
      let target: unknown
      try {
        target = resolvePointer(schema, decodeURIComponent(value.slice(1)))
      } catch {
        target = undefined
      }
      if (target === undefined) report('schema-invalid', pointer, `"${value}" points at nothing`)
      else if (isPlainObject(target) && isPureLoop(target))
        report('schema-invalid', pointer, `"${value}" leads back to itself`)
    }
  }

  function isPureLoop(start: Record<string, unknown>): boolean {
    const seen = new Set<object>()
    let node: unknown = start
    while (
      isPlainObject(node) &&
      typeof node['$ref'] === 'string' &&
      (node['$ref'].startsWith('#/') || node['$ref'] === '#')
    ) {
      if (seen.has(node)) return true
      seen.add(node)
      try {
        node = resolvePointer(schema, decodeURIComponent(node['$ref'].slice(1)))
      } catch {
        return false
      }
    }
    return false
  }

  function visitItems(value: unknown, pointer: string, depth: number): void {
    if (Array.isArray(value)) visitList(value, pointer, depth)
    else visit(value, pointer, depth + 1)
  }

  function visitList(value: unknown, pointer: string, depth: number): void {
    if (!Array.isArray(value) || value.length === 0)
      return report('schema-invalid', pointer, 'must be a list of schemas with at least one')
    value.forEach((item, index) => visit(item, `${pointer}/${index}`, depth + 1))
  }

  function visitMap(keyword: string, value: unknown, pointer: string, depth: number): void {
    if (!isPlainObject(value))
      return report('schema-invalid', pointer, `${keyword} must be an object of schemas`)
    for (const [key, item] of Object.entries(value)) {
      if (keyword === 'patternProperties') checkPattern(key, `${pointer}/${escapePointer(key)}`)
      visit(item, `${pointer}/${escapePointer(key)}`, depth + 1)
    }
  }

  visit(schema, '', 0)
  return findings
}
