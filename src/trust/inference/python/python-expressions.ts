// Python's expressions, from tokens. What an expression does by the way, an assignment in it for one, is told in steps
// before it.
import { type Expression, nothing } from '../expression.ts'
import { comparing, PythonAtoms } from './python-atoms.ts'
import { PythonSyntaxFault } from './python-tokens.ts'

/** Members and calls behind each other. */
const maxChain = 1_000

/** Binary signs by how tight they bind; those of one row bind alike. */
const tightness: { [sign: string]: number } = {}
for (const [index, row] of [
  'or',
  'and',
  'in is not < > <= >= == != <>',
  '|',
  '^',
  '&',
  '<< >>',
  '+ -',
  '* / // % @',
].entries())
  for (const one of row.split(' ')) tightness[one] = index + 1

export class PythonExpressions extends PythonAtoms {
  expression(): Expression {
    return this.deeper(() => this.#conditional())
  }

  #conditional(): Expression {
    const first = this.#branch()
    if (!this.is('if')) return first
    const of = [first]
    while (this.took('if')) {
      this.out.push({ kind: 'do', value: this.binary(0) })
      // The filter of a comprehension has no other way.
      if (!this.took('else')) throw new PythonSyntaxFault(this.next.from)
      of.push(this.#branch())
    }
    return { kind: 'choice', of }
  }

  #branch(): Expression {
    const { from } = this.next
    const value = this.operand()
    return value.kind === 'name' && this.took(':=') ? this.named(value.name, from) : value
  }

  protected named(name: string, at: number): Expression {
    this.out.push({ kind: 'bind', name, value: this.expression(), isMore: false })
    return { kind: 'name', name, at }
  }

  protected operand(): Expression {
    return this.is('lambda') ? this.#lambda() : this.binary(0)
  }

