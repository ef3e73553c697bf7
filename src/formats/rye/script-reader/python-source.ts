// A Python file as the readers need it: its calls with their arguments, and the values of literals.
import type { Json } from '../../../tool/json.ts'
import { PythonConstants } from '../python-constants.ts'
import type { PythonNode } from '../python-node.ts'
import { scanPython } from '../python-scan.ts'
import { grammarTree } from '../python-tree.ts'
import { lostKey, settleValue, Unfolded } from '../unfolded.ts'

export interface PythonCall {
  /** `parser.add_argument`; a call in it stands as `()`. */
  readonly name: string
  readonly args: readonly PythonNode[]
  readonly named: ReadonlyMap<string, PythonNode>
  readonly node: PythonNode
}

export class PythonSource {
  readonly text: string
  readonly script: PythonNode
  readonly fault: { readonly line: number; readonly message: string } | undefined
  readonly #constants: PythonConstants
  readonly #bound = new Map<string, PythonNode>()

  constructor(given: string) {
    this.text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
    const { script, errors } = grammarTree(this.text)
    this.script = script
    const fault = scanPython(this.text).fault ?? (errors[0] ? { from: errors[0].from, message: '' } : null)
    if (fault)
      this.fault = {
        line: this.text.slice(0, fault.from).split('\n').length,
        message: fault.message || 'this cannot be parsed',
      }
    this.#constants = new PythonConstants(this.text)
    for (const node of script.children) if (node.name === 'AssignStatement') this.#bind(node)
    this.#bindInside()
  }

