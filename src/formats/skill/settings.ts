// What the skill format notes on its tools, and how the other parts read it back.
import type { Json, JsonObject } from '../../tool/json.ts'
import type { Tool, ToolDetails } from '../../tool/tool.ts'

export interface SkillFacts {
  readonly form: 'folder' | 'markdown' | 'code'
  /** Search order of the path entry it was found under. */
  readonly entry: number
  /** Folder of that entry. */
  readonly entryDir: string
  readonly isExternal: boolean
  /** The frontmatter is computed by the module, so only the file-derived name is known before it is imported. */
  readonly isDynamic?: boolean
  /** Real path, when it differs from the path the file was found under. */
  readonly realFile?: string
  /** A slash command or an agent in the layout of other clients (D11b). */
  readonly layout?: 'command' | 'agent'
}

export interface SkillDetails {
  readonly skill: SkillFacts
  readonly metadata: JsonObject
  readonly role?: string
  readonly visibility?: string
  readonly allowedTools?: string
  readonly license?: string
  readonly compatibility?: string
  /** False: only a person may choose it (`disable-model-invocation`). */
  readonly forModels?: false
  /** False: only a model may choose it (`user-invocable: false`). */
  readonly forPeople?: false
  /** What its `$ARGUMENTS` stands for, in the author's words. */
  readonly argumentHint?: string
  readonly content?: string
  readonly inProcess?: true
  /** The skill whose file holds this one's code. */
  readonly ownCodeOf?: string
  /** Variables its text asks for, each with its line. */
  readonly env?: { readonly [name: string]: number }
  /** Line of each metadata key in the file. */
  readonly lines?: { readonly [key: string]: number }
}

declare module '../../tool/tool.ts' {
  interface ToolDetails extends Partial<SkillDetails> {}
}

const none: JsonObject = {}

/** The skill's own part of a tool; undefined for tools of other formats. */
export function skillOf({ details }: Tool): SkillDetails | undefined {
  return details && isSkill(details) ? details : undefined
}

function isSkill(details: ToolDetails): details is ToolDetails & SkillDetails {
  return details.skill !== undefined
}

export function metadataOf(tool: Tool): JsonObject {
  return skillOf(tool)?.metadata ?? none
}

/** Role `middleware`, or neither role nor `params`: what metadata keys may trigger. */
export function isInternal(tool: Tool): boolean {
  const skill = skillOf(tool)
  if (!skill) return false
  return skill.role === 'middleware' || (skill.role === undefined && tool.params === null)
}

export function isMarkdown(tool: Tool): boolean {
  const form = skillOf(tool)?.skill.form
  return form === 'folder' || form === 'markdown'
}

/** One string or a list of them; everything else is left out. */
export function textList(value: Json | undefined): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item): item is string => typeof item === 'string')
}
