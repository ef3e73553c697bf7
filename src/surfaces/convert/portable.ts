// A tool as every format could say it: what it is, what it takes and gives, and how it runs, in one of three ways.
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { Example, JsonSchema } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** One argument of a command: fixed text, or the value of a parameter. */
export type CommandPart = { readonly text: string } | { readonly param: string }

/** What a command reads: nothing, one parameter, or all of them as JSON. */
export type CommandInput = 'none' | 'params' | { readonly param: string }

export type Body =
  | {
      readonly kind: 'command'
      readonly binary: string
      readonly args: readonly CommandPart[]
      readonly input: CommandInput
    }
  | {
      /** A tool of an MCP server. */
      readonly kind: 'mcp'
      readonly server: McpServerSpec
      readonly tool: string
    }
  | {
      readonly kind: 'code'
      readonly language: 'javascript' | 'typescript'
      /** The module without its metadata; `entry` is a function in it. */
      readonly source: string
      readonly entry: string
      /** What the entry takes and gives. */
      readonly convention: Convention
    }

/** rye: (params, projectPath) → { success, data }; skill: (ctx, args) → value; tool-code: (input, context) → value. */
export type Convention = 'rye' | 'skill' | 'tool-code'

export interface Portable {
  readonly id: string
  readonly description: string
  readonly version?: string
  readonly params: JsonSchema | null
  readonly returns: JsonSchema | null
  /** Capabilities; null when the definition does not speak of them. */
  readonly requires: readonly string[] | null
  readonly tags: readonly string[]
  readonly timeoutMs?: number
  /** Results as the plain value, without what a format puts around it. */
  readonly examples: readonly Example[]
  readonly body: Body
  /** What its own format says and no other can. */
  readonly lost?: readonly Loss[]
}

/** What the target cannot say: the field, and what becomes of it. */
export interface Loss {
  readonly field: string
  readonly message: string
}

export interface Converted {
  /** Path under the crib → text. */
  readonly files: { readonly [path: string]: string }
  readonly lost: readonly Loss[]
}

export function inexpressible(id: string, why: string): ToolError {
  return new ToolError('TOOL_INVALID', `${id} cannot be written in that format: ${why}.`, {
    hint: 'rye data tools and tools-json convert into each other, and so do JavaScript and TypeScript tools of rye, skill and tool-code; tools of MCP servers can be written as rye.',
  })
}
