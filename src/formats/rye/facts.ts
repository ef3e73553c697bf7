// What the format keeps on each tool to link it: place, executor and the entries a chain is made of.
import type { Json, JsonObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import type { RyeConfigRequest } from './plan.ts'
import type { CodeFacts } from './reading.ts'

export interface RyeFacts {
  /** Absolute path of the `.ai` folder (or its like) the file belongs to. */
  readonly ai: string
  /** Path under `tools/`. */
  readonly path: string
  readonly placeOrder: number
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
  return tool.extra!['rye'] as unknown as RyeFacts
}

export function asExtra(facts: RyeFacts): Json {
  return facts as unknown as Json
}
