// Schemas and examples. A schema is linted here and compiled only when a value must be judged that the quick
// look could not settle, so listing many tools compiles next to nothing.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { isSurelyValid } from '../../tool/schema/surely-valid.ts'
import { structuredCloneJson } from '../../tool/schema/validate.ts'
import type { Example, JsonSchema } from '../../tool/tool.ts'
import type { Findings } from './findings.ts'
import type { ProblemCode } from './severities.ts'

/** The schema, or null when it is faulty; absent counts as `{}`. */
export function checkSchema(
  given: unknown,
  key: 'input_schema' | 'output_schema',
  findings: Findings,
): JsonSchema | null {
  const at = `/context/${key}`
  if (given === undefined) {
    findings.add('tc-field-missing', at, `context.${key} is missing: anything is accepted.`, {
      hint: `Describe it, for example "${key}": {"type": "object", "properties": {}}.`,
    })
    return {}
  }
  if (!isPlainObject(given)) {
    findings.add('tc-schema-invalid', at, `context.${key} must be a JSON Schema object.`)
    return null
  }
  const faults = lintSchema(given)
  for (const fault of faults)
    findings.add(
      'tc-schema-invalid',
      `${at}${fault.pointer}`,
      `context.${key} is not valid${fault.pointer ? ` at ${fault.pointer}` : ''}: ${fault.message}.`,
    )
  return faults.length === 0 ? (given as JsonObject) : null
}

export function checkExamples(
  given: unknown,
  schemas: { readonly input: JsonSchema | null; readonly output: JsonSchema | null },
  findings: Findings,
): readonly Example[] {
  const at = '/context/examples'
  if (given === undefined) {
    findings.add('tc-field-missing', at, 'context.examples is missing.', {
      hint: 'An example {input, output, description} shows how to call the tool and is run by `toolcrib test`.',
    })
    return []
  }
  if (!Array.isArray(given)) {
    findings.add('tc-example', at, 'context.examples must be a list.')
    return []
  }
  return given.flatMap((item, index) => readExample(item, `${at}/${index}`, schemas, findings))
}

function readExample(
  item: unknown,
  at: string,
  schemas: { readonly input: JsonSchema | null; readonly output: JsonSchema | null },
  findings: Findings,
): Example[] {
  if (!isPlainObject(item)) {
    findings.add('tc-example', at, 'An example must be an object with input and output.')
    return []
  }
  const { match } = item
  if (match !== undefined && match !== 'exact' && match !== 'schema') {
    findings.add(
      'tc-example',
      `${at}/match`,
      `match is ${JSON.stringify(match)}; it must be "exact" or "schema".`,
    )
    return []
  }
  const input = item['input'] ?? {}
  checkValue(input, schemas.input, {
    fillDefaults: true,
    code: 'tc-example',
    at: `${at}/input`,
    what: 'The example input',
    findings,
  })
  if (item['output'] !== undefined)
    checkValue(item['output'], schemas.output, {
      fillDefaults: false,
      code: 'tc-example',
      at: `${at}/output`,
      what: 'The example output',
      findings,
    })
  else if (match !== 'schema')
    findings.add(
      'tc-example',
      at,
      'The example has no output, so only the schema of the result is checked.',
      {
        lesser: true,
        hint: 'Add the expected output, or "match": "schema".',
      },
    )
  const title = [item['description'], item['explanation']].find((text) => typeof text === 'string')
  return [
    {
      title: title as string | undefined,
      params: input,
      expect: item['output'],
      match: match ?? 'exact',
    },
  ]
}

/** Reports every violation of a value given in the document, each at its own pointer. */
export function checkValue(
  value: unknown,
  schema: JsonSchema | null,
  {
    fillDefaults,
    code,
    at,
    what,
    findings,
  }: {
    readonly fillDefaults: boolean
    readonly code: ProblemCode
    readonly at: string
    readonly what: string
    readonly findings: Findings
  },
): void {
  if (schema === null || isSurelyValid(schema, value)) return
  const violations = compileSchema(schema, { fillDefaults }).violations(
    fillDefaults ? structuredCloneJson(value) : value,
  )
  for (const violation of violations)
    findings.add(
      code,
      `${at}${violation.pointer}`,
      `${what} fails its schema: ${violation.pointer || 'it'} ${violation.message}.`,
    )
}
