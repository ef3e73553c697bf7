// Answers `read_skill` in this process: the text of a skill, read when it is asked for.
import { readSkillBody } from '../../formats/tools-json/read-skill-tool.ts'
import type { Runtime } from '../runtime.ts'

export function readSkillRuntime(): Runtime {
  return {
    name: 'read-skill',
    run: async ({ tool, params }) =>
      readSkillBody(
        tool.runtime!.plan['skills'] as { readonly [id: string]: string },
        (params as { skill_name?: unknown }).skill_name,
      ),
  }
}
