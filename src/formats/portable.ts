// A tool as every format could say it: what it is, what it takes and gives, and how it runs, in one of three ways.
import { isPlainObject, type JsonObject } from '../tool/json.ts'
import type { McpServerSpec } from '../tool/plans/mcp-plan.ts'
import type { Example, JsonSchema, Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

/** One argument of a command: fixed text, or the value of a parameter. */
export type CommandPart = { readonly text: string } | { readonly param: string }

/** What a command reads: nothing, one parameter, or all of them as JSON. */
export type CommandInput = 'none' | 'params' | { readonly param: string }

export type Command = Extract<Body, { kind: 'command' }>
export type Code = Extract<Body, { kind: 'code' }>

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
  readonly timeoutMs?: number | undefined
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

/** Collects what a target cannot say. */
export class Losses {
  readonly list: Loss[] = []

  add(field: string, isLost: boolean, message: string): void {
    if (isLost) this.list.push({ field, message })
  }

  id(from: string, to: string): void {
    this.add('id', from !== to, `${from} becomes ${to}.`)
  }
}

export interface Converted {
  /** Path under the crib → text. */
  readonly files: { readonly [path: string]: string }
  readonly lost: readonly Loss[]
}

/** How tools of a format become portable and how portable ones are written in it; each may be all it can do. */
export interface PortableForm {
  /** Throws TOOL_INVALID with the reason for what cannot be carried. */
  read?(tool: Tool): Portable
  write?(tool: Portable): Converted
}

/** What most formats say of a tool; `more` is what this one says otherwise. */
export function portableOf(tool: Tool, body: Body, more: Partial<Portable> = {}): Portable {
  const { id, description, version, params, returns, requires, tags, examples } = tool
  return {
    id,
    description,
    version: version === '0.0.0' ? undefined : version,
    params,
    returns: returns && Object.keys(returns).length > 0 ? returns : null,
    requires,
    tags,
    timeoutMs: tool.limits.timeoutMs,
    examples,
    body,
    ...more,
  }
}

/** The file a tool is written in. */
export function fileOf(tool: Tool): string {
  if (tool.source.file === null) throw inexpressible(tool.id, 'it is made in code')
  return tool.source.file
}

/** The code of a tool that a format of code is asked to hold. */
export function codeOf({ id, body }: Portable, format: string): Code {
  if (body.kind === 'mcp') throw noServerTool(id, format)
  if (body.kind === 'command') throw inexpressible(id, `${format} holds code, and this runs ${body.binary}`)
  return body
}

export function noServerTool(id: string, format: string): ToolError {
  return inexpressible(id, `${format} cannot name a tool of an MCP server`)
}

/** A program can read only what is a text. */
export function isText(tool: Tool, param: string): boolean {
  const property = ((tool.params?.['properties'] ?? {}) as JsonObject)[param]
  return isPlainObject(property) && property['type'] === 'string'
}

export function withoutExpect({ expect: _, ...rest }: Example): Example {
  return rest
}

export function inexpressible(id: string, why: string): ToolError {
  return new ToolError('TOOL_INVALID', `${id} cannot be written in that format: ${why}.`, {
    hint: 'rye data tools and tools-json convert into each other, and so do JavaScript and TypeScript tools of rye, skill and tool-code; tools of MCP servers can be written as rye.',
  })
}
