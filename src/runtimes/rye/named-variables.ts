// The variables that the configuration of a rye tool names, and which of them a definition gets only when somebody
// vouches for it.
import type { Spaces } from '../../config/spaces.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type IsSetAside, projectVariables, userVariables } from './dot-env.ts'

const known = new WeakMap<RyePlan, readonly string[]>()

/** Those of a tool and of what runs it, each once; the one that stands for its interpreter is none of them. */
export function namedVariables(tool: Tool): readonly string[] {
  const plan = ryePlanOf(tool)
  if (!plan) return []
  let names = known.get(plan)
  if (!names) {
    const found = [...JSON.stringify(plan).matchAll(/\$\{([A-Z_][A-Z0-9_]*)/g)].map(([, name]) => name!)
    names = [...new Set(found)].filter((name) => name !== plan.interpreter?.var)
    known.set(plan, names)
  }
  return names
}

/** A folder's definition must not name what the user keeps for their own (G19). */
export function refuseUsersVariables(tool: Tool, spaces: Spaces, isSetAside?: IsSetAside): void {
  const users = userVariables(spaces, isSetAside)
  const wanted = namedVariables(tool).filter((name) => users.has(name))
  if (wanted.length === 0) return
  const own = projectVariables(spaces, isSetAside)
  const name = wanted.find((one) => !own.has(one))
  if (name !== undefined) throw unvouchedVariable(tool, name)
}

function unvouchedVariable({ id, source }: Tool, name: string): ToolError {
  const read = source.file === null ? '' : `Read ${source.file}, then accept it`
  return new ToolError(
    'SECRET_MISSING',
    `${id} wants ${name} of your .ai/.env, and nobody vouches for ${id}.`,
    {
      hint: `${read || 'Accept it'} with \`toolcrib trust\`, or sign it with \`toolcrib sign ${id}\`. Or write ${name} into .ai/.env of the project.`,
      details: { unvouched: id, variable: name },
    },
  )
}
