// Sub-actions: `id#deploy` is the tool with the action chosen. A format that has them keeps them in
// `details.actions`, each with the complete schema of its call.
import { nearNames } from './near-names.ts'
import { modelName, type Tool, type ToolAction } from './tool.ts'
import { ToolError } from './tool-error.ts'

/** The actions of a tool, in file order. */
export function actionsOf(tool: Tool): readonly ToolAction[] {
  return tool.details?.actions ?? []
}

/** The tool `id#action`; throws TOOL_NOT_FOUND when it has no such action, REF_INVALID when it has none at all (S51). */
export function actionTool(tool: Tool, action: string): Tool {
  const actions = actionsOf(tool)
  const found = actions.find((known) => known.name === action)
  if (!found) {
    const known = actions.map((item) => item.name)
    const near = nearNames(action, known, 1)
    const code = known.length === 0 ? 'REF_INVALID' : 'TOOL_NOT_FOUND'
    throw new ToolError(code, `${tool.id} has no action "${action}".`, {
      hint:
        known.length === 0
          ? `${tool.id} has no actions; call it without #${action}.`
          : `${near[0] ? `Did you mean ${tool.id}#${near[0]}? ` : ''}Its actions are ${known.join(', ')}.`,
    })
  }
  const { actions: _, ...details } = tool.details ?? {}
  return {
    ...tool,
    id: `${tool.id}#${action}`,
    name: modelName(`${tool.id}_${action}`),
    description: found.description || tool.description,
    aliases: tool.aliases.map((alias) => `${alias}#${action}`),
    params: found.params,
    details,
  }
}
