// What a tool is: plain, JSON-serialisable data, the same thing in the cache, the API and the console.
import type { JsonObject } from './json.ts'
import type { McpServerSpec } from './plans/mcp-plan.ts'
import type { Static } from './shape.ts'
import type { chainLinkShape, toolShape } from './tool-shape.ts'

export type FormatName = Tool['format']
export type Tier = Tool['tier']
export type ToolKind = Tool['kind']
export type TrustStatus = Trust['status']
export type Trust = Tool['trust']
export type ToolSource = Tool['source']
export type RetryPolicy = NonNullable<Tool['retry']>
export type CostModel = NonNullable<Tool['cost']>
export type Example = Tool['examples'][number]

/** One element of an executor chain, the tool itself first. */
export type ChainLink = Static<typeof chainLinkShape>

export type JsonSchema = JsonObject

/** A part of a tool that is called as `id#name`. */
export interface ToolAction {
  readonly name: string
  readonly description: string
  /** The tool's own parameters and the action's, merged; `action` is fixed to the name. */
  readonly params: JsonSchema
}

/**
 * What not every tool has. Each format adds what it notes on its own tools, by declaration merging in its folder; the
 * fields here are those that several formats or surfaces share.
 */
export interface ToolDetails {
  readonly actions?: readonly ToolAction[]
  /** The tools it may call, where its definition lists them. */
  readonly allowedTools?: string
  /** How clients are to treat it, in the words of MCP. */
  readonly annotations?: JsonObject
  /** Its address, where that is not its id. */
  readonly uri?: string
  /** Of the resources of a foreign server that have one pattern: the addresses they can have. */
  readonly uriTemplate?: string
  /** Of a foreign server's prompt: the digest of its text, each argument standing for itself. */
  readonly text?: string
  /** What a foreign server tells clients of how to use it; a stranger's text. */
  readonly instructions?: string
  /** How a server is reached; of a tool of one, the name of the server. */
  readonly server?: McpServerSpec | string
  /** The id it had in an earlier version of the program; settings and locks may still speak of it. */
  readonly formerId?: string
  /** Of a foreign server's tool: what its definition says beyond the fields of a Tool, as it came. */
  readonly more?: JsonObject
  readonly experimental?: boolean
  /** Programs it starts, as the format of a plugin says. */
  readonly programs?: readonly string[]
  /** Why `toolcrib test` checks the examples by schema only. */
  readonly skipExamples?: string
}

/** Its fields are declared in tool-shape.ts. */
export interface Tool extends Static<typeof toolShape> {}

/** Made in code by the program that embeds the crib: in no file, in no store, of no server. */
export function isMadeInCode({ source, details }: Tool): boolean {
  return source.file === null && source.crumb === undefined && details?.server === undefined
}

/** Kinds that can be called by a person, a program or an agent. */
export function isCallableKind(kind: ToolKind): boolean {
  return kind === 'callable' || kind === 'context' || kind === 'middleware' || isReadKind(kind)
}

/** What a foreign server offers to be read, beside its tools: a call gives its text or content (U1). */
export function isReadKind(kind: ToolKind): boolean {
  return kind === 'prompt' || kind === 'resource' || kind === 'instructions'
}

/**
 * Fills the fields most tools leave alone, so that a format states only what it read.
 *
 * @example
 * const tool = makeTool({ id: 'a', format: 'letter', tier: 'project', source: { file: null, digest: '' } })
 */
export function makeTool(given: Pick<Tool, 'id' | 'format' | 'tier' | 'source'> & Partial<Tool>): Tool {
  const problems = given.problems ?? []
  return {
    name: modelName(given.id),
    description: '',
    version: '0.0.0',
    kind: 'callable',
    state: problems.some((problem) => problem.severity === 'error') ? 'invalid' : 'available',
    aliases: [],
    params: null,
    returns: null,
    requires: null,
    limits: {},
    tags: [],
    examples: [],
    hidden: false,
    runtime: null,
    trust: { status: 'unchecked' },
    ...given,
    problems,
  }
}

/** The name a model sees for an id: every run outside `[A-Za-z0-9_-]` becomes `_`, at most 64 characters. */
export function modelName(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  return clean.slice(0, 64) || 'tool'
}
