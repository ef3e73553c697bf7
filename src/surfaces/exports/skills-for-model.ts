// The tools.json skills of a crib as an agent loop of one's own gives them to a model: the text for its context and
// the definitions of their tools, both in skill order.

import { skillContext } from '../../formats/tools-json/context.ts'
import { type FunctionDefinition, functionDefinitions } from '../../formats/tools-json/definitions.ts'
import { skillFacts } from '../../formats/tools-json/facts.ts'
import type { Crib } from '../library/crib-surface.ts'

export interface SkillsForModel {
  /** Text for the model's context, as `skills.contextMode` has it: all skills in full, or a list of them. */
  readonly context: string
  /** For OpenAI and Ollama. Where skills are read on demand, `read_skill` is the first. */
  readonly definitions: readonly FunctionDefinition[]
}

/**
 * The skill folders of a crib for a model.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const { context, definitions } = skillsForModel(crib)
 * // …send both; when the model calls a tool:
 * const outcome = await crib.call('say_text', { text: 'hello' })
 * const answer = outcome.ok ? JSON.stringify(outcome.value) : errorForModel(outcome.error)
 */
export function skillsForModel(crib: Pick<Crib, 'catalog' | 'config'>): SkillsForModel {
  const skills = skillFacts(crib.catalog.factsOf('tools-json'))
  const tools = new Map(crib.catalog.list({ format: 'tools-json' }).map((tool) => [tool.id, tool]))
  const own = skills.flatMap((skill) => skill.tools ?? [])
  // Where it is ours no skill's tool has that name, and it comes first.
  const order = own.includes('read_skill') ? own : ['read_skill', ...own]
  return {
    context: skillContext(skills, crib.config.skills.contextMode),
    definitions: functionDefinitions(order.flatMap((id) => tools.get(id) ?? [])),
  }
}
