// Sub-actions: `id#deploy` is the tool with the action chosen. A format that has them keeps them in
// `extra.actions`, each with the complete schema of its call.
import type { Json } from './json.ts'
import { nearNames } from './near-names.ts'
import { type JsonSchema, modelName, type Tool } from './tool.ts'
import { ToolError } from './tool-error.ts'

export interface ToolAction {
  readonly name: string
  readonly description: string
  /** The tool's own parameters and the action's, merged; `action` is fixed to the name. */
  readonly params: JsonSchema
}

/** The actions of a tool, in file order. */
export function actionsOf(tool: Tool): readonly ToolAction[] {
  return (tool.extra?.['actions'] as unknown as readonly ToolAction[] | undefined) ?? []
}

/** As `extra` holds them. */
export function actionsAsExtra(actions: readonly ToolAction[]): Json {
  return actions as unknown as Json
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
