// Where reading of Python code stands: the next token, the steps made so far, how deep it is.
import type { Expression, Step } from '../expression.ts'
import { PythonSyntaxFault, type Token, type TokenKind } from './python-tokens.ts'

/** Brackets and signs inside each other; CPython stops at 200 too. */
const maxDepth = 200

export const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

export class PythonCursor {
  readonly text: string
  /** What expressions do by the way. */
  out: Step[] = []
  protected tokens: readonly Token[]
  protected at = 0
  #depth = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text
    this.tokens = tokens
  }

  /** After a fault. */
  protected startOver(): void {
    this.#depth = 0
  }

  protected get next(): Token {
    return this.tokens[this.at]!
  }

  protected isKind(kind: TokenKind): boolean {
    return this.tokens[this.at]!.kind === kind
  }

  protected is(text: string): boolean {
    return this.tokens[this.at]!.text === text
  }

  /** Takes the next token if it is this sign or word. */
  protected took(text: string): boolean {
    if (!this.is(text)) return false
    this.at++
    return true
  }

  protected expect(text: string): void {
    if (!this.took(text)) throw new PythonSyntaxFault(this.next.from)
  }

  protected name(): string {
    const { kind, text, from } = this.next
    if (kind !== 'name') throw new PythonSyntaxFault(from)
    this.at++
    return text
  }

  /** The steps that reading something makes, by themselves. */
  protected apart(read: () => void): Step[] {
    const outer = this.out
    this.out = []
    try {
      read()
      return this.out
    } finally {
      this.out = outer
    }
  }

  protected deeper(read: () => Expression): Expression {
    if (this.#depth >= maxDepth) throw new PythonSyntaxFault(this.next.from)
    this.#depth++
    const value = read()
    this.#depth--
    return value
  }

  protected startsExpression(): boolean {
    const { kind, text } = this.next
    if (kind === 'name')
      return !keywords.has(text) || /^(?:not|lambda|await|yield|None|True|False)$/.test(text)
    if (kind === 'sign') return /^(?:[-+~([{*`]|\*\*|\.\.\.)$/.test(text)
    return kind === 'number' || kind === 'string'
  }
}
