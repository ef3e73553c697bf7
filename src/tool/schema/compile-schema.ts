// JSON Schema to a validator: 2020-12, or draft-07 where `$schema` says so. Compiled once per digest and
// kept; linted first, so that a deep, huge, cyclic or slow schema is refused and never compiled.
import { createRequire } from 'node:module'
import type { Ajv as AjvType, ErrorObject, ValidateFunction } from 'ajv'
import { Budget, BudgetError } from '../budget.ts'
import { jsonDigest } from '../json.ts'
import { compileRegExp } from '../pattern.ts'
import { escapePointer } from '../pointer.ts'
import type { JsonSchema } from '../tool.ts'
import { ToolError } from '../tool-error.ts'
import { isLarger, sizeWithoutClock } from './check-cost.ts'
import { lintSchema } from './lint-schema.ts'

export interface Violation {
  /** JSON pointer of the faulty value (of the missing or extra one, for those). */
  readonly pointer: string
  readonly keyword: string
  readonly message: string
}

export interface Validator {
  /** Empty when valid. With defaults, they are written into `value` itself: pass a copy. */
  violations(value: unknown): Violation[]
}

const maxCompiled = 5_000
const maxCheckMs = 1_000
const byDigest = new Map<string, Validator>()
const byObject = { plain: new WeakMap<object, Validator>(), filling: new WeakMap<object, Validator>() }

/** The validator of a schema; throws SCHEMA_INVALID naming the first fault with its pointer. */
export function compileSchema(schema: JsonSchema, options: { fillDefaults: boolean }): Validator {
  const known = options.fillDefaults ? byObject.filling : byObject.plain
  const seen = known.get(schema)
  if (seen) return seen
  const findings = lintSchema(schema)
  if (findings.length > 0) {
    const first = findings[0]!
    throw new ToolError(
      'SCHEMA_INVALID',
      `The schema is not valid at ${first.pointer || 'its root'}: ${first.message}.`,
      { details: findings.map((finding) => ({ ...finding })) },
    )
  }
  const key = `${options.fillDefaults ? 'd' : 'p'}${jsonDigest(schema)}`
  let validator = byDigest.get(key)
  if (!validator) {
    validator = makeValidator(schema, options.fillDefaults)
    if (byDigest.size >= maxCompiled) byDigest.delete(byDigest.keys().next().value!)
    byDigest.set(key, validator)
  }
  known.set(schema, validator)
  return validator
}

function makeValidator(schema: JsonSchema, fillDefaults: boolean): Validator {
  let validate: ValidateFunction
  try {
    validate = newAjv(schema, fillDefaults).compile(schema)
  } catch (error) {
    throw new ToolError('SCHEMA_INVALID', `The schema does not compile: ${(error as Error).message}.`)
  }
  const unclocked = sizeWithoutClock(schema)
  return {
    violations(value) {
      const isLong = isLarger(value, unclocked)
      const isValid = isLong ? inTime(() => validate(value)) : validate(value)
      if (isValid === undefined)
        return [{ pointer: '', keyword: 'timeout', message: `takes longer than ${maxCheckMs} ms to check` }]
      if (isValid) return []
      // `if` only repeats that its `then` or `else` failed, which says it itself.
      const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'if')
      return unique(errors.map(toViolation))
    },
  }
}

/** What a check answers; undefined when it was not through after its time. */
function inTime(check: () => boolean): boolean | undefined {
  try {
    return new Budget({ ms: maxCheckMs }).run(check)
  } catch (error) {
    if (error instanceof BudgetError) return undefined
    throw error
  }
}

/** Several parts of a schema may say the same of one value. */
function unique(violations: readonly Violation[]): Violation[] {
  const byText = new Map(violations.map((one) => [`${one.pointer} ${one.keyword} ${one.message}`, one]))
  return [...byText.values()]
}

function isDraft07(schema: JsonSchema): boolean {
  const dialect = schema['$schema']
  return typeof dialect === 'string' && /draft-0?[4-7]/.test(dialect)
}

const require = createRequire(import.meta.url)
let parts: { Ajv: typeof AjvType; Ajv2020: typeof AjvType; addFormats: (ajv: AjvType) => void } | undefined

// A fresh instance per schema: `$id`s of different tools cannot collide, and memory goes with the validator.
// Ajv is loaded on the first compile; listing a crib never needs it.
function newAjv(schema: JsonSchema, fillDefaults: boolean): AjvType {
  parts ??= {
    Ajv: require('ajv').Ajv,
    Ajv2020: require('ajv/dist/2020').Ajv2020,
    addFormats: require('ajv-formats').default,
  }
  const ajv = new (isDraft07(schema) ? parts.Ajv : parts.Ajv2020)({
    strict: false,
    allErrors: true,
    useDefaults: fillDefaults,
    validateSchema: false,
    logger: false,
    // A parameter called "constructor" is not given because every object inherits one; the check costs time.
    ownProperties: inherited.test(JSON.stringify(schema)),
    code: { regExp: regExpEngine },
  })
  parts.addFormats(ajv)
  ajv.addKeyword({ keyword: '$resolve', schemaType: 'string' })
  return ajv
}

const inherited = new RegExp(`"(${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

const regExpEngine = Object.assign(
  (source: string) => {
    // Whatever backtracks is under the clock of the whole check.
    const pattern = compileRegExp(source)
    // Ajv tells patterns apart by their text; without one, all of a schema would be the first.
    return { test: (text: string) => pattern.test(text), toString: () => source }
  },
  { code: 'compileRegExp' },
)

function toViolation(error: ErrorObject): Violation {
  const params = error.params as Record<string, unknown>
  const named = params['missingProperty'] ?? unknownProperty(params)
  const pointer =
    typeof named === 'string' ? `${error.instancePath}/${escapePointer(named)}` : error.instancePath
  return { pointer, keyword: error.keyword, message: wordsOf(error, params) }
}

function unknownProperty(params: Record<string, unknown>): unknown {
  return params['additionalProperty'] ?? params['unevaluatedProperty']
}

function wordsOf(error: ErrorObject, params: Record<string, unknown>): string {
  switch (error.keyword) {
    case 'required':
      return `is required`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property'
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`
    default:
      return error.message ?? `fails ${error.keyword}`
  }
}
