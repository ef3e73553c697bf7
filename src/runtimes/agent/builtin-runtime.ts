// Answers the built-in tools, in this process and from what the catalog knows.
import { notFound } from '../../catalog/lookup.ts'
import { isMarkdown } from '../../formats/skill/settings.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Principal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { type Asking, describeSkill, discoverTools, listSkills } from './describe-skills.ts'
import { queryOf, refOf } from './query-params.ts'
import { skillTextFor } from './skill-texts.ts'

export function builtinRuntime(env: RuntimeEnv): Runtime {
  return { name: 'builtin', run: async (attempt) => answer(attempt, env) }
}

function answer(attempt: Attempt, env: RuntimeEnv): unknown {
  const { view } = env
  if (!view) throw new ToolError('INTERNAL', 'The built-in tools were opened without a crib.')
  const call = attempt.call as { readonly principal: Principal }
  const asking: Asking = { principal: call.principal, from: call }
  switch (planOf(attempt.tool, 'builtin')?.answer) {
    case 'skill-list':
      return listSkills(view, queryOf(attempt.params), asking)
    case 'skill-describe':
      return describeSkill(view, refOf(attempt.params), asking)
    case 'agent-discover':
      return discoverTools(view, queryOf(attempt.params), asking)
    case 'read_skill':
      return readSkill((attempt.params as { skill_name: string }).skill_name, call, env)
    default:
      throw new ToolError('INTERNAL', `There is no built-in tool ${attempt.tool.id}.`)
  }
}

function readSkill(name: string, call: object, env: RuntimeEnv): string {
  const text = skillTextFor(name, call, env)
  if (text !== undefined) return text
  const skills = env.view!.skills.skills.filter((skill) => isMarkdown(skill) && !skill.hidden)
  throw notFound(
    name,
    skills.map((skill) => skill.id),
  )
}
