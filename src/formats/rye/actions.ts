// Sub-actions of a tool: `id#deploy` is the tool with the action chosen, `id` takes the action as a parameter.
import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { nearNames } from '../../tool/near-names.ts'
import { type JsonSchema, modelName, type Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { FieldValues } from './field-values.ts'
import { compileParameters, propertiesOf } from './parameter-list.ts'
import { put } from './plain-json.ts'
import type { ProblemList } from './problem-list.ts'

export interface RyeAction {
  readonly name: string
  readonly description: string
  /** Base schema and the action's own, merged; with `action` fixed to the name. */
  readonly params: JsonSchema
}

export function readActions(values: FieldValues, base: JsonSchema, problems: ProblemList): RyeAction[] {
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
export function actionsSchema(base: JsonSchema, actions: readonly RyeAction[]): JsonSchema {
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

/** The actions of a tool, by name. */
export function actionsOf(tool: Tool): readonly RyeAction[] {
  return (tool.extra?.['actions'] as unknown as readonly RyeAction[] | undefined) ?? []
}

/** The tool `id#action`; throws TOOL_NOT_FOUND when the tool has no such action. */
export function actionTool(tool: Tool, action: string): Tool {
  const actions = actionsOf(tool)
  const found = actions.find((known) => known.name === action)
  if (!found) {
    const known = actions.map((item) => item.name)
    const near = nearNames(action, known, 1)
    throw new ToolError('TOOL_NOT_FOUND', `${tool.id} has no action "${action}".`, {
      hint:
        known.length === 0
          ? `${tool.id} has no actions; call it without #${action}.`
          : `${near[0] ? `Did you mean ${tool.id}#${near[0]}? ` : ''}Its actions are ${known.join(', ')}.`,
    })
  }
  const { actions: _, ...extra } = tool.extra ?? {}
  return {
    ...tool,
    id: `${tool.id}#${action}`,
    name: modelName(`${tool.id}_${action}`),
    description: found.description || tool.description,
    aliases: tool.aliases.map((alias) => `${alias}#${action}`),
    params: found.params,
    extra,
  }
}
