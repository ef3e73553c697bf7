// What an agent, and the built-in tools, see of the crib they work in. The composition root gives it.
import type { Resolve } from '../../catalog/resolver.ts'
import type { SkillIndex } from '../../formats/skill/cascade/skill-index.ts'
import type { PromptContext } from '../../formats/skill/expand-prompt.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'

export interface CribView {
  /** Every tool of the catalog, in precedence order. */
  readonly tools: readonly Tool[]
  /** The tools that whoever asks is offered, sorted by id. */
  offered(principal: Principal): Tool[]
  /** Whether whoever asks may know of a tool. */
  isVisible(tool: Tool, principal: Principal): boolean
  /** Whether the text of a skill may be read to whoever asks. */
  isReadable(skill: Tool, principal: Principal): boolean
  readonly skills: SkillIndex
  readonly env: { readonly [name: string]: string | undefined }
  /** What a ref means to a caller, as far as memory says; throws TOOL_NOT_FOUND. */
  find(ref: string, principal: Principal): Tool
  /** Which tool is meant: the catalog's answer. */
  readonly resolve: Resolve
  /** The tool with the schemas that count now; `from`: the running call whose values it would inherit. */
  described(tool: Tool, from?: object): Tool
  /** The context a call of the tool would start with, when nobody calls it. */
  blankContext(tool: Tool, args?: unknown): PromptContext
  /** Whether the code that a skill brings runs inside this process. */
  runsInHost(tool: Tool): boolean
  /** A public call made by the agent of the running call `from`. */
  callAsAgent(tool: Tool, args: unknown, from: object): Promise<Outcome>
  /** The value of `env://NAME` or `secret://NAME`; null when there is none. */
  secret(ref: string, by: string): Promise<string | null>
}
