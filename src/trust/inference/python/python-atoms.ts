// The atoms of Python's expressions: names, numbers, texts, and what stands in brackets, comprehensions included.
import { pythonString } from '../../../formats/rye/python-string.ts'
import { type Expression, nothing } from '../expression.ts'
import { fieldsOf } from './format-fields.ts'
import { keywords, PythonCursor } from './python-cursor.ts'
import { PythonSyntaxFault, pythonTokens } from './python-tokens.ts'

/** How tight the signs bind that compare. */
export const comparing = 3

export abstract class PythonAtoms extends PythonCursor {
  abstract expression(): Expression
  /** Signs that bind at least this tight. */
  protected abstract binary(least: number): Expression
  /** The condition or list of a comprehension, which no `if` of its own ends. */
  protected abstract operand(): Expression
  /** `name := value`, the name and the sign taken. */
  protected abstract named(name: string, at: number): Expression

  /** One expression, or several with commas as a list. */
  protected tuple(): Expression {
    const first = this.starred()
    if (!this.is(',')) return first
    const items = [first]
    while (this.took(',') && this.startsExpression()) items.push(this.starred())
    return { kind: 'list', items }
  }

  protected starred(): Expression {
    if (this.took('*') || this.took('**')) return { kind: 'made', of: [this.binary(comparing)] }
    return this.expression()
  }

  protected atom(): Expression {
    const { kind, text, from, to } = this.next
    if (kind === 'string') return this.#strings()
    if (kind === 'number') {
      this.at++
      return numberOf(this.text.slice(from, to))
    }
    if (kind === 'name') {
      if (text === 'True' || text === 'False') {
        this.at++
        return { kind: 'number', value: text === 'True' ? 1 : 0 }
      }
      if (text === 'None') {
        this.at++
        return nothing
      }
      if (keywords.has(text)) throw new PythonSyntaxFault(from)
      this.at++
      return { kind: 'name', name: text, at: from }
    }
    if (this.took('(')) return this.deeper(() => this.#parenthesized())
    if (this.took('[')) return this.deeper(() => this.#list(']'))
    if (this.took('{')) return this.deeper(() => this.#braces())
    if (this.took('...')) return nothing
    throw new PythonSyntaxFault(from)
  }

  #parenthesized(): Expression {
    if (this.took(')')) return { kind: 'list', items: [] }
    const first = this.starred()
    if (this.isLoop()) return this.#closed(this.loop(first), ')')
    if (this.took(')')) return first
    return { kind: 'list', items: this.#items([first], ')') }
  }

  #list(end: string): Expression {
    if (this.took(end)) return { kind: 'list', items: [] }
    const first = this.starred()
    if (this.isLoop()) return this.#closed(this.loop(first), end)
    return { kind: 'list', items: this.#items([first], end) }
  }

  #items(items: Expression[], end: string): Expression[] {
    while (!this.took(end)) {
      this.expect(',')
      if (!this.is(end)) items.push(this.starred())
    }
    return items
  }

  #closed(value: Expression, end: string): Expression {
    this.expect(end)
    return value
  }

  /** A dictionary or a set. */
  #braces(): Expression {
    const entries: [string, Expression][] = []
    if (this.took('}')) return { kind: 'object', entries }
    const isSpread = this.is('**')
    const first = this.starred()
    if (!isSpread && !this.is(':')) {
      if (this.isLoop()) return this.#closed(this.loop(first), '}')
      return { kind: 'list', items: this.#items([first], '}') }
    }
    const put = (key: Expression) => {
      const value = this.expression()
      entries.push([key.kind === 'text' ? key.text : `?${entries.length}`, value])
    }
    if (isSpread) this.out.push({ kind: 'do', value: first })
    else {
      this.at++
      put(first)
      if (this.isLoop())
        return this.#closed(
          { kind: 'made', of: [this.loop({ kind: 'list', items: [first, entries[0]![1]] })] },
          '}',
        )
    }
    while (!this.took('}')) {
      this.expect(',')
      if (this.is('}')) continue
      const isMore = this.is('**')
      const key = this.starred()
      if (isMore) this.out.push({ kind: 'do', value: key })
      else {
        this.expect(':')
        put(key)
      }
    }
    return { kind: 'object', entries }
  }

