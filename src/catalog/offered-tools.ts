// The tools a model is offered, whoever asks on its behalf, and how it searches among them.
import { isMarkdown, metadataOf, skillOf } from '../formats/skill/settings.ts'
import { parseAllowedTools } from '../tool/allowed-tools.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import { isListed } from './catalog.ts'

/** Whether lists for models show the tool: a skill that declares no parameters can be called, but is not offered. */
export function isOffered(tool: Tool): boolean {
  return skillOf(tool) === undefined || tool.params !== null
}

/** A markdown skill that nothing but a model can answer. */
export function needsModel(tool: Tool): boolean {
  return skillOf(tool) !== undefined && isMarkdown(tool) && metadataOf(tool)['delegate'] === undefined
}

/** The offered tools that an allow list could let pass, sorted by id. `asker` is never offered to itself (D18). */
export function offeredTools(
  tools: readonly Tool[],
  allowedTools: string | undefined,
  asker?: string | undefined,
): Tool[] {
  const list = allowedTools === undefined ? undefined : parseAllowedTools(allowedTools)
  return tools
    .filter(
      (tool) =>
        tool.id !== asker &&
        isListed(tool) &&
        isOffered(tool) &&
        (list === undefined || list.couldAllow(tool)),
    )
    .sort((a, b) => byCodeUnits(a.id, b.id))
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