  #bind({ children }: PythonNode, prefix = ''): void {
    const [target] = children
    const at = children.findIndex((part) => part.name === 'AssignOp')
    const value = children[at + 1]
    if (target?.name !== 'VariableName' || !value || children.length !== at + 2) return
    this.#bound.set(prefix + this.sourceOf(target), value)
    if (prefix === '') this.#constants.bind(this.sourceOf(target), value)
  }

  /** Constants of classes; and what one statement alone gives a value, in whichever function. */
  #bindInside(): void {
    const givers = new Map<string, PythonNode[]>()
    for (const node of this.nodes()) {
      if (node.name === 'ClassDefinition')
        for (const part of node.children.at(-1)!.children)
          if (part.name === 'AssignStatement') this.#bind(part, `${this.sourceOf(node.children[1]!)}.`)
      if (!/^(AssignStatement|UpdateStatement|ParamList|ForStatement)$/.test(node.name)) continue
      for (const part of node.children)
        if (part.name === 'VariableName')
          givers.set(this.sourceOf(part), [...(givers.get(this.sourceOf(part)) ?? []), node])
    }
    for (const [giver, ...more] of givers.values())
      if (giver!.name === 'AssignStatement' && more.length === 0 && !this.script.children.includes(giver!))
        this.#bind(giver!)
  }

  /** What a name or `Class.NAME` was last made. */
  boundTo(name: string): PythonNode | undefined {
    return this.#bound.get(name.replace(/^(self|cls)\./, ''))
  }

  sourceOf(node: PythonNode): string {
    return this.text.slice(node.from, node.to)
  }

  /** The value of an expression as far as reading tells it. */
  valueOf(node: PythonNode | undefined): Json | undefined {
    if (!node) return undefined
    const path = this.#pathOf(node)
    if (path) return this.valueOf(path)
    const losses: { pointer: string; from: number }[] = []
    const ofClass = node.name === 'MemberExpression' ? this.boundTo(this.sourceOf(node)) : undefined
    const value = settleValue(this.#constants.fold(ofClass ?? node), losses)
    return losses.length > 0 ? undefined : value
  }

  /** What stands in `Path("…")`, by way of a name too. */
  #pathOf(node: PythonNode): PythonNode | undefined {
    const made = node.name === 'VariableName' ? this.boundTo(this.sourceOf(node)) : node
    const call = made?.name === 'CallExpression' ? this.callOf(made) : undefined
    return call && /^(pathlib\.)?(Pure)?Path$/.test(call.name) && call.args.length === 1
      ? call.args[0]
      : undefined
  }

  /** The keys of a map, whatever its values are. */
  keysOf(node: PythonNode): readonly string[] | undefined {
    const folded = this.#constants.fold(node)
    const isMap = typeof folded === 'object' && folded !== null && !Array.isArray(folded)
    if (!isMap || folded instanceof Unfolded) return undefined
    return Object.hasOwn(folded, lostKey) ? undefined : Object.keys(folded)
  }

  textOf(node: PythonNode | undefined): string | undefined {
    const value = this.valueOf(node)
    return typeof value === 'string' ? value : undefined
  }

  get docstring(): string | undefined {
    return this.docOf(this.script.children)
  }

  /** The text that stands first among statements. */
  docOf(statements: readonly PythonNode[]): string | undefined {
    const first = statements.find((node) => node.name !== ':')
    return first?.name === 'ExpressionStatement' ? this.textOf(first.children[0]) : undefined
  }

  /** Every node, parents before children, in the order of the file. */
  *nodes(from: PythonNode = this.script): Generator<PythonNode> {
    const left = [from]
    for (let node = left.pop(); node; node = left.pop()) {
      yield node
      for (let i = node.children.length - 1; i >= 0; i--) left.push(node.children[i]!)
    }
  }

  /** A call, or a decorator that is one. */
  callOf(node: PythonNode): PythonCall | undefined {
    const list = node.children.find((part) => part.name === 'ArgList')
    if ((node.name !== 'CallExpression' && node.name !== 'Decorator') || !list) return undefined
    const callee =
      node.name === 'Decorator'
        ? this.text.slice(node.children[1]!.from, list.from)
        : this.nameOf(node.children[0]!)
    const args: PythonNode[] = []
    const named = new Map<string, PythonNode>()
    const parts = list.children.slice(1, -1)
    for (let i = 0; i < parts.length; i++) {
      if (parts[i]!.name === ',') continue
      if (parts[i]!.name === '**')
        for (const [key, value] of this.#entriesOf(parts[++i])) named.set(key, value)
      else if (parts[i + 1]?.name === 'AssignOp') {
        named.set(this.sourceOf(parts[i]!), parts[i + 2]!)
        i += 2
      } else args.push(parts[i]!)
    }
    return { name: callee.trim(), args, named, node }
  }

  /** The entries of a map that is written out, by way of a name too. */
  #entriesOf(node: PythonNode | undefined): [string, PythonNode][] {
    const map = node?.name === 'VariableName' ? this.#bound.get(this.sourceOf(node)) : node
    const parts = map?.name === 'DictionaryExpression' ? map.children.filter(isValue) : []
    return parts.flatMap((part, i): [string, PythonNode][] => {
      const key = i % 2 === 0 ? this.textOf(part) : undefined
      return key !== undefined && parts[i + 1] ? [[key, parts[i + 1]!]] : []
    })
  }

  nameOf(node: PythonNode): string {
    if (node.name === 'CallExpression') return `${this.nameOf(node.children[0]!)}()`
    if (node.name === 'MemberExpression') {
      const [base, ...rest] = node.children
      return this.nameOf(base!) + rest.map((part) => this.sourceOf(part)).join('')
    }
    return this.sourceOf(node)
  }

  *calls(from?: PythonNode): Generator<PythonCall> {
    for (const node of this.nodes(from)) {
      const call = node.name === 'CallExpression' ? this.callOf(node) : undefined
      if (call) yield call
    }
  }

  classNamed(name: string): PythonNode | undefined {
    return this.#definition('ClassDefinition', name)
  }

  functionNamed(name: string): PythonNode | undefined {
    return this.#definition('FunctionDefinition', name)
  }

  #definition(kind: string, name: string): PythonNode | undefined {
    for (const node of this.nodes()) {
      const named = node.name === kind && node.children.find((part) => part.name === 'VariableName')
      if (named && this.sourceOf(named) === name) return node
    }
    return undefined
  }

  /** What stands before the body of a definition. */
  headOf(definition: PythonNode): string {
    return this.text.slice(definition.from, definition.children.at(-1)!.from)
  }

  imports(module: string): boolean {
    return new RegExp(`^[ \\t]*(?:import|from)[ \\t]+(?:[\\w., ]*[, ])?${module}\\b`, 'm').test(this.text)
  }
}

function isValue({ name }: PythonNode): boolean {
  return !/^[{},:]$/.test(name)
}