  /** Texts behind each other are one. */
  #strings(): Expression {
    const parts: Expression[] = []
    while (this.isKind('string')) {
      const { from, to } = this.next
      this.at++
      parts.push(this.#string(from, to))
    }
    return parts.length === 1 ? parts[0]! : { kind: 'join', sign: '+', parts }
  }

  #string(from: number, to: number): Expression {
    const [, prefix = '', mark = '"'] =
      /^([a-zA-Z]*)("""|'''|"|')/.exec(this.text.slice(from, from + 5)) ?? []
    if (/[ft]/i.test(prefix))
      return this.#format(from + prefix.length + mark.length, to - mark.length, prefix)
    const text = pythonString(this.text.slice(from, to).replace(/^([rR]?)[bB]([rR]?)/, '$1$2'))
    return text === undefined ? nothing : { kind: 'text', text }
  }

  /** The text of a format string between its quotes. */
  #format(from: number, to: number, prefix: string): Expression {
    const parts: Expression[] = []
    for (const field of fieldsOf(this.text, from, to, /r/i.test(prefix))) {
      if ('text' in field) parts.push({ kind: 'text', text: field.text })
      else parts.push(this.#inside(field.from, field.to))
    }
    return { kind: 'join', sign: '+', parts }
  }

  /** An expression inside a text; what lays it out behind may hold more of them. */
  #inside(from: number, to: number): Expression {
    const tokens = this.tokens
    const at = this.at
    let value: Expression
    let rest: number
    try {
      this.tokens = pythonTokens(this.text, from, to, false)
      this.at = 0
      value = this.deeper(() => this.tuple())
      rest = this.next.from
    } finally {
      this.tokens = tokens
      this.at = at
    }
    for (const field of fieldsOf(this.text, rest, to, true))
      if ('from' in field)
        this.out.push({ kind: 'do', value: this.deeper(() => this.#inside(field.from, field.to)) })
    return value
  }

  protected isLoop(): boolean {
    return this.is('for') || (this.is('async') && this.tokens[this.at + 1]!.text === 'for')
  }

  /** `value for name in list if …`, the value taken. */
  protected loop(value: Expression): Expression {
    const loops: { name: string; of: Expression }[] = []
    while (this.isLoop()) {
      this.took('async')
      this.expect('for')
      const names = this.targets()
      this.expect('in')
      loops.push({
        name: names.length === 1 ? names[0]! : '',
        of: this.operand(),
      })
      while (this.took('if')) {
        const test = this.operand()
        if (test.kind === 'name' && this.is(':=')) this.took(':=') && this.named(test.name, test.at)
        else this.out.push({ kind: 'do', value: test })
      }
    }
    return loops.reduceRight<Expression>(
      (inner, { name, of }) => ({ kind: 'each', name, of, value: inner }),
      value,
    )
  }

  /** Names that a loop gives values to. */
  protected targets(): string[] {
    const names: string[] = []
    do {
      if (!this.is('in') && !this.is('=')) names.push(...namesOf(this.#target()))
    } while (this.took(','))
    return names
  }

  #target(): Expression {
    this.took('*')
    return this.binary(comparing + 1)
  }
}

function namesOf(target: Expression): string[] {
  if (target.kind === 'name') return [target.name]
  return target.kind === 'list' ? target.items.flatMap(namesOf) : ['']
}

function numberOf(source: string): Expression {
  const plain = source.replaceAll('_', '').replace(/[jJlL]$/, '')
  const value = Number(/^0\d+$/.test(plain) ? `0o${plain.slice(1)}` : plain)
  return Number.isNaN(value) ? nothing : { kind: 'number', value }
}
