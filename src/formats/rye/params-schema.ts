// The parameter schema of a tool: `input_schema`, else CONFIG_SCHEMA, else `parameters`, else the signature of a
// Python `main`, else any object.
import { defined } from '../../tool/defined.ts'
import { canonicalJson, type Json } from '../../tool/json.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { badDefaults } from './default-values.ts'
import type { FieldValues } from './field-values.ts'
import { compileParameters, propertiesOf } from './parameter-list.ts'
import { put } from './plain-json.ts'
import type { ProblemList } from './problem-list.ts'
import type { Reading, Signature } from './reading.ts'
import type { FieldName } from './shapes.ts'

export interface ParamsSource {
  readonly schema: JsonSchema
  readonly from: 'input_schema' | 'config_schema' | 'parameters' | 'signature' | 'none'
}

export function paramsSchema(
  reading: Reading,
  values: FieldValues,
  problems: ProblemList,
  entersMain: boolean,
): ParamsSource {
  const sources: ParamsSource[] = []
  for (const field of ['input_schema', 'config_schema'] as const) {
    const schema = values.map(field)
    if (!schema) continue
    sources.push({ schema, from: field })
    checkSchema(field, schema, problems)
  }
  const list = values.list('parameters')
  if (list) sources.push({ schema: compileParameters(list, problems), from: 'parameters' })
  const first = sources[0]
  if (!first) return inferred(reading, values, problems, entersMain)
  for (const other of sources.slice(1)) {
    if (comparable(other.schema) !== comparable(first.schema))
      problems.addAt(
        'schema-conflict',
        other.from,
        '',
        `${nameOf(reading, other.from)} differs from ${nameOf(reading, first.from)}, which is the one used.`,
        'Keep one of them, or make them equal.',
      )
  }
  reportDefaults(first, values, problems)
  if (first.from !== 'parameters') notePractice(first.from, first.schema, problems)
  return first
}

/** Reports why a schema would not compile; `at` leads to the place in the field where it stands. */
export function checkSchema(field: FieldName, schema: JsonSchema, problems: ProblemList, at = ''): void {
  for (const finding of lintSchema(schema)) {
    const pointer = `${at}${finding.pointer}`
    problems.addAt(finding.code, field, pointer, `${field}${pointer}: ${finding.message}.`)
  }
}

const otherTypes: readonly unknown[] = ['array', 'string', 'number', 'integer', 'boolean', 'null']

/** Parameters are given by name, whoever calls: a schema that takes no object can never be met. */
export function mustTakeObject(field: FieldName, schema: JsonSchema, problems: ProblemList, at = ''): void {
  const types = [schema['type'] ?? 'object'].flat()
  if (!types.every((type) => otherTypes.includes(type))) return
  problems.addAt(
    'schema-invalid',
    field,
    `${at}/type`,
    `${field}${at}/type: parameters are given by name, so their schema is that of an object; this one takes ${types.join(' or ')}.`,
    'Write type: object, and what the tool takes under properties.',
  )
}

function reportDefaults(source: ParamsSource, values: FieldValues, problems: ProblemList): void {
  for (const { pointer, message } of badDefaults(source.schema)) {
    let at = pointer
    if (source.from === 'parameters') {
      const name = pointer.split('/')[2]!
      const index = values.list('parameters')!.findIndex((param) => param['name'] === name)
      at = `/${index}${pointer.slice(`/properties/${name}`.length)}`
    }
    problems.addAt(
      'default-invalid',
      source.from,
      at,
      `The default at ${pointer} breaks its own schema: ${message}.`,
    )
  }
}

function notePractice(
  field: 'input_schema' | 'config_schema' | string,
  schema: JsonSchema,
  problems: ProblemList,
): void {
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const at = `/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (property?.['description'] === undefined && property?.['$ref'] === undefined)
      problems.addAt('param-undocumented', field, at, `Parameter ${name} has no description.`)
    if (!/^[a-z][a-z0-9_]*$/.test(name))
      problems.addAt('param-name-style', field, at, `Parameter name ${name} is not snake_case.`)
  }
}

function nameOf(reading: Reading, field: string): string {
  return reading.fields.get(field)?.name ?? field
}

function comparable(schema: JsonSchema): string {
  const { required, additionalProperties, ...rest } = schema
  return canonicalJson(
    defined({
      type: 'object',
      properties: {},
      ...rest,
      required: Array.isArray(required) && required.length > 0 ? [...required].sort() : undefined,
      additionalProperties:
        additionalProperties === undefined || additionalProperties === true
          ? undefined
          : additionalProperties,
    }),
  )
}

function inferred(
  reading: Reading,
  values: FieldValues,
  problems: ProblemList,
  entersMain: boolean,
): ParamsSource {
  const signature = reading.code?.mainSignature
  if (!entersMain || !signature) return { schema: { type: 'object' }, from: 'none' }
  problems.add('schema-inferred', 'The parameters are taken from the signature of main().', {
    hint: 'Declare CONFIG_SCHEMA to describe them.',
  })
  return { schema: signatureSchema(signature, values.has('config_resolve')), from: 'signature' }
}

const annotations: { readonly [name: string]: string } = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'array',
}

function signatureSchema(signature: Signature, getsConfig: boolean): JsonSchema {
  const properties: { [name: string]: Json } = {}
  const required: string[] = []
  for (const param of signature.params) {
    if (getsConfig && param.name === 'resolved_config') continue
    const base = param.annotation?.replace(/\[[\s\S]*\]$/, '').trim() ?? ''
    const type = Object.hasOwn(annotations, base.toLowerCase()) ? annotations[base.toLowerCase()] : undefined
    const isNullable = param.fallback === null
    put(
      properties,
      param.name,
      defined({
        type: type ? (isNullable ? [type, 'null'] : type) : undefined,
        default: param.fallback,
      }),
    )
    if (!param.hasDefault) required.push(param.name)
  }
  return defined({
    type: 'object',
    properties,
    required: required.length > 0 ? required : undefined,
    additionalProperties: signature.takesExtra ? undefined : false,
  })
}
