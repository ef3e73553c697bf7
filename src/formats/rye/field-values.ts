// The fields of a file with their types checked. A field of the wrong type is reported and then left out, so the
// code behind this can trust what it gets.
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { ProblemList } from './problem-list.ts'
import type { Reading } from './reading.ts'
import type { FieldName } from './shapes.ts'

type Kind = 'text' | 'name' | 'executor' | 'texts' | 'list' | 'map' | 'seconds' | 'schema' | 'actions' | 'any'

const kinds: { readonly [field in FieldName]: Kind } = {
  tool_id: 'text',
  category: 'text',
  tool_type: 'name',
  version: 'any',
  description: 'text',
  executor_id: 'executor',
  requires: 'texts',
  parameters: 'list',
  input_schema: 'schema',
  config_schema: 'schema',
  output_schema: 'schema',
  outputs: 'any',
  actions: 'actions',
  tags: 'texts',
  config: 'map',
  timeout: 'seconds',
  retry_policy: 'map',
  cost: 'map',
  documentation: 'map',
  metadata: 'map',
  config_resolve: 'any',
  env_config: 'map',
  anchor: 'map',
  verify_deps: 'map',
  extensions: 'texts',
}

const words: { readonly [kind in Kind]: string } = {
  text: 'a string',
  name: 'a string that is not empty',
  executor: 'a string or null',
  texts: 'a list of strings',
  list: 'a list of objects',
  map: 'an object',
  seconds: 'a number of seconds above 0',
  schema: 'a JSON Schema object',
  actions: 'an object of actions, or a list of actions with names',
  any: 'anything',
}

export interface FieldValues {
  has(field: FieldName): boolean
  text(field: FieldName): string | undefined
  texts(field: FieldName): readonly string[] | undefined
  map(field: FieldName): JsonObject | undefined
  list(field: FieldName): readonly JsonObject[] | undefined
  raw(field: FieldName): Json | undefined
}

export function checkFieldTypes(reading: Reading, problems: ProblemList): FieldValues {
  const values = new Map<FieldName, Json>()
  const present = new Set<FieldName>()
  for (const [name, { value, name: written }] of reading.fields) {
    const field = name as FieldName
    present.add(field)
    const kind = kinds[field]
    if (fits(kind, value)) values.set(field, value)
    else if (Array.isArray(value) && (kind === 'texts' || kind === 'list')) {
      for (const [index, item] of value.entries())
        if (!fits(kind, [item]))
          problems.addAt(
            'field-type',
            field,
            `/${index}`,
            `Item ${index + 1} of ${written} must be ${kind === 'texts' ? 'a string' : 'an object'}; it is ${describe(item)}.`,
          )
    } else
      problems.addAt(
        'field-type',
        field,
        '',
        `${written} must be ${words[kind]}; it is ${describe(value)}.`,
        field === 'requires' || field === 'tags'
          ? `Write ${written} as a list, also for a single item.`
          : undefined,
      )
  }
  return {
    has: (field) => present.has(field),
    text: (field) => (typeof values.get(field) === 'string' ? (values.get(field) as string) : undefined),
    texts: (field) => values.get(field) as readonly string[] | undefined,
    map: (field) => (isPlainObject(values.get(field)) ? (values.get(field) as JsonObject) : undefined),
    list: (field) => values.get(field) as readonly JsonObject[] | undefined,
    raw: (field) => values.get(field),
  }
}

function fits(kind: Kind, value: Json): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'name':
      return typeof value === 'string' && value.trim() !== ''
    case 'executor':
      return value === null || (typeof value === 'string' && value !== '')
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    case 'list':
      return Array.isArray(value) && value.every(isPlainObject)
    case 'map':
    case 'schema':
      return isPlainObject(value)
    case 'seconds':
      return typeof value === 'number' && value > 0
    case 'actions':
      return Array.isArray(value)
        ? value.every((item) => isPlainObject(item) && typeof item['name'] === 'string')
        : isPlainObject(value) && Object.values(value).every((item) => item === null || isPlainObject(item))
    case 'any':
      return true
  }
}

/** A value in a few words, for messages. */
export function describe(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value)
  return `${typeof value} ${text.length > 40 ? `${text.slice(0, 39)}…` : text}`
}
