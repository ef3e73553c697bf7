// What a definition for another system cannot say as the tool says it. Given as data and printed by `export`.

/**
 * `wider`: the model may send what the tool will refuse; `narrower`: some valid parameters cannot be sent;
 * `encoded`: said in another shape and mapped back exactly.
 */
export type LossEffect = 'wider' | 'narrower' | 'encoded'

export interface Loss {
  /** Id of the tool. */
  readonly tool: string
  /** JSON pointer into the tool's parameter schema. */
  readonly pointer: string
  readonly keyword: string
  readonly effect: LossEffect
  readonly message: string
}
