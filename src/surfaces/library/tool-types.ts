// Types of tools by id. `toolcrib types` writes a file that fills `ToolTypes`, so that `crib.call` is checked and
// completed; without one every ref is taken.
import type { Failure, Success } from '../../tool/outcome.ts'

/**
 * The parameters and results of the tools of a crib, by id. Filled by the file that `toolcrib types` writes.
 *
 * @example
 * declare module 'toolcrib' {
 *   interface ToolTypes {
 *     'text/count': { params: { text: string }; result: { words: number } }
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: others fill it
export interface ToolTypes {}

/**
 * An outcome whose value has a known type.
 *
 * @example
 * const outcome: OutcomeOf<{ words: number }> = await crib.call('text/count', { text: 'one two' })
 */
export type OutcomeOf<Result> = (Omit<Success, 'value'> & { readonly value: Result }) | Failure

export type TypedParams<Id extends keyof ToolTypes> = ToolTypes[Id] extends { params: infer Params }
  ? Params
  : unknown

export type TypedResult<Id extends keyof ToolTypes> = ToolTypes[Id] extends { result: infer Result }
  ? Result
  : unknown

/** A ref that no written type knows: a known id takes its own parameters or none at all. */
export type OtherRef<Ref extends string> = Ref extends keyof ToolTypes ? never : Ref
