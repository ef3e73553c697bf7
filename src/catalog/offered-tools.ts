// Which tools are made for models, and how one searches among them. Who is offered which is said by `guards/offers.ts`.
import { isMarkdown, metadataOf, skillOf } from '../formats/skill/settings.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'

/** Whether a tool is made for models: a skill that declares no parameters can be called, but is not offered. */
export function isForModels(tool: Tool): boolean {
  return skillOf(tool) === undefined || tool.params !== null
}

/** A markdown skill that nothing but a model can answer. */
export function needsModel(tool: Tool): boolean {
  return skillOf(tool) !== undefined && isMarkdown(tool) && metadataOf(tool)['delegate'] === undefined
}

export interface ToolQuery {
  readonly query?: string
  readonly tags?: readonly string[]
}

/** Tools in which all words and all tags occur: those with a hit in the name first, then by name. */
export function matchingTools(tools: readonly Tool[], { query = '', tags = [] }: ToolQuery): Tool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = tags.map((tag) => tag.toLowerCase())
  const isNameHit = (tool: Tool) => words.some((word) => tool.id.toLowerCase().includes(word))
  return tools
    .filter((tool) => {
      const own = tool.tags.map((tag) => tag.toLowerCase())
      const text = [tool.id, tool.description, ...own].join('\n').toLowerCase()
      return words.every((word) => text.includes(word)) && wanted.every((tag) => own.includes(tag))
    })
    .sort((a, b) => Number(isNameHit(b)) - Number(isNameHit(a)) || byCodeUnits(a.id, b.id))
}
