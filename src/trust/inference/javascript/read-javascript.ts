// JavaScript and TypeScript as steps, from the syntax tree.
import { parseScript } from '../../../formats/parse-script.ts'
import { type Expression, type FunctionBody, nothing, type ReadSteps, type Step } from '../expression.ts'
import { childrenOf, isStatement, type Node, nameOf } from './nodes.ts'

export function readJavaScript(text: string, path: string): ReadSteps {
  const plain = text.replace(/^#![^\n]*/, (line) => ' '.repeat(line.length))
  const { result, fault } = parseScript(/\.[cm]?[jt]sx?$/.test(path) ? path : 'code.ts', plain, false)
  const steps = result
    ? new JavaScriptReader(plain).steps(result.program.body as readonly object[] as readonly Node[])
    : []
  return { steps, fault: fault ? { at: fault.from, message: 'syntax that is not known' } : null }
}

/** `import type { … }`; a default import may be called `type` too. */
const typeImport = /import\s+type\b(?!\s*(?:,|from\s*['"]))/y

class JavaScriptReader {
  readonly #text: string
  #out: Step[] = []

  constructor(text: string) {
    this.#text = text
  }

  steps(nodes: readonly Node[]): Step[] {
    return this.#apart(() => {
      for (const node of nodes) this.#statement(node)
    })
  }

  /** The steps that `read` gathers, which do not join the others. */
  #apart(read: () => void): Step[] {
    const outer = this.#out
    this.#out = []
    read()
    const steps = this.#out
    this.#out = outer
    return steps
  }

  #statement(node: Node): void {
    switch (node.type) {
      case 'ImportDeclaration':
        return this.#import(node)
      case 'VariableDeclaration':
        for (const { id, init } of node['declarations'] as readonly { id: Node; init: Node | null }[])
          if (init) this.#bind(id, this.expression(init), true)
        return
      case 'FunctionDeclaration':
        return void this.#out.push({ kind: 'define', name: nameOf(node['id']) ?? '', body: this.#body(node) })
      case 'ClassDeclaration':
        return this.#class(node)
      case 'ReturnStatement':
        return void this.#out.push({ kind: 'return', value: this.#optional(node['argument']) })
      case 'ForOfStatement':
      case 'ForInStatement':
        return this.#loop(node)
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        return this.#export(node)
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSDeclareFunction':
      case 'EmptyStatement':
        return
      case 'CatchClause': {
        const param = node['param'] as Node | null
        if (param) this.#bind(param, nothing, true)
        return this.#statement(node['body'] as Node)
      }
      default:
        for (const child of childrenOf(node))
          if (isStatement(child)) this.#statement(child)
          else this.#out.push({ kind: 'do', value: this.expression(child) })
    }
  }

  #import(node: Node): void {
    typeImport.lastIndex = node.start
    if (typeImport.test(this.#text)) return
    const module = String((node['source'] as Node)['value'])
    const specifiers = node['specifiers'] as readonly Node[]
    if (specifiers.length === 0)
      this.#out.push({ kind: 'import', module, part: null, name: '', at: node.start })
    for (const specifier of specifiers) {
      const isPart = specifier.type === 'ImportSpecifier'
      const imported = isPart ? (nameOf(specifier['imported']) ?? null) : null
      const part = imported === 'default' ? null : imported
      this.#out.push({ kind: 'import', module, part, name: nameOf(specifier['local']) ?? '', at: node.start })
    }
  }

  #export(node: Node): void {
    const declaration = node['declaration'] as Node | null
    const source = node['source'] as Node | null
    if (source)
      this.#out.push({
        kind: 'import',
        module: String(source['value']),
        part: null,
        name: '',
        at: node.start,
      })
    if (!declaration) return
    if (declaration.type === 'FunctionDeclaration' && !declaration['id'])
      this.#out.push({ kind: 'define', name: 'default', body: this.#body(declaration) })
    else if (isStatement(declaration)) this.#statement(declaration)
    else this.#out.push({ kind: 'do', value: this.expression(declaration) })
  }

  #class(node: Node): void {
    const name = nameOf(node['id']) ?? ''
    for (const member of (node['body'] as Node)['body'] as readonly Node[]) {
      const value = member['value'] as Node | null
      if (member.type === 'MethodDefinition' && value)
        this.#out.push({
          kind: 'define',
          name: `${name}.${nameOf(member['key']) ?? ''}`,
          body: this.#body(value),
        })
      else if (member.type === 'PropertyDefinition' && value)
        this.#out.push({
          kind: 'bind',
          name: `this.${nameOf(member['key']) ?? ''}`,
          value: this.expression(value),
          isMore: false,
        })
      else if (member.type === 'StaticBlock')
        for (const child of member['body'] as readonly Node[]) this.#statement(child)
    }
  }

  #loop(node: Node): void {
    const left = node['left'] as Node
    const pattern =
      left.type === 'VariableDeclaration' ? (left['declarations'] as readonly { id: Node }[])[0]!.id : left
    const of = this.expression(node['right'] as Node)
    if (pattern.type === 'Identifier') this.#out.push({ kind: 'iterate', names: [nameOf(pattern)!], of })
    else if (pattern.type === 'ArrayPattern')
      this.#out.push({
        kind: 'iterate',
        names: (pattern['elements'] as readonly (Node | null)[]).map((item) => nameOf(item) ?? ''),
        of,
      })
    else {
      this.#out.push({ kind: 'iterate', names: ['%item'], of })
      this.#bind(pattern, { kind: 'name', name: '%item', at: node.start }, true)
    }
    this.#statement(node['body'] as Node)
  }

  #bind(target: Node, value: Expression, isDeclared: boolean): void {
    switch (target.type) {
      case 'Identifier': {
        const name = nameOf(target)!
        return void this.#out.push(
          isDeclared ? { kind: 'bind', name, value, isMore: false } : { kind: 'assign', name, value },
        )
      }
      case 'ObjectPattern':
        return this.#take(
          target,
          value,
          (target['properties'] as readonly Node[]).flatMap((property): [string, Node][] => {
            const key = property.type === 'Property' ? nameOf(property['key']) : undefined
            return key === undefined ? [] : [[key, property['value'] as Node]]
          }),
        )
      case 'ArrayPattern':
        return this.#take(
          target,
          value,
          (target['elements'] as readonly (Node | null)[]).flatMap((item, index): [number, Node][] =>
            item ? [[index, item]] : [],
          ),
        )
      case 'AssignmentPattern':
        return this.#bind(
          target['left'] as Node,
          { kind: 'choice', of: [value, this.expression(target['right'] as Node)] },
          isDeclared,
        )
      case 'RestElement':
        return this.#bind(target['argument'] as Node, { kind: 'made', of: [value] }, isDeclared)
      default:
        this.#out.push({ kind: 'set', target: this.expression(target), value })
    }
  }

  #take(target: Node, from: Expression, parts: readonly (readonly [string | number, Node])[]): void {
    const names: [string | number, string][] = []
    const inner: [string, Node][] = []
    for (const [key, part] of parts) {
      const name = nameOf(part) ?? `%${part.start}`
      names.push([key, name])
      if (part.type !== 'Identifier') inner.push([name, part])
    }
    this.#out.push({ kind: 'take', from, names, at: target.start })
    for (const [name, part] of inner) this.#bind(part, { kind: 'name', name, at: part.start }, true)
  }

  #body(node: Node): FunctionBody {
    const given = node['params'] as readonly Node[]
    const params = given.map((param) => nameOf(param) ?? nameOf(param['left']) ?? `%${param.start}`)
    const steps = this.#apart(() => {
      for (const [index, param] of given.entries()) {
        const pattern = param.type === 'AssignmentPattern' ? (param['left'] as Node) : param
        if (pattern.type !== 'Identifier')
          this.#bind(
            pattern.type === 'TSParameterProperty' ? (pattern['parameter'] as Node) : pattern,
            { kind: 'name', name: params[index]!, at: param.start },
            true,
          )
      }
      const body = node['body'] as Node | null
      if (body?.type === 'BlockStatement' || body?.type === 'FunctionBody')
        for (const child of body['body'] as readonly Node[]) this.#statement(child)
      else if (body) this.#out.push({ kind: 'return', value: this.expression(body) })
    })
    return { params, steps }
  }

  #optional(node: unknown): Expression {
    return node ? this.expression(node as Node) : nothing
  }

  expression(node: Node): Expression {
    switch (node.type) {
      case 'Literal':
        return literalOf(node['value'])
      case 'TemplateLiteral':
        return this.#template(node)
      case 'Identifier':
        return { kind: 'name', name: nameOf(node)!, at: node.start }
      case 'ThisExpression':
        return { kind: 'name', name: 'this', at: node.start }
      case 'MetaProperty':
        return { kind: 'name', name: 'import.meta', at: node.start }
      case 'MemberExpression':
        return this.#member(node)
      case 'CallExpression':
      case 'NewExpression':
        return this.#call(node)
      case 'TaggedTemplateExpression':
        return {
          kind: 'call',
          callee: this.expression(node['tag'] as Node),
          args: [this.#template(node['quasi'] as Node)],
          named: [],
          at: node.start,
        }
      case 'ImportExpression':
        return {
          kind: 'call',
          callee: { kind: 'name', name: 'import', at: node.start },
          args: [this.expression(node['source'] as Node)],
          named: [],
          at: node.start,
        }
      case 'AwaitExpression':
      case 'YieldExpression':
        return this.#optional(node['argument'])
      case 'ParenthesizedExpression':
      case 'ChainExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
        return this.expression(node['expression'] as Node)
      case 'BinaryExpression': {
        const parts = [this.expression(node['left'] as Node), this.expression(node['right'] as Node)]
        return node['operator'] === '+'
          ? { kind: 'join', sign: '+', parts }
          : arithmetic(String(node['operator']), parts)
      }
      case 'LogicalExpression':
        return {
          kind: 'choice',
          of: [this.expression(node['left'] as Node), this.expression(node['right'] as Node)],
        }
      case 'ConditionalExpression':
        this.#out.push({ kind: 'do', value: this.expression(node['test'] as Node) })
        return {
          kind: 'choice',
          of: [this.expression(node['consequent'] as Node), this.expression(node['alternate'] as Node)],
        }
      case 'AssignmentExpression':
        return this.#assignment(node)
      case 'SequenceExpression': {
        const parts = (node['expressions'] as readonly Node[]).map((part) => this.expression(part))
        for (const value of parts.slice(0, -1)) this.#out.push({ kind: 'do', value })
        return parts.at(-1) ?? nothing
      }
      case 'ArrayExpression':
        return {
          kind: 'list',
          items: (node['elements'] as readonly (Node | null)[]).map((item) => this.#optional(item)),
        }
      case 'ObjectExpression':
        return this.#object(node)
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return { kind: 'function', body: this.#body(node) }
      case 'ClassExpression':
        this.#class(node)
        return nothing
      case 'UnaryExpression': {
        const inner = this.expression(node['argument'] as Node)
        return node['operator'] === '-' && inner.kind === 'number'
          ? { kind: 'number', value: -inner.value }
          : { kind: 'made', of: [inner] }
      }
      default:
        return { kind: 'made', of: childrenOf(node).map((child) => this.expression(child)) }
    }
  }

  #template(node: Node): Expression {
    const texts = node['quasis'] as readonly { value: { cooked: string | null } }[]
    const values = node['expressions'] as readonly Node[]
    return {
      kind: 'join',
      sign: '+',
      parts: texts.flatMap(({ value }, index): Expression[] => {
        const text: Expression = { kind: 'text', text: value.cooked ?? '' }
        return values[index] ? [text, this.expression(values[index]!)] : [text]
      }),
    }
  }

  #member(node: Node): Expression {
    const property = node['property'] as Node
    const key: Expression =
      node['computed'] === true ? this.expression(property) : { kind: 'text', text: nameOf(property) ?? '' }
    return { kind: 'member', of: this.expression(node['object'] as Node), key, at: node.start }
  }

  #call(node: Node): Expression {
    const callee = node['callee'] as Node
    return {
      kind: 'call',
      callee: callee.type === 'Super' ? nothing : this.expression(callee),
      args: (node['arguments'] as readonly Node[]).map((arg) => this.expression(arg)),
      named: [],
      at: node.start,
    }
  }

  #assignment(node: Node): Expression {
    const target = node['left'] as Node
    const value = this.expression(node['right'] as Node)
    const operator = node['operator']
    if (operator === '+=' && target.type === 'Identifier')
      this.#out.push({ kind: 'bind', name: nameOf(target)!, value, isMore: true })
    else
      this.#bind(
        target,
        operator === '=' ? value : { kind: 'choice', of: [this.expression(target), value] },
        false,
      )
    return target.type === 'Identifier' ? { kind: 'name', name: nameOf(target)!, at: target.start } : value
  }

  #object(node: Node): Expression {
    const entries: [string, Expression][] = []
    for (const property of node['properties'] as readonly Node[]) {
      if (property.type === 'SpreadElement') {
        this.#out.push({
          kind: 'do',
          value: { kind: 'made', of: [this.expression(property['argument'] as Node)] },
        })
        continue
      }
      const key = property['computed'] ? undefined : nameOf(property['key'])
      entries.push([key ?? `?${property.start}`, this.expression(property['value'] as Node)])
    }
    return { kind: 'object', entries }
  }
}

function arithmetic(operator: string, [left, right]: readonly Expression[]): Expression {
  if (left?.kind === 'number' && right?.kind === 'number') {
    if (operator === '-') return { kind: 'number', value: left.value - right.value }
    if (operator === '^') return { kind: 'number', value: left.value ^ right.value }
    if (operator === '*') return { kind: 'number', value: left.value * right.value }
  }
  return { kind: 'made', of: [left!, right!] }
}

function literalOf(value: unknown): Expression {
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (typeof value === 'number') return { kind: 'number', value }
  return typeof value === 'boolean' ? { kind: 'number', value: value ? 1 : 0 } : nothing
}