  #lambda(): Expression {
    this.expect('lambda')
    const params = this.params(':')
    this.expect(':')
    const steps = this.apart(() => {
      this.out.push({ kind: 'return', value: this.expression() })
    })
    return { kind: 'function', body: { params, steps } }
  }

  /** Names of parameters up to a sign; what their defaults and types do is done where the function is made. */
  protected params(end: string): string[] {
    const names: string[] = []
    while (!this.is(end)) {
      if (!this.took('*') && !this.took('**')) this.took('/')
      if (this.isKind('name')) {
        names.push(this.name())
        if (end !== ':' && this.took(':')) this.out.push({ kind: 'do', value: this.starred() })
        if (this.took('=')) this.out.push({ kind: 'do', value: this.expression() })
      } else if (this.is('(')) {
        // `def f((a, b))` of Python 2
        this.atom()
        names.push('')
      }
      if (!this.took(',') && !this.is(end)) throw new PythonSyntaxFault(this.next.from)
    }
    return names
  }

  /** Signs that bind at least this tight. */
  protected binary(least: number): Expression {
    let left = this.#unary(least)
    for (;;) {
      const { text, from, kind } = this.next
      const own =
        kind === 'sign' || kind === 'name' ? Object.hasOwn(tightness, text) && tightness[text] : false
      if (!own || own < least || (least > comparing && own <= comparing)) return left
      this.at++
      if (text === 'is') this.took('not')
      if (text === 'not') this.expect('in')
      const right = this.binary(own + 1)
      left = this.#joined(text, left, right, from)
    }
  }

  #joined(sign: string, left: Expression, right: Expression, at: number): Expression {
    if (sign === '+' || sign === '/') {
      // A long sum is one list, however long.
      if (left.kind === 'join' && left.sign === sign && left.isSum)
        return { kind: 'join', sign, parts: append(left.parts, right), isSum: true }
      return { kind: 'join', sign, parts: [left, right], isSum: true }
    }
    if (sign === 'or' || sign === 'and') {
      if (left.kind === 'choice') return { kind: 'choice', of: append(left.of, right) }
      return { kind: 'choice', of: [left, right] }
    }
    if (sign === '%') return percent(left, right, at)
    if (sign === '*' && left.kind === 'text' && right.kind === 'number')
      return { kind: 'text', text: left.text.repeat(Math.min(1_000, Math.max(0, right.value))) }
    if ((sign === 'in' || sign === 'not') && left.kind === 'text')
      return { kind: 'made', of: [{ kind: 'member', of: right, key: left, at }] }
    if (left.kind === 'made' && left !== nothing) return { kind: 'made', of: append(left.of, right) }
    return { kind: 'made', of: [left, right] }
  }

  #unary(least: number): Expression {
    const { text, kind, from } = this.next
    if (kind === 'name' && text === 'not' && least <= comparing) return this.#signed(comparing)
    if (text === '-' || text === '+' || text === '~') {
      const of = this.#signed(10)
      return text === '-' && of.kind === 'made' && of.of[0]?.kind === 'number'
        ? { kind: 'number', value: -of.of[0].value }
        : of
    }
    if (kind === 'name' && text === 'await') return this.#awaited()
    if (kind === 'name' && text === 'yield') return this.#yield()
    const value = this.#chain(this.atom(), from)
    if (!this.took('**')) return value
    return { kind: 'made', of: [value, this.deeper(() => this.#unary(10))] }
  }

  #signed(least: number): Expression {
    this.at++
    return { kind: 'made', of: [this.deeper(() => this.binary(least))] }
  }

  #awaited(): Expression {
    this.at++
    return this.deeper(() => this.#unary(10))
  }

  #yield(): Expression {
    this.at++
    this.took('from')
    return this.startsExpression() ? { kind: 'made', of: [this.deeper(() => this.tuple())] } : nothing
  }

  /** Members, parts and calls behind a value. */
  #chain(first: Expression, at: number): Expression {
    let value = first
    for (let links = 0; ; links++) {
      if (links > maxChain) throw new PythonSyntaxFault(this.next.from)
      if (this.took('.')) value = { kind: 'member', of: value, key: { kind: 'text', text: this.name() }, at }
      else if (this.is('(')) value = this.#call(value, at)
      else if (this.took('[')) value = this.#part(value, at)
      else return value
    }
  }

  #call(callee: Expression, at: number): Expression {
    const { args, named } = this.args()
    return { kind: 'call', callee, args, named, at }
  }

  /** What stands in the brackets of a call or behind the name of a class. */
  protected args(): { args: Expression[]; named: [string, Expression][] } {
    this.expect('(')
    const args: Expression[] = []
    const named: [string, Expression][] = []
    while (!this.took(')')) {
      if (this.took('**')) {
        const value = this.expression()
        if (value.kind === 'object')
          named.push(...value.entries.map(([key, own]): [string, Expression] => [key, own]))
        else args.push({ kind: 'made', of: [value] })
      } else if (this.took('*')) {
        const value = this.expression()
        if (value.kind === 'list') args.push(...value.items)
        else args.push({ kind: 'made', of: [value] })
      } else if (this.isKind('name') && this.tokens[this.at + 1]!.text === '=') {
        const name = this.name()
        this.at++
        named.push([name, this.expression()])
      } else {
        const value = this.expression()
        args.push(this.isLoop() ? this.loop(value) : value)
      }
      if (!this.took(',') && !this.is(')')) throw new PythonSyntaxFault(this.next.from)
    }
    return { args, named }
  }

  /** `value[…]`, the opening bracket taken. */
  #part(of: Expression, at: number): Expression {
    const parts: (Expression | undefined)[] = [undefined]
    let isSlice = false
    let isTuple = false
    while (!this.took(']')) {
      if (this.took(':')) {
        isSlice = true
        parts.push(undefined)
      } else if (this.took(',')) {
        isTuple = true
        parts.push(undefined)
      } else parts[parts.length - 1] = this.starred()
    }
    const values = parts.filter((part) => part !== undefined)
    if (!isSlice) {
      const key: Expression = values.length === 1 && !isTuple ? values[0]! : { kind: 'list', items: values }
      return { kind: 'member', of, key, at }
    }
    const [from, to, step] = parts
    if (!isTuple && !from && !to && step?.kind === 'number' && step.value === -1)
      return { kind: 'reversed', of }
    const isPlain =
      !isTuple && parts.length === 2 && [from, to].every((part) => !part || part.kind === 'number')
    if (!isPlain) return { kind: 'made', of: [of, ...values] }
    return {
      kind: 'call',
      callee: { kind: 'member', of, key: { kind: 'text', text: 'slice' }, at },
      args: [from ?? { kind: 'number', value: 0 }, ...(to ? [to] : [])],
      named: [],
      at,
    }
  }
}

/** The list goes on; it belongs to whoever builds it. */
function append(list: readonly Expression[], more: Expression): readonly Expression[] {
  ;(list as Expression[]).push(more)
  return list
}

/** `"…%s…" % value` */
function percent(left: Expression, right: Expression, at: number): Expression {
  if (left.kind !== 'text') return { kind: 'made', of: [left, right] }
  const pattern = { kind: 'text', text: left.text.replace(/%[-+ #0-9.]*[a-zA-Z]/g, '{}') } as const
  const callee = { kind: 'member', of: pattern, key: { kind: 'text', text: 'format' }, at } as const
  return { kind: 'call', callee, args: right.kind === 'list' ? right.items : [right], named: [], at }
}
