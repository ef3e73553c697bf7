// Python as steps, statement by statement. A statement that is not understood is passed over and told.
import { type Expression, type FunctionBody, nothing, type ReadSteps, type Step } from '../expression.ts'
import { PythonExpressions } from './python-expressions.ts'
import { PythonSyntaxFault, pythonTokens } from './python-tokens.ts'

/** Blocks inside each other; CPython stops at 100. */
const maxBlocks = 200

export function readPython(text: string): ReadSteps {
  try {
    const reader = new PythonReader(text, pythonTokens(text))
    return { steps: reader.whole(), fault: reader.fault }
  } catch (error) {
    if (error instanceof PythonSyntaxFault)
      return { steps: [], fault: { at: error.at, message: error.message } }
    throw error
  }
}

const updating = new Set(['+=', '-=', '*=', '/=', '//=', '%=', '**=', '>>=', '<<=', '&=', '^=', '|=', '@='])

class PythonReader extends PythonExpressions {
  fault: { readonly at: number; readonly message: string } | null = null
  #blocks = 0
  /** Classes of the text that are made of nothing else. */
  readonly #own = new Set(['object'])

  whole(): readonly Step[] {
    while (!this.isKind('end')) this.#statement()
    return this.out
  }

  #statement(): void {
    const { kind } = this.next
    if (kind === 'line' || kind === 'dedent' || kind === 'indent') return void this.at++
    const start = this.at
    try {
      this.#compound()
    } catch (error) {
      if (!(error instanceof PythonSyntaxFault)) throw error
      this.fault ??= { at: error.at, message: error.message }
      this.at = Math.max(this.at, start)
      this.startOver()
      while (!this.isKind('line') && !this.isKind('end')) this.at++
    }
  }

  #compound(): void {
    const { kind, text } = this.next
    if (kind === 'sign' && text === '@') return this.#decorated()
    if (kind !== 'name') return this.#simpleLine()
    switch (text) {
      case 'async':
        this.at++
        return this.#compound()
      case 'def':
        return this.#define()
      case 'class':
        return this.#class()
      case 'for':
        return this.#for()
      case 'with':
        return this.#with()
      case 'if':
      case 'elif':
      case 'while':
        this.at++
        this.#do(this.expression())
        return this.#block()
      case 'else':
      case 'try':
      case 'finally':
        this.at++
        return this.#block()
      case 'except':
        return this.#except()
      case 'match':
      case 'case':
        if (this.#isClause()) return this.#clause(text)
    }
    return this.#simpleLine()
  }

  #do(value: Expression): void {
    this.out.push({ kind: 'do', value })
  }

  /** What stands behind a colon: an indented block, or statements of the same line. */
  #block(): void {
    this.expect(':')
    if (!this.isKind('line')) return this.#simpleLine()
    this.at++
    if (!this.isKind('indent')) return
    this.at++
    if (this.#blocks === maxBlocks) throw new PythonSyntaxFault(this.next.from)
    this.#blocks++
    while (!this.isKind('dedent') && !this.isKind('end')) this.#statement()
    this.#blocks--
    if (this.isKind('dedent')) this.at++
  }

  #simpleLine(): void {
    for (;;) {
      this.#simple()
      if (!this.took(';')) break
      if (this.isKind('line')) break
    }
    if (!this.isKind('line') && !this.isKind('end')) throw new PythonSyntaxFault(this.next.from)
    if (this.isKind('line')) this.at++
  }

  #simple(): void {
    const { kind, text } = this.next
    if (kind === 'name')
      switch (text) {
        case 'import':
          return this.#import()
        case 'from':
          return this.#from()
        case 'return':
          this.at++
          return void this.out.push({
            kind: 'return',
            value: this.startsExpression() ? this.tuple() : nothing,
          })
        case 'pass':
        case 'break':
        case 'continue':
          this.at++
          return
        case 'global':
        case 'nonlocal':
          this.at++
          do this.name()
          while (this.took(','))
          return
        case 'del':
        case 'assert':
        case 'raise':
          this.at++
          if (this.startsExpression()) this.#do(this.tuple())
          if (this.took('from')) this.#do(this.expression())
          return
        case 'print':
        case 'exec':
          if (this.#isOldStatement()) return this.#old(text)
          break
        case 'type':
          if (this.#isAlias()) return this.#alias()
      }
    this.#assignment()
  }

  #assignment(): void {
    const first = this.tuple()
    const sign = this.next
    if (sign.kind === 'sign' && updating.has(sign.text)) return this.#update(first, sign.text)
    if (this.took(':')) {
      this.#do(this.expression())
      if (!this.is('=')) return
    }
    if (!this.is('=')) return this.#do(first)
    const all = [first]
    while (this.took('=')) all.push(this.tuple())
    const value = all.pop()!
    for (const target of all) this.#bind(target, value, sign.from)
  }

  #update(target: Expression, sign: string): void {
    this.at++
    const value = this.tuple()
    if (target.kind === 'name' && sign === '+=')
      this.out.push({ kind: 'bind', name: target.name, value, isMore: true })
    else this.#do({ kind: 'made', of: [target, value] })
  }

  #bind(target: Expression, value: Expression, at: number): void {
    if (target.kind === 'name') this.out.push({ kind: 'bind', name: target.name, value, isMore: false })
    else if (target.kind === 'list') {
      const names = target.items.flatMap((item, index): [number, string][] =>
        item.kind === 'name' ? [[index, item.name]] : [],
      )
      this.out.push({ kind: 'take', from: value, names, at })
    } else this.out.push({ kind: 'set', target, value })
  }

  #import(): void {
    const { from: at } = this.next
    this.at++
    do {
      const dotted = this.#dotted()
      const root = dotted.split('.')[0]!
      if (this.took('as'))
        this.out.push({ kind: 'import', module: dotted, part: null, name: this.name(), at })
      else this.out.push({ kind: 'import', module: root, part: null, name: root, at })
    } while (this.took(','))
  }

  #from(): void {
    const { from: at } = this.next
    this.at++
    let module = ''
    while (this.is('.') || this.is('...')) {
      module += this.next.text
      this.at++
    }
    if (!this.is('import')) module += this.#dotted()
    this.expect('import')
    const isList = this.took('(')
    do {
      if (isList && this.is(')')) break
      const part = this.took('*') ? '*' : this.name()
      const name = this.took('as') ? this.name() : part
      this.out.push({ kind: 'import', module, part, name, at })
    } while (this.took(','))
    if (isList) this.expect(')')
  }

  #dotted(): string {
    let dotted = this.name()
    while (this.took('.')) dotted += `.${this.name()}`
    return dotted
  }

  /** A decorator is called with what stands below it, which is looked at by itself. */
  #decorated(): void {
    const decorators: Expression[] = []
    const { from: at } = this.next
    while (this.took('@')) {
      decorators.push(this.expression())
      if (this.isKind('line')) this.at++
    }
    this.took('async')
    if (this.is('class')) this.#class()
    else this.#define()
    let value = nothing
    for (const callee of decorators.reverse()) value = { kind: 'call', callee, args: [value], named: [], at }
    this.#do(value)
  }

  #define(): void {
    this.expect('def')
    const name = this.name()
    this.#typeParams()
    this.expect('(')
    const params = this.params(')')
    this.expect(')')
    if (this.took('->')) this.#do(this.expression())
    const body: FunctionBody = { params, steps: this.apart(() => this.#block()) }
    this.out.push({ kind: 'define', name, body })
  }

  /** Methods are called on objects that are not followed, so each is looked at by itself. */
  #class(): void {
    this.expect('class')
    const name = this.name()
    this.#typeParams()
    let isPlain = true
    if (this.is('(')) {
      const { args, named } = this.args()
      for (const value of [...args, ...named.map(([, one]) => one)]) this.#do(value)
      isPlain = args.every((base) => base.kind === 'name' && this.#own.has(base.name))
    }
    // What it makes has its own methods only, whatever they are called.
    if (isPlain) {
      this.#own.add(name)
      this.out.push({ kind: 'bind', name, value: { kind: 'object', entries: [] }, isMore: false })
    }
    for (const step of this.apart(() => this.#block()))
      this.out.push(step.kind === 'define' ? { ...step, name: `${name}.${step.name}` } : step)
  }

  /** `[T: int]` of newer Pythons. */
  #typeParams(): void {
    if (!this.is('[')) return
    for (let depth = 0; ; this.at++) {
      if (this.is('[')) depth++
      if (this.is(']') && --depth === 0) break
      if (this.isKind('end')) throw new PythonSyntaxFault(this.next.from)
    }
    this.at++
  }

  #for(): void {
    this.at++
    const names = this.targets()
    this.expect('in')
    this.out.push({ kind: 'iterate', names, of: this.tuple() })
    this.#block()
  }

  #with(): void {
    this.at++
    const start = this.at
    const before = this.out.length
    // In brackets, or with an expression that begins with one.
    if (this.took('('))
      try {
        this.#withItems()
        this.took(',')
        this.expect(')')
        if (this.is(':')) return this.#block()
      } catch (error) {
        if (!(error instanceof PythonSyntaxFault)) throw error
      }
    this.at = start
    this.out.length = before
    this.#withItems()
    this.#block()
  }

  #withItems(): void {
    do {
      if (this.is(')')) return
      const { from: at } = this.next
      const value = this.expression()
      if (this.took('as')) this.#bind(this.binaryTarget(), value, at)
      else this.#do(value)
    } while (this.took(','))
  }

  /** A name, a member, or names in brackets. */
  protected binaryTarget(): Expression {
    return this.binary(10)
  }

  #except(): void {
    this.at++
    this.took('*')
    if (!this.is(':')) this.#do(this.tuple())
    if (this.took('as')) this.out.push({ kind: 'bind', name: this.name(), value: nothing, isMore: false })
    this.#block()
  }

  /** Whether `match` or `case` begins a block here: a colon ends the line outside of brackets. */
  #isClause(): boolean {
    const after = this.tokens[this.at + 1]!
    if (after.kind === 'sign' && /^(?:[=.,:)\]]|[-+*/%&|^@]=|:=|==)$/.test(after.text)) return false
    for (let at = this.at; ; at++) {
      const { kind } = this.tokens[at]!
      if (kind === 'end') return false
      if (kind === 'line') return this.tokens[at - 1]!.text === ':'
    }
  }

  #clause(word: string): void {
    this.at++
    if (word === 'match') this.#do(this.tuple())
    else this.#pattern()
    this.#block()
  }

  /** Names in a pattern hold what is not known; its guard is an expression. */
  #pattern(): void {
    for (let depth = 0; ; this.at++) {
      const { kind, text } = this.next
      if (kind === 'line' || kind === 'end') throw new PythonSyntaxFault(this.next.from)
      if (/^[([{]$/.test(text)) depth++
      else if (/^[)\]}]$/.test(text)) depth--
      else if (depth === 0 && text === ':') return
      else if (depth === 0 && kind === 'name' && text === 'if') {
        this.at++
        return this.#do(this.expression())
      }
    }
  }

  /** `print x`, `exec code` of Python 2. */
  #isOldStatement(): boolean {
    const { kind, text } = this.tokens[this.at + 1]!
    return (
      kind === 'string' ||
      kind === 'number' ||
      (kind === 'name' && !/^(?:in|is|not|and|or|if|else|for|as)$/.test(text))
    )
  }

  #old(name: string): void {
    const { from: at } = this.next
    this.at++
    const value = this.tuple()
    this.#do({ kind: 'call', callee: { kind: 'name', name, at }, args: [value], named: [], at })
    if (this.took('in')) this.#do(this.tuple())
  }

  #isAlias(): boolean {
    const [name, after] = [this.tokens[this.at + 1]!, this.tokens[this.at + 2]!]
    return name.kind === 'name' && (after.text === '=' || after.text === '[')
  }

  /** `type Name[T] = …` */
  #alias(): void {
    this.at++
    this.name()
    this.#typeParams()
    this.expect('=')
    this.#do(this.expression())
  }
}
