// A `parameters` list to a JSON Schema object.
import { defined } from '../../tool/defined.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { put } from './plain-json.ts'
import type { ProblemList } from './problem-list.ts'
import { anyType } from './read-tags.ts'

/** Field and pointer under which the list stands, so that a problem finds its line. */
export interface ListPlace {
  readonly field: string
  readonly pointer: string
}

export function compileParameters(
  list: readonly JsonObject[],
  problems: ProblemList,
  place: ListPlace = { field: 'parameters', pointer: '' },
): JsonSchema {
  const properties: { [name: string]: Json } = {}
  const required: string[] = []
  for (const [index, param] of list.entries()) {
    const at = `${place.pointer}/${index}`
    const name = param['name']
    if (typeof name !== 'string' || name === '') {
      problems.addAt('missing-field', place.field, at, `Parameter ${index + 1} has no name.`, 'Add `name:`.')
      continue
    }
    if (param['type'] === undefined)
      problems.addAt(
        'missing-field',
        place.field,
        at,
        `Parameter ${name} has no type.`,
        'Add `type:`, for example `type: string`.',
      )
    if (Object.hasOwn(properties, name)) {
      problems.addAt(
        'param-duplicate',
        place.field,
        at,
        `Parameter ${name} is declared twice.`,
        'Remove one of the two.',
      )
      continue
    }
    const schema = propertySchema(param)
    for (const finding of lintSchema(schema))
      problems.addAt(
        finding.code,
        place.field,
        `${at}${finding.pointer}`,
        `Parameter ${name}: ${finding.message}.`,
      )
    notePractice(param, { name, at, problems, field: place.field })
    put(properties, name, schema)
    if (param['required'] === true) required.push(name)
    else if (param['required'] !== undefined && typeof param['required'] !== 'boolean')
      problems.addAt(
        'field-type',
        place.field,
        `${at}/required`,
        `Parameter ${name}: required must be true or false.`,
      )
  }
  return defined({ type: 'object', properties, required: required.length > 0 ? required : undefined })
}

const ownKeys = new Set(['name', 'required', 'type', 'min', 'max'])

function propertySchema(param: JsonObject): JsonObject {
  const schema: { [keyword: string]: Json } = {}
  const type = jsonType(param['type'])
  if (type !== undefined) schema['type'] = type
  if (param['min'] !== undefined) schema['minimum'] = param['min']
  if (param['max'] !== undefined) schema['maximum'] = param['max']
  for (const [key, value] of Object.entries(param)) if (!ownKeys.has(key)) put(schema, key, value)
  return schema
}

function jsonType(type: Json | undefined): Json | undefined {
  if (Array.isArray(type)) {
    return type.length === anyType.length && anyType.every((name) => type.includes(name))
      ? undefined
      : type.map((name) => (name === 'float' ? 'number' : name))
  }
  return type === 'float' ? 'number' : type
}

function notePractice(
  param: JsonObject,
  {
    name,
    at,
    problems,
    field,
  }: { readonly name: string; readonly at: string; readonly problems: ProblemList; readonly field: string },
): void {
  const lacks = ['description', 'required'].filter((key) => param[key] === undefined)
  if (lacks.length > 0)
    problems.addAt(
      'param-undocumented',
      field,
      at,
      `Parameter ${name} has no ${lacks.join(' and no ')}.`,
      'State both for every parameter.',
    )
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    problems.addAt('param-name-style', field, at, `Parameter name ${name} is not snake_case.`)
}

/** The properties of an object schema, by name. */
export function propertiesOf(schema: JsonSchema | null): { readonly [name: string]: JsonObject } {
  const properties = schema?.['properties']
  return isPlainObject(properties) ? (properties as { [name: string]: JsonObject }) : {}
}
