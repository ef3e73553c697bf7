// Expressions of plain Python: literals, names, calls, subscripts and a few operators, as trees like those of the
// full grammar.
import { notPlain, type PlainPythonTokens } from './plain-python-tokens.ts'
import { nodeOf, type PythonNode } from './python-node.ts'

/** The full grammar stumbles over operations chained several hundred times. */
const maxLinks = 70

export class PlainPythonExpressions {
  readonly #tokens: PlainPythonTokens

  constructor(tokens: PlainPythonTokens) {
    this.#tokens = tokens
  }

  expression(): PythonNode {
    let left = this.#sum()
    for (let links = 0; this.#tokens.follows('|'); checkLinks(++links))
      left = nodeOf('BinaryExpression', left.from, [left, this.#tokens.sign('|', 'BitOp'), this.#sum()])
    return left
  }

  #sum(): PythonNode {
    let left = this.#product()
    for (let links = 0; ; checkLinks(++links)) {
      const sign = this.#tokens.next()
      if (sign !== '+' && sign !== '-') return left
      left = nodeOf('BinaryExpression', left.from, [
        left,
        this.#tokens.sign(sign, 'ArithOp'),
        this.#product(),
      ])
    }
  }

  #product(): PythonNode {
    let left = this.#operand()
    for (let links = 0; this.#tokens.follows('*'); checkLinks(++links))
      left = nodeOf('BinaryExpression', left.from, [left, this.#tokens.sign('*', 'ArithOp'), this.#operand()])
    return left
  }

  #operand(): PythonNode {
    const tokens = this.#tokens
    if (tokens.follows('-')) {
      const parts = [tokens.sign('-', 'ArithOp'), tokens.number()]
      return nodeOf('UnaryExpression', parts[0]!.from, parts)
    }
    let node = this.#atom()
    for (let links = 0; ; checkLinks(++links)) {
      switch (tokens.next()) {
        case '.':
          node = nodeOf('MemberExpression', node.from, [node, tokens.sign('.'), tokens.name('PropertyName')])
          break
        case '[':
          node = this.#elements('MemberExpression', node.from, [node, tokens.open('[')], ']')
          break
        case '(':
          node = nodeOf('CallExpression', node.from, [node, this.arguments()])
          break
        default:
          return node
      }
    }
  }

  #atom(): PythonNode {
    const tokens = this.#tokens
    const char = tokens.next()
    const from = tokens.at
    if (tokens.startsString()) return this.#strings(from)
    if (char === '(') return this.#parenthesized(from)
    if (char === '[') return this.#list(from)
    if (char === '{') return this.#braced(from)
    if (char >= '0' && char <= '9') return tokens.number()
    switch (tokens.nextWord()) {
      case 'None':
        return tokens.keyword('None')
      case 'True':
        return tokens.sign('True', 'Boolean')
      case 'False':
        return tokens.sign('False', 'Boolean')
      default:
        return tokens.name()
    }
  }

  #strings(from: number): PythonNode {
    const parts = [this.#tokens.string()]
    while (this.#tokens.startsString()) parts.push(this.#tokens.string())
    return parts.length === 1 ? parts[0]! : nodeOf('ContinuedString', from, parts)
  }

  #parenthesized(from: number): PythonNode {
    const parts = [this.#tokens.open('(')]
    if (this.#tokens.follows(')')) return this.#closed('TupleExpression', from, parts, ')')
    parts.push(this.expression())
    if (this.#tokens.follows(')')) return this.#closed('ParenthesizedExpression', from, parts, ')')
    if (this.comma(parts, ')')) return this.#elements('TupleExpression', from, parts, ')')
    return this.#closed('TupleExpression', from, parts, ')')
  }

  #list(from: number): PythonNode {
    const parts = [this.#tokens.open('[')]
    if (this.#tokens.follows(']')) return this.#closed('ArrayExpression', from, parts, ']')
    return this.#elements('ArrayExpression', from, parts, ']')
  }

  #braced(from: number): PythonNode {
    const tokens = this.#tokens
    const parts = [tokens.open('{')]
    if (!tokens.follows('}'))
      do {
        if (tokens.follows('**')) parts.push(tokens.sign('**'), this.expression())
        else {
          parts.push(this.expression())
          if (parts.length === 2 && !tokens.follows(':')) return this.#set(from, parts)
          parts.push(tokens.sign(':'), this.expression())
        }
      } while (this.comma(parts, '}'))
    return this.#closed('DictionaryExpression', from, parts, '}')
  }

  #set(from: number, parts: PythonNode[]): PythonNode {
    if (this.comma(parts, '}')) return this.#elements('SetExpression', from, parts, '}')
    return this.#closed('SetExpression', from, parts, '}')
  }

  #elements(name: string, from: number, parts: PythonNode[], closer: string): PythonNode {
    do parts.push(this.expression())
    while (this.comma(parts, closer))
    return this.#closed(name, from, parts, closer)
  }

  #closed(name: string, from: number, parts: PythonNode[], closer: string): PythonNode {
    parts.push(this.#tokens.close(closer))
    return nodeOf(name, from, parts)
  }

  arguments(): PythonNode {
    const tokens = this.#tokens
    const parts = [tokens.open('(')]
    if (!tokens.follows(')'))
      do {
        if (tokens.follows('*')) parts.push(tokens.sign(tokens.follows('**') ? '**' : '*'), this.expression())
        else {
          const value = this.expression()
          parts.push(value)
          if (value.name === 'VariableName' && tokens.follows('='))
            parts.push(tokens.sign('=', 'AssignOp'), this.expression())
        }
      } while (this.comma(parts, ')'))
    parts.push(tokens.close(')'))
    return nodeOf('ArgList', parts[0]!.from, parts)
  }

  typeDef(): PythonNode {
    const parts = [this.#tokens.sign(':'), this.expression()]
    return nodeOf('TypeDef', parts[0]!.from, parts)
  }

  /** Takes a comma; true when another element follows it, and none of what may stand there too. */
  comma(parts: PythonNode[], ends: string): boolean {
    if (!this.#tokens.follows(',')) return false
    parts.push(this.#tokens.sign(','))
    return ends === '' || !ends.includes(this.#tokens.next())
  }

  dottedName(): PythonNode[] {
    const parts = [this.#tokens.name()]
    while (this.#tokens.follows('.')) parts.push(this.#tokens.sign('.'), this.#tokens.name())
    return parts
  }
}

function checkLinks(links: number): void {
  if (links > maxLinks) throw notPlain
}
