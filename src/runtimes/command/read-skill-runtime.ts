// Answers `read_skill` in this process: the text of a skill, read when it is asked for. Skills that are no
// folder of the tools.json format are read too, where the crib has them.
import { readSkillBody } from '../../formats/tools-json/read-skill-tool.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { skillTextFor } from '../agent/skill-texts.ts'
import type { Runtime, RuntimeEnv } from '../runtime.ts'

export function readSkillRuntime(env?: RuntimeEnv): Runtime {
  return {
    name: 'read-skill',
    run: async ({ tool, params, call }) => {
      const folders = planOf(tool, 'read-skill')!.skills
      const name = (params as { skill_name?: unknown }).skill_name
      const isFolder = typeof name === 'string' && Object.hasOwn(folders, name)
      const other = env && typeof name === 'string' && !isFolder ? skillTextFor(name, call, env) : undefined
      return other ?? readSkillBody(folders, name)
    },
  }
}
