// How a tool becomes a definition for another system: the seam of `export`, and what such a definition cannot say.
import type { JsonSchema, Tool } from './tool.ts'

/**
 * `wider`: the model may send what the tool will refuse; `narrower`: some valid parameters cannot be sent;
 * `encoded`: said in another shape and mapped back exactly; `cut`: the system does not take all of it.
 */
export type LossEffect = 'wider' | 'narrower' | 'encoded' | 'cut'

export interface Loss {
  /** Id of the tool. */
  readonly tool: string
  /** JSON pointer into the tool's parameter schema. */
  readonly pointer: string
  readonly keyword: string
  readonly effect: LossEffect
  readonly message: string
}

/** A parameter schema in the words of another system. */
export interface RewrittenSchema {
  readonly schema: JsonSchema
  /** Arguments as the provider's model gave them → the tool's parameters. */
  restore(args: unknown): unknown
  readonly losses: readonly Omit<Loss, 'tool'>[]
  /** False when the dialect cannot hold the root, so that the schema stands as the tool wrote it. */
  readonly isInDialect: boolean
}

export interface Exporter {
  /** What `export --as` calls it. */
  readonly name: string
  /** What names of tools must look like; default: 1 to 64 letters, digits, `_` and `-`. */
  readonly toolName?: RegExp
  /** Characters of a description that the system takes; what is longer is cut. Default: any number. */
  readonly maxDescription?: number
  /** Tools that the system takes at once; more are reported. Default: any number. */
  readonly maxTools?: number
  /** Default: the schema as it is. */
  schema?(schema: JsonSchema): RewrittenSchema
  definition(tool: Tool, name: string, rewritten: RewrittenSchema): object
}
