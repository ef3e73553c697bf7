// The texts of skills as prompts hold them: a skill's own, expanded, and the context skills an agent is given.
import { dirname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { isInside } from '../../files/is-inside.ts'
import { treeOf } from '../../formats/skill/cascade/skill-index.ts'
import { expandPrompt, type PromptContext } from '../../formats/skill/expand-prompt.ts'
import { isMarkdown, skillOf } from '../../formats/skill/settings.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Principal } from '../../tool/principal.ts'
import { withoutResolve } from '../../tool/schema/resolve-schema.ts'
import { modelName, type Tool } from '../../tool/tool.ts'
import type { RuntimeEnv } from '../runtime.ts'
import type { CribView } from './crib-view.ts'

/** What making texts needs of the crib. */
export interface TextSources {
  readonly view: CribView
  readonly config: Config
}

export interface Reading {
  readonly context: PromptContext
  /** False where nobody calls the skill. */
  readonly hasCall: boolean
  /** Whoever reads it: told of tools that are offered to them. */
  readonly reader: Principal
  warn(message: string): void
}

/** The body of a markdown skill without its frontmatter. */
export function bodyOfSkill(skill: Tool): string {
  return skill.details?.content ?? ''
}

/** A markdown skill's text with its directives replaced. */
export function skillPrompt(skill: Tool, { view, config }: TextSources, reading: Reading): string {
  return expandPrompt(skill, bodyOfSkill(skill), {
    ...reading,
    envNames: config.skills.promptEnv,
    env: view.env,
    skillText(name) {
      const found = view.skills.find(name, skill)
      return found && isMarkdown(found) && view.isReadable(found, reading.reader)
        ? bodyOfSkill(found)
        : undefined
    },
    toolText(name) {
      const tool = view
        .offered(reading.reader)
        .find((item) => [item.id, item.name, modelName(item.id)].includes(name))
      if (!tool) return undefined
      const { params } = view.described(tool)
      return `${tool.id}: ${tool.description}\nParameters: ${JSON.stringify(params ? withoutResolve(params) : {})}`
    },
  })
}

/**
 * The text of a markdown skill for whoever makes the call, arguments left as written; undefined when there is none
 * for it, or none whose file is trusted.
 */
export function skillTextFor(name: string, call: object, { view, config }: RuntimeEnv): string | undefined {
  const { principal } = call as { readonly principal?: Principal }
  if (!view || !principal) return undefined
  let skill: Tool
  try {
    skill = view.find(name, principal)
  } catch {
    return undefined
  }
  if (!isMarkdown(skill) || !view.isReadable(skill, principal)) return undefined
  const context = view.blankContext(skill)
  return skillPrompt(skill, { view, config }, { context, hasCall: false, reader: principal, warn: () => {} })
}

export interface ContextTexts {
  /** Appended to the system prompt; empty when there is nothing. */
  readonly text: string
  /** Skills that are only listed and can be read on demand. */
  readonly onDemand: readonly Tool[]
}

/** The context skills of an agent: whole texts up to the limit, the rest and the shipped ones as a list. */
export function contextTexts(agent: Tool, reader: Principal, { view, config }: TextSources): ContextTexts {
  const { contextMode, contextBytes } = config.skills
  const given: string[] = []
  const onDemand: Tool[] = []
  let left = contextMode === 'full' ? contextBytes : -1
  for (const skill of contextSkills(agent, reader, view)) {
    if (skill.tier !== 'system') left -= Buffer.byteLength(bodyOfSkill(skill))
    if (left < 0 || skill.tier === 'system') onDemand.push(skill)
    else given.push(`## Skill ${skill.id}\n\n${bodyOfSkill(skill).trim()}\n`)
  }
  if (onDemand.length > 0)
    given.push(
      `## More skills\n\nRead one with read_skill before you use it.\n${onDemand.map((skill) => `- ${skill.id}: ${skill.description}`).join('\n')}\n`,
    )
  return { text: given.join('\n'), onDemand }
}

function contextSkills(agent: Tool, reader: Principal, view: CribView): Tool[] {
  const isUnder = authorityTest(agent, view)
  return view.skills.skills
    .filter(
      (skill) =>
        skillOf(skill)!.role === 'context' &&
        !skill.hidden &&
        skill.state === 'available' &&
        skillOf(skill)!.forModels !== false &&
        skill.id !== agent.id &&
        isMarkdown(skill) &&
        view.isReadable(skill, reader) &&
        isUnder(skill) &&
        view.isVisible(skill, reader),
    )
    .sort((a, b) => byCodeUnits(a.id, b.id))
}

/** Whether a skill lies under the main that has authority over the agent; without one, in the agent's own tree. */
function authorityTest(agent: Tool, view: CribView): (skill: Tool) => boolean {
  const main = skillOf(agent)?.role === 'main' ? agent : view.skills.authorityOf(agent)
  const tree = treeOf(agent)
  const folder = main?.source.file ? dirname(main.source.file) : undefined
  return (skill) =>
    treeOf(skill) === tree &&
    (folder === undefined || (skill.source.file !== null && isInside(skill.source.file, folder)))
}
