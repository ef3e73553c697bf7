// `read_skill`, the tool a model calls for a skill's text when the context holds only a list of skills.
import { readFileSync } from 'node:fs'
import { nearNames } from '../../tool/near-names.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { FormatEnv } from '../format.ts'
import { bodyOf, readFrontmatter } from '../frontmatter.ts'
import type { SkillFacts } from './facts.ts'

/** Only in `readOnDemand` mode, and only when there is something to read. */
export function readSkillTool(skills: readonly SkillFacts[], env: FormatEnv): Tool | undefined {
  if (env.config.skills.contextMode !== 'readOnDemand') return undefined
  const available = skills.filter((skill) => skill.state === 'available')
  if (available.length === 0) return undefined
  return makeTool({
    id: 'read_skill',
    format: 'tools-json',
    tier: 'project',
    description: 'Returns the instructions of a skill. Call it before you use the skill.',
    params: {
      type: 'object',
      required: ['skill_name'],
      properties: { skill_name: { type: 'string', description: 'Name of the skill, as listed.' } },
    },
    requires: [],
    source: { file: null, digest: '' },
    trust: { status: 'trusted', owner: 'toolcrib' },
    runtime: {
      name: 'read-skill',
      plan: {
        skills: Object.fromEntries(available.map((skill) => [skill.id, `${skill.dir}/SKILL.md`])),
      },
    },
  })
}

/** The text of an available skill; PARAMS_INVALID for any other name. */
export function readSkillBody(skills: { readonly [id: string]: string }, name: unknown): string {
  if (typeof name !== 'string' || !Object.hasOwn(skills, name)) {
    const near = typeof name === 'string' ? nearNames(name, Object.keys(skills), 1) : []
    throw new ToolError(
      'PARAMS_INVALID',
      `read_skill: there is no available skill ${JSON.stringify(name ?? null)}; available: ${Object.keys(skills).join(', ')}.`,
      {
        hint: near.length > 0 ? `Did you mean "${near[0]}"?` : undefined,
      },
    )
  }
  return skillBody(readFileSync(skills[name]!, 'utf8'))
}

/** SKILL.md without its frontmatter. */
export function skillBody(text: string): string {
  return bodyOf(text, readFrontmatter(text))
}
