// What an embedder sees of a crib: these members and no others. The rest of the class is the crib's own.

import type { CallCribOptions, FunctionTool } from '../../crib/crib.ts'
import type { CribEvents } from '../../crib/crib-core.ts'
import type { Crib as WholeCrib } from '../../crib/open-crib.ts'
import type { SkillTool } from '../../formats/skill/programmatic.ts'
import type { Attempt } from '../../runtimes/runtime.ts'
import type { StandardSchema } from '../../tool/standard-schema.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import type { Served, ServeOptions } from '../http/serve-crib.ts'
import type { StdioOptions, StdioServed } from '../mcp/serve-stdio.ts'
import type { ParamsOf } from './schema-types.ts'
import type { OtherRef, OutcomeOf, ToolTypes, TypedParams, TypedResult } from './tool-types.ts'

/** Taken from the class as they are; what each does stands there. */
type Shared =
  | 'root'
  | 'config'
  | 'configOrigins'
  | 'problems'
  | 'list'
  | 'find'
  | 'main'
  | 'search'
  | 'resolve'
  | 'dryRun'
  | 'refusals'
  | 'why'
  | 'check'
  | 'exporters'
  | 'discover'
  | 'reload'
  | 'watch'
  | 'close'

/** A tool made in code whose function gets its parameters typed. */
export interface TypedTool<Params extends JsonSchema | StandardSchema>
  extends Omit<FunctionTool, 'params' | 'fn'> {
  readonly params: Params
  readonly fn: (params: ParamsOf<Params>, attempt: Attempt) => unknown
}

/** An open crib: its catalog, calls and records, for a program that embeds it. Made by `openCrib`. */
export interface Crib extends Pick<WholeCrib, Shared>, AsyncDisposable {
  /** What the formats say of their files; `skillsForModel` reads it. */
  readonly catalog: Pick<WholeCrib['catalog'], 'list' | 'factsOf'>
  /** Breadcrumbs and the records of runs. */
  readonly crumbs: Pick<
    WholeCrib['crumbs'],
    'create' | 'get' | 'list' | 'search' | 'update' | 'remove' | 'watch' | 'runs'
  >
  /** Calls that wait for a person. */
  readonly approvals: Pick<WholeCrib['approvals'], 'attend' | 'pending' | 'decide' | 'on' | 'off'>

  /**
   * Calls a tool. A tool's failure is an outcome, never a rejection. With the file that `toolcrib types` writes,
   * parameters are checked and the value is typed; else say the type of the value yourself.
   *
   * @example
   * const outcome = await crib.call<{ words: number }>('text/count', { text: 'one two' })
   * if (outcome.ok) console.log(outcome.value.words)
   */
  call<Id extends keyof ToolTypes>(
    ref: Id,
    params: TypedParams<Id>,
    options?: CallCribOptions,
  ): Promise<OutcomeOf<TypedResult<Id>>>
  // biome-ignore lint/suspicious/noExplicitAny: a value whose type nobody stated, as in JSON.parse
  call<Result = any, Ref extends string = string>(
    ref: OtherRef<Ref> | Tool,
    params?: unknown,
    options?: CallCribOptions,
  ): Promise<OutcomeOf<Result>>

  /**
   * Adds a tool made in code; it comes before a file's tool of the same id. The parameters of `fn` follow from a
   * literal JSON Schema or from a schema of Zod, Valibot or ArkType. With a `name` it is a skill.
   *
   * @example
   * crib.addTool({
   *   id: 'greet',
   *   params: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
   *   fn: ({ name }) => `Hello, ${name}`,
   * })
   */
  addTool<const Params extends JsonSchema | StandardSchema>(definition: TypedTool<Params>): Tool
  addTool(definition: FunctionTool): Tool
  addTool(definition: SkillTool): Tool

  /**
   * Adds many tools made in code as one change of the catalog.
   *
   * @example
   * crib.addTools([{ id: 'one', fn: () => 1 }, { id: 'two', fn: () => 2 }])
   */
  addTools(definitions: readonly (FunctionTool | SkillTool)[]): Tool[]

  /**
   * Follows what happens in the crib.
   *
   * @example
   * crib.on('tool-changed', ({ id, change }) => console.log(change, id))
   */
  on<Event extends keyof CribEvents>(event: Event, listener: (...given: CribEvents[Event]) => void): this
  /**
   * Ends that.
   *
   * @example
   * crib.off('tool-changed', listener)
   */
  off<Event extends keyof CribEvents>(event: Event, listener: (...given: CribEvents[Event]) => void): this

  /**
   * Serves the crib over HTTP and MCP until it or the server is closed.
   *
   * @example
   * const { url, token } = await crib.serve({ port: 0 })
   */
  serve(options?: ServeOptions): Promise<Served>
  /**
   * Serves the crib as an MCP server on stdin and stdout until its client leaves.
   *
   * @example
   * await (await crib.serveStdio()).ended
   */
  serveStdio(options?: StdioOptions): Promise<StdioServed>
}
