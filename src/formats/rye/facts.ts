// What the format keeps on each tool to link it: place, executor and the entries a chain is made of.
import type { Json, JsonObject } from '../../tool/json.ts'
import type { RyeConfigRequest } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import type { CodeFacts } from './reading.ts'

declare module '../../tool/tool.ts' {
  interface ToolDetails {
    readonly rye?: RyeFacts
    /** What a file says for its readers only. */
    readonly documentation?: JsonObject
    readonly docstring?: string
    readonly outputs?: Json
    /** Keys nobody knows, kept as they are. */
    readonly unknown?: JsonObject
  }
}

export interface RyeFacts {
  /** Absolute path of the `.ai` folder (or its like) the file belongs to. */
  readonly ai: string
  /** Path under `tools/`. */
  readonly path: string
  readonly scanOrder: number
  readonly type: string
  readonly executor: string | null
  /** True when the file says `executor_id`, also as null. */
  readonly hasExecutor: boolean
  readonly requires: readonly string[] | null
  readonly config: JsonObject
  readonly envConfig: JsonObject | null
  readonly anchor: JsonObject | null
  readonly verifyDeps: JsonObject | null
  readonly extensions: readonly string[] | null
  readonly timeout: number | null
  readonly configResolve: { readonly requests: readonly RyeConfigRequest[]; readonly isList: boolean } | null
  readonly code: CodeFacts | null
  readonly declaredParams: readonly string[]
}

export function factsOf(tool: Tool): RyeFacts {
  return tool.details!.rye!
}
