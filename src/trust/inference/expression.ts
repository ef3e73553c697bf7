// Code as the interpreter reads it, whatever the language: a list of steps made of expressions. Each language has a
// reader that writes its syntax tree in these few forms.

export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  /** Texts put together, or paths with `/`. */
  | {
      readonly kind: 'join'
      readonly parts: readonly Expression[]
      readonly sign: '+' | '/'
      /** A chain of signs, which goes on with every further one. */
      readonly isSum?: boolean
    }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: Expression])[] }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression; readonly at: number }
  | CallExpression
  /** One of these; which, is known when it runs. */
  | { readonly kind: 'choice'; readonly of: readonly Expression[] }
  | { readonly kind: 'reversed'; readonly of: Expression }
  /** `value` for every item of a list. */
  | { readonly kind: 'each'; readonly name: string; readonly of: Expression; readonly value: Expression }
  | { readonly kind: 'function'; readonly body: FunctionBody }
  /** Something that is made of these in a way that does not matter here. */
  | { readonly kind: 'made'; readonly of: readonly Expression[] }

export interface CallExpression {
  readonly kind: 'call'
  readonly callee: Expression
  readonly args: readonly Expression[]
  readonly named: readonly (readonly [name: string, value: Expression])[]
  readonly at: number
}

export interface FunctionBody {
  readonly params: readonly string[]
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'bind'; readonly name: string; readonly value: Expression; readonly isMore: boolean }
  /** As `bind`, of a name that may belong to an outer function. */
  | { readonly kind: 'assign'; readonly name: string; readonly value: Expression }
  /** Parts of a value under names of their own. */
  | {
      readonly kind: 'take'
      readonly from: Expression
      readonly names: readonly (readonly [key: string | number, name: string])[]
      readonly at: number
    }
  /** A name for every item of a list in turn. */
  | { readonly kind: 'iterate'; readonly names: readonly string[]; readonly of: Expression }
  | { readonly kind: 'set'; readonly target: Expression; readonly value: Expression }
  | { readonly kind: 'do'; readonly value: Expression }
  | { readonly kind: 'return'; readonly value: Expression }
  | { readonly kind: 'define'; readonly name: string; readonly body: FunctionBody }
  /** An import of a package or module: the name stands for it, or for a part of it. */
  | {
      readonly kind: 'import'
      readonly module: string
      readonly part: string | null
      readonly name: string
      readonly at: number
    }

/** A text with the positions of what the grammar did not understand. */
export interface ReadSteps {
  readonly steps: readonly Step[]
  readonly fault: { readonly at: number; readonly message: string } | null
}

export const nothing: Expression = { kind: 'made', of: [] }

/** Where an expression stands, as near as it says. */
export function placeOf(expression: Expression): number {
  if ('at' in expression) return expression.at
  const [first] =
    expression.kind === 'list' ? expression.items : expression.kind === 'made' ? expression.of : []
  return first ? placeOf(first) : 0
}
