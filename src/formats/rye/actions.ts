// Sub-actions of a tool: `id#deploy` is the tool with the action chosen, `id` takes the action as a parameter.
import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { JsonSchema, ToolAction } from '../../tool/tool.ts'
import { describe, type FieldValues } from './field-values.ts'
import { compileParameters, propertiesOf } from './parameter-list.ts'
import { checkSchema, mustTakeObject } from './params-schema.ts'
import { put } from './plain-json.ts'
import type { ProblemList } from './problem-list.ts'

export function readActions(values: FieldValues, base: JsonSchema, problems: ProblemList): ToolAction[] {
  const given = values.raw('actions')
  if (given === undefined) return []
  const entries: [string, JsonObject, string][] = Array.isArray(given)
    ? (given as JsonObject[]).map((item, index) => [String(item['name']), item, `/${index}`])
    : Object.entries(given as JsonObject).map(([name, item]) => [
        name,
        (item ?? {}) as JsonObject,
        `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ])
  return entries.map(([name, action, pointer]) => {
    const list = action['parameters']
    const schema = action['input_schema']
    const own: JsonSchema = isPlainObject(schema)
      ? (schema as JsonSchema)
      : Array.isArray(list) && list.every(isPlainObject)
        ? compileParameters(list as JsonObject[], problems, {
            field: 'actions',
            pointer: `${pointer}/parameters`,
          })
        : {}
    if (isPlainObject(schema)) {
      checkSchema('actions', own, problems, `${pointer}/input_schema`)
      mustTakeObject('actions', own, problems, `${pointer}/input_schema`)
    } else if (schema !== undefined)
      problems.addAt(
        'field-type',
        'actions',
        `${pointer}/input_schema`,
        `The input_schema of action ${name} must be a JSON Schema object; it is ${describe(schema)}.`,
      )
    if (list !== undefined && !(Array.isArray(list) && list.every(isPlainObject)))
      problems.addAt(
        'field-type',
        'actions',
        `${pointer}/parameters`,
        `The parameters of action ${name} must be a list of objects.`,
      )
    return {
      name,
      description: typeof action['description'] === 'string' ? action['description'] : '',
      params: withAction(merge(base, own), name),
    }
  })
}

function merge(base: JsonSchema, own: JsonSchema): JsonSchema {
  const required = [...new Set([...names(base['required']), ...names(own['required'])])]
  const merged: { [key: string]: Json } = { ...base, ...own, type: 'object' }
  merged['properties'] = { ...propertiesOf(base), ...propertiesOf(own) }
  if (required.length > 0) merged['required'] = required
  return merged
}

function names(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
}

function withAction(schema: JsonSchema, name: string): JsonSchema {
  return { ...schema, properties: { ...propertiesOf(schema), action: { const: name, default: name } } }
}

/** The schema of the base tool: `action` is required, and the rest is judged by the action it names. */
export function actionsSchema(base: JsonSchema, actions: readonly ToolAction[]): JsonSchema {
  const properties: { [name: string]: Json } = {
    action: {
      type: 'string',
      enum: actions.map((action) => action.name),
      description: 'Which action to run',
    },
  }
  for (const schema of [base, ...actions.map((action) => action.params)]) {
    for (const [name, property] of Object.entries(propertiesOf(schema))) {
      if (name === 'action') continue
      const shown = withoutDefault(property)
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      put(properties, name, known === undefined || canonicalJson(known) === canonicalJson(shown) ? shown : {})
    }
  }
  return {
    type: 'object',
    properties,
    required: ['action'],
    allOf: actions.map((action) => ({
      if: { properties: { action: { const: action.name } }, required: ['action'] },
      then: action.params,
    })),
  }
}

function withoutDefault(property: JsonObject): JsonObject {
  if (!isPlainObject(property)) return {}
  const { default: _, ...rest } = property
  return rest as JsonObject
}
