// Python as steps, from the tree of the full grammar. What the grammar does not know is passed over and told.
import type { PythonNode } from '../../../formats/rye/python-node.ts'
import { pythonString } from '../../../formats/rye/python-string.ts'
import { grammarTree } from '../../../formats/rye/python-tree.ts'
import { type Expression, type FunctionBody, nothing, type ReadSteps, type Step } from '../expression.ts'

const deepest = 1_000

export function readPython(text: string): ReadSteps {
  const { script, errors } = grammarTree(text)
  const reader = new PythonReader(text)
  const steps = reader.steps(script.children)
  const [first] = errors
  return { steps, fault: first ? { at: first.from, message: 'syntax that is not known' } : null }
}

class PythonReader {
  readonly #text: string
  #depth = 0
  #out: Step[] = []

  constructor(text: string) {
    this.#text = text
  }

  #source({ from, to }: PythonNode): string {
    return this.#text.slice(from, to)
  }

  steps(nodes: readonly PythonNode[]): Step[] {
    const outer = this.#out
    this.#out = []
    for (const node of nodes) this.#statement(node)
    const steps = this.#out
    this.#out = outer
    return steps
  }

  #statement(node: PythonNode): void {
    const { name, children } = node
    switch (name) {
      case 'ImportStatement':
        return this.#import(node)
      case 'AssignStatement':
        return this.#assign(children)
      case 'UpdateStatement':
        return this.#update(children)
      case 'ReturnStatement':
        return void this.#out.push({ kind: 'return', value: this.#tuple(children.slice(1)) })
      case 'FunctionDefinition':
        return this.#define(node)
      case 'ClassDefinition':
        return this.#class(node)
      case 'ForStatement':
        return this.#for(children)
      case 'WithStatement':
        return this.#with(children)
      case 'StatementGroup':
      case 'Body':
      case 'DecoratedStatement':
      case 'MatchBody':
      case 'MatchClause':
        for (const child of children) this.#statement(child)
        return
      default:
        if (natureOf(name) === 'statement') for (const child of children) this.#statement(child)
        else if (isExpression(node)) this.#out.push({ kind: 'do', value: this.expression(node) })
    }
  }

  #import({ children, from: at }: PythonNode): void {
    const importAt = children.findIndex((part) => part.name === 'import')
    const isFrom = children[0]?.name === 'from'
    const module = children
      .slice(1, importAt)
      .map((part) => this.#source(part))
      .join('')
    let dotted = ''
    let alias: string | null = null
    const flush = () => {
      if (dotted === '') return
      if (isFrom) this.#out.push({ kind: 'import', module, part: dotted, name: alias ?? dotted, at })
      else if (alias !== null) this.#out.push({ kind: 'import', module: dotted, part: null, name: alias, at })
      else {
        const root = dotted.split('.')[0]!
        this.#out.push({ kind: 'import', module: root, part: null, name: root, at })
      }
      dotted = ''
      alias = null
    }
    const parts = children.slice(importAt + 1)
    for (const [index, part] of parts.entries()) {
      if (part.name === ',') flush()
      else if (part.name === 'VariableName' && parts[index - 1]?.name === 'as') alias = this.#source(part)
      else if (part.name === 'VariableName' || part.name === '.' || part.name === '*')
        dotted += this.#source(part)
    }
    flush()
  }

  #assign(children: readonly PythonNode[]): void {
    const groups: PythonNode[][] = [[]]
    for (const part of children)
      if (part.name === 'AssignOp') groups.push([])
      else if (part.name !== 'TypeDef') groups.at(-1)!.push(part)
    if (groups.length < 2) return
    const value = this.#tuple(groups.at(-1)!)
    for (const target of groups.slice(0, -1)) this.#bind(target, value)
  }

  #bind(target: readonly PythonNode[], value: Expression): void {
    const targets = target.filter(isExpression)
    const [first] = targets
    if (!first) return
    if (targets.length > 1) return this.#take(targets, value, first.from)
    if (
      first.name === 'TupleExpression' ||
      first.name === 'ArrayExpression' ||
      first.name === 'ParenthesizedExpression'
    )
      return this.#take(first.children.filter(isExpression), value, first.from)
    if (first.name === 'VariableName')
      this.#out.push({ kind: 'bind', name: this.#source(first), value, isMore: false })
    else this.#out.push({ kind: 'set', target: this.expression(first), value })
  }

  #take(targets: readonly PythonNode[], from: Expression, at: number): void {
    const names = targets.flatMap((target, index): [number, string][] =>
      target.name === 'VariableName' ? [[index, this.#source(target)]] : [],
    )
    this.#out.push({ kind: 'take', from, names, at })
  }

  #update(children: readonly PythonNode[]): void {
    const at = children.findIndex((part) => part.name === 'UpdateOp')
    const [target] = children
    const value = this.#tuple(children.slice(at + 1))
    const isSum = at > 0 && this.#source(children[at]!) === '+='
    if (target?.name === 'VariableName' && isSum)
      this.#out.push({ kind: 'bind', name: this.#source(target), value, isMore: true })
    else if (target)
      this.#out.push({ kind: 'do', value: { kind: 'made', of: [this.expression(target), value] } })
  }

  #define({ children }: PythonNode): void {
    const name = children.find((part) => part.name === 'VariableName')
    const params = children.find((part) => part.name === 'ParamList')
    const body = children.find((part) => part.name === 'Body')
    if (name && body)
      this.#out.push({ kind: 'define', name: this.#source(name), body: this.#body(params, body.children) })
  }

  #body(params: PythonNode | undefined, statements: readonly PythonNode[]): FunctionBody {
    const names: string[] = []
    let isDefault = false
    for (const part of params?.children ?? []) {
      if (part.name === 'AssignOp') isDefault = true
      else if (part.name === ',') isDefault = false
      else if (part.name === 'VariableName' && !isDefault) names.push(this.#source(part))
    }
    return { params: names, steps: this.steps(statements) }
  }

  /** Methods are called on objects that are not followed, so each is looked at by itself. */
  #class({ children }: PythonNode): void {
    const name = children.find((part) => part.name === 'VariableName')
    const body = children.find((part) => part.name === 'Body')
    for (const step of body ? this.steps(body.children) : [])
      this.#out.push(
        step.kind === 'define' ? { ...step, name: `${name ? this.#source(name) : ''}.${step.name}` } : step,
      )
  }

  #for(children: readonly PythonNode[]): void {
    const at = children.findIndex((part) => part.name === 'in')
    const targets = children.slice(0, at).filter(isExpression)
    const names = targets.flatMap((target) =>
      target.name === 'VariableName'
        ? [this.#source(target)]
        : target.children.filter((part) => part.name === 'VariableName').map((part) => this.#source(part)),
    )
    const bodyAt = children.findIndex((part) => part.name === 'Body')
    this.#out.push({ kind: 'iterate', names, of: this.#tuple(children.slice(at + 1, bodyAt)) })
    for (const part of children.slice(bodyAt)) this.#statement(part)
  }

  #with(children: readonly PythonNode[]): void {
    for (const [index, part] of children.entries()) {
      if (part.name === 'Body') this.#statement(part)
      else if (isExpression(part) && children[index - 1]?.name !== 'as') {
        const value = this.expression(part)
        const target = children[index + 1]?.name === 'as' ? children[index + 2] : undefined
        if (target) this.#bind([target], value)
        else this.#out.push({ kind: 'do', value })
      }
    }
  }

  /** One expression, or several with commas as a list. */
  #tuple(nodes: readonly PythonNode[]): Expression {
    const parts = nodes.filter(isExpression)
    if (parts.length === 1) return this.expression(parts[0]!)
    return { kind: 'list', items: parts.map((part) => this.expression(part)) }
  }

  expression(node: PythonNode): Expression {
    if (this.#depth > deepest) return nothing
    this.#depth++
    const expression = this.#expression(node)
    this.#depth--
    return expression
  }

  #expression(node: PythonNode): Expression {
    const { name, children, from: at } = node
    switch (name) {
      case 'VariableName':
        return { kind: 'name', name: this.#source(node), at }
      case 'String':
        return this.#string(node)
      case 'FormatString':
        return this.#formatString(node)
      case 'ContinuedString':
        return { kind: 'join', sign: '+', parts: children.map((part) => this.expression(part)) }
      case 'Number':
        return numberOf(this.#source(node))
      case 'Boolean':
        return { kind: 'number', value: this.#source(node) === 'True' ? 1 : 0 }
      case 'CallExpression':
        return this.#call(node)
      case 'MemberExpression':
        return this.#member(node)
      case 'BinaryExpression':
        return this.#binary(children)
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return this.#tuple(children)
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression':
        return { kind: 'list', items: children.filter(isExpression).map((part) => this.expression(part)) }
      case 'DictionaryExpression':
        return this.#dictionary(children)
      case 'ArrayComprehensionExpression':
      case 'ComprehensionExpression':
      case 'SetComprehensionExpression':
        return this.#comprehension(children)
      case 'LambdaExpression': {
        const params = children.find((part) => part.name === 'ParamList')
        const value = this.expression(children.at(-1)!)
        return {
          kind: 'function',
          body: { params: this.#body(params, []).params, steps: [{ kind: 'return', value }] },
        }
      }
      case 'ConditionalExpression': {
        const [first, , test, , last] = children
        if (test) this.#out.push({ kind: 'do', value: this.expression(test) })
        return { kind: 'choice', of: [first, last].flatMap((part) => (part ? [this.expression(part)] : [])) }
      }
      case 'NamedExpression': {
        const value = this.expression(children.at(-1)!)
        this.#out.push({ kind: 'bind', name: this.#source(children[0]!), value, isMore: false })
        return { kind: 'name', name: this.#source(children[0]!), at }
      }
      case 'UnaryExpression': {
        const inner = this.expression(children.at(-1)!)
        return inner.kind === 'number' && this.#source(node).startsWith('-')
          ? { kind: 'number', value: -inner.value }
          : { kind: 'made', of: [inner] }
      }
      default:
        return { kind: 'made', of: children.filter(isExpression).map((part) => this.expression(part)) }
    }
  }

  #string(node: PythonNode): Expression {
    const literal = this.#source(node).replace(/^([rR]?)[bB]([rR]?)/, '$1$2')
    const text = pythonString(literal)
    return text === undefined ? nothing : { kind: 'text', text }
  }

  #formatString({ from, to, children }: PythonNode): Expression {
    const open = /^[A-Za-z]*("""|'''|"|')/.exec(this.#text.slice(from, from + 6))
    const parts: Expression[] = []
    let at = from + (open?.[0].length ?? 2)
    const end = to - (open?.[1] ?? "'").length
    const plain = (until: number) => {
      const raw = this.#text.slice(at, until).replaceAll('{{', '{').replaceAll('}}', '}')
      const text = raw.includes('\\') ? (pythonString(`"""${raw} """`)?.slice(0, -1) ?? raw) : raw
      if (text !== '') parts.push({ kind: 'text', text })
    }
    for (const child of children) {
      if (child.name !== 'FormatReplacement') continue
      plain(child.from)
      const value = child.children.find(isExpression)
      parts.push(value ? this.expression(value) : nothing)
      at = child.to
    }
    plain(end)
    return { kind: 'join', sign: '+', parts }
  }

  #call({ children, from }: PythonNode): Expression {
    const [callee, list] = children
    const args: Expression[] = []
    const named: [string, Expression][] = []
    const parts = list?.children.slice(1, -1) ?? []
    const loopAt = parts.findIndex((part) => part.name === 'for')
    if (loopAt !== -1) args.push(this.#comprehension([callee!, ...parts, callee!]))
    else
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i]!
        if (parts[i + 1]?.name === 'AssignOp' && parts[i + 2]) {
          named.push([this.#source(part), this.expression(parts[i + 2]!)])
          i += 2
        } else if (part.name === '*' || part.name === '**') {
          const spread = parts[++i]
          if (spread) args.push({ kind: 'made', of: [this.expression(spread)] })
        } else if (isExpression(part)) args.push(this.expression(part))
      }
    return { kind: 'call', callee: this.expression(callee!), args, named, at: from }
  }

  #member({ children, from: at }: PythonNode): Expression {
    const of = this.expression(children[0]!)
    const property = children.find((part) => part.name === 'PropertyName')
    if (property) return { kind: 'member', of, key: { kind: 'text', text: this.#source(property) }, at }
    const inner = children.slice(2, -1)
    if (!inner.some((part) => part.name === ':')) return { kind: 'member', of, key: this.#tuple(inner), at }
    const words = inner.map((part) => this.#source(part)).join('')
    if (words === '::-1') return { kind: 'reversed', of }
    const [from, to] = words.split(':')
    if (!/^-?\d*$/.test(from!) || !/^-?\d*$/.test(to!) || words.split(':').length > 2)
      return { kind: 'made', of: [of] }
    const args: Expression[] = [{ kind: 'number', value: Number(from || 0) }]
    if (to !== '') args.push({ kind: 'number', value: Number(to) })
    return {
      kind: 'call',
      callee: { kind: 'member', of, key: { kind: 'text', text: 'slice' }, at },
      args,
      named: [],
      at,
    }
  }

  #binary(children: readonly PythonNode[]): Expression {
    const [left, sign, right] = children
    if (!left || !sign || !right) return nothing
    const word = this.#source(sign)
    const parts = [this.expression(left), this.expression(right)]
    if (word === '+' || word === '/') return { kind: 'join', sign: word, parts }
    if (word === '%') return this.#percent(parts[0]!, parts[1]!, left.from)
    if (word === 'or' || word === 'and') return { kind: 'choice', of: parts }
    if (word === '*' && parts[0]!.kind === 'text' && parts[1]!.kind === 'number')
      return { kind: 'text', text: parts[0]!.text.repeat(Math.min(1_000, Math.max(0, parts[1]!.value))) }
    return { kind: 'made', of: parts }
  }

  /** `"…%s…" % value` */
  #percent(left: Expression, right: Expression, at: number): Expression {
    if (left.kind !== 'text') return { kind: 'made', of: [left, right] }
    const pattern = { kind: 'text', text: left.text.replace(/%[-+ #0-9.]*[a-zA-Z]/g, '{}') } as const
    const callee = { kind: 'member', of: pattern, key: { kind: 'text', text: 'format' }, at } as const
    return { kind: 'call', callee, args: right.kind === 'list' ? right.items : [right], named: [], at }
  }

  #dictionary(children: readonly PythonNode[]): Expression {
    const entries: [string, Expression][] = []
    for (let i = 0; i < children.length; i++) {
      if (children[i]!.name === ':' && children[i - 1] && children[i + 1]) {
        const key = this.expression(children[i - 1]!)
        entries.push([key.kind === 'text' ? key.text : `?${i}`, this.expression(children[i + 1]!)])
      } else if (children[i]!.name === '**' && children[i + 1])
        this.#out.push({ kind: 'do', value: { kind: 'made', of: [this.expression(children[i + 1]!)] } })
    }
    return { kind: 'object', entries }
  }

  /** `[` value `for` name `in` list `]` */
  #comprehension(children: readonly PythonNode[]): Expression {
    const loopAt = children.findIndex((part) => part.name === 'for')
    const inAt = children.findIndex((part, index) => index > loopAt && part.name === 'in')
    const list = children[inAt + 1]
    const names = children.slice(loopAt + 1, inAt).filter((part) => part.name === 'VariableName')
    const value = children.slice(1, loopAt).find(isExpression)
    if (!list || !value || inAt === -1) return nothing
    return {
      kind: 'each',
      name: names.length === 1 ? this.#source(names[0]!) : '',
      of: this.expression(list),
      value: this.expression(value),
    }
  }
}

function numberOf(source: string): Expression {
  const value = Number(source.replaceAll('_', '').replace(/[jJlL]$/, ''))
  return Number.isNaN(value) ? nothing : { kind: 'number', value }
}

/** By the name of a node; the grammar has a few dozen. */
const natures = new Map<string, 'statement' | 'expression' | 'part'>()

function natureOf(name: string): 'statement' | 'expression' | 'part' {
  let nature = natures.get(name)
  if (!nature) {
    const isExpressionName =
      /^(?:[A-Z]\w*Expression|String|FormatString|ContinuedString|Number|Boolean|None|VariableName|Ellipsis)$/
    nature = isExpressionName.test(name)
      ? 'expression'
      : /(?:Statement|Definition|Clause)$/.test(name)
        ? 'statement'
        : 'part'
    natures.set(name, nature)
  }
  return nature
}

/** Not a keyword, a sign or a part of a statement. */
function isExpression({ name }: PythonNode): boolean {
  return natureOf(name) === 'expression'
}
