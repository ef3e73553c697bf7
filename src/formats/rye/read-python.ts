// Reads the metadata of a Python file: the module-level assignments, the functions a caller could enter, the
// imports. The file is parsed, never run.
import type { Json } from '../../tool/json.ts'
import { LineIndex } from '../../tool/line-index.ts'
import { pointerKeys } from '../../tool/pointer.ts'
import { FieldCollector } from './collect-fields.ts'
import { PythonConstants } from './python-constants.ts'
import type { PythonNode } from './python-node.ts'
import { type PythonFault, scanPython } from './python-scan.ts'
import { pythonString } from './python-string.ts'
import { pythonTree } from './python-tree.ts'
import type { CodeFacts, Reading, ReadingNote, Signature, SignatureParam } from './reading.ts'
import { settleValue } from './unfolded.ts'

const mainGuard = /^if\s+\(?\s*(__name__\s*==\s*(['"])__main__\2|(['"])__main__\3\s*==\s*__name__)/

export function readPython(given: string): Reading {
  // A lone CR ends a line for Python.
  const text = given.replace(/^\uFEFF/, '').replace(/\r(?!\n)/g, '\n')
  const scan = scanPython(text)
  const index = new LineIndex(text)
  const lineAt = (offset: number): number => index.at(offset).line
  const collector = new FieldCollector(lineAt)
  const constants = new PythonConstants(text)
  const assigned = new Map<string, PythonNode>()
  const facts = new Facts(text)

  const { script, errors } = pythonTree(text, scan)
  let docstring: string | null = null
  let isFirst = true
  let passed = 0
  for (const node of script.children) {
    const [first] = node.children
    if (isFirst && node.name === 'ExpressionStatement' && first && /^String|^Contin/.test(first.name))
      docstring = docText(text, first)
    isFirst = false
    loseConditional(node.from)
    visitStatement(node)
  }
  loseConditional(Number.POSITIVE_INFINITY)

  /** Names that indented lines above `before` assigned. */
  function loseConditional(before: number): void {
    for (; passed < scan.conditional.length && scan.conditional[passed]!.from < before; passed++) {
      const { name, from } = scan.conditional[passed]!
      constants.bind(name, null)
      if (collector.isField(name))
        collector.noteNotStatic(name, from, '', 'is set inside a block that may not run')
    }
  }

  function visitStatement(node: PythonNode): void {
    switch (node.name) {
      case 'StatementGroup':
        for (const child of node.children) visitStatement(child)
        break
      case 'AssignStatement':
        visitAssignment(node)
        break
      case 'UpdateStatement':
      case 'DeleteStatement':
        loseNames(node, 'is changed after it was set')
        break
      case 'ExpressionStatement':
        visitExpression(node)
        break
      case 'FunctionDefinition':
      case 'ClassDefinition':
        facts.define(node, constants)
        break
      case 'DecoratedStatement':
        facts.define(node.children.at(-1)!, constants)
        break
      case 'ImportStatement':
        for (const name of facts.imported(node)) {
          constants.bind(name, null)
          facts.bind(name)
        }
        break
      default:
        visitBlock(node)
    }
  }

  function visitAssignment(node: PythonNode): void {
    const parts = node.children
    const lastOp = parts.findLastIndex((part) => part.name === 'AssignOp')
    const value = parts[lastOp + 1]
    const targets = parts
      .slice(0, Math.max(lastOp, 0))
      .filter((part) => part.name !== 'AssignOp' && part.name !== 'TypeDef')
    const isSimple =
      value !== undefined && lastOp + 2 === parts.length && !targets.some((part) => part.name === ',')
    for (const target of targets) {
      if (target.name === 'VariableName' && isSimple) {
        const name = text.slice(target.from, target.to)
        if (collector.isField(name) || name.startsWith('__')) {
          collector.set(name, constants.fold(value), target.from)
          assigned.set(name, value)
        }
        constants.bind(name, value)
        if (mayBeFunction(value)) facts.bind(name)
      } else loseNames(target, 'is set in a way that only running the file would tell')
    }
  }

  // `CONFIG_SCHEMA.update(…)` changes what was folded; a call that merely reads a name does not.
  function visitExpression(node: PythonNode): void {
    const [call] = node.children
    const callee = call?.name === 'CallExpression' ? call.children[0] : null
    if (callee?.name === 'MemberExpression') loseNames(callee, 'is changed by a call')
  }

  function visitBlock(node: PythonNode): void {
    if (node.name === 'IfStatement' && mainGuard.test(text.slice(node.from, node.from + 80)))
      facts.hasMainBlock = true
    const left = [node]
    for (let part = left.pop(); part; part = left.pop()) {
      if (part.name === 'AssignStatement' || part.name === 'UpdateStatement')
        loseNames(part, 'is set inside a block that may not run')
      if (part.name !== 'FunctionDefinition' && part.name !== 'ClassDefinition')
        for (let i = part.children.length - 1; i >= 0; i--) left.push(part.children[i]!)
    }
  }

  /** The names a target binds or changes can no longer be told. */
  function loseNames(node: PythonNode, how: string): void {
    const targets = node.name === 'VariableName' ? [node] : node.children
    for (const target of targets) {
      if (target.name === 'AssignOp' || target.name === 'UpdateOp') break
      const named = target.name === 'MemberExpression' ? baseName(target) : target
      if (named?.name !== 'VariableName') continue
      const name = text.slice(named.from, named.to)
      constants.bind(name, null)
      if (collector.isField(name)) collector.noteNotStatic(name, named.from, '', how)
      if (node.name === 'MemberExpression') break
    }
  }

  const syntax = scan.fault ?? grammarFault(errors, text)
  const notes: ReadingNote[] = [...collector.notes]
  if (syntax) notes.unshift(syntaxNote(syntax, index))
  return {
    fields: collector.fields,
    unknown: collector.unknown,
    notes,
    docstring,
    code: facts.done(),
    locate: (field, pointer) => {
      const known = collector.fields.get(field)
      if (!known) return 1
      const node = assigned.get(known.name)
      return node ? lineAt(locateIn(text, node, pointerKeys(pointer))) : known.line
    },
  }
}

function baseName(node: PythonNode): PythonNode | undefined {
  let base: PythonNode | undefined = node
  while (base?.name === 'MemberExpression') base = base.children[0]
  return base
}

function docText(text: string, node: PythonNode): string | null {
  const parts = node.name === 'ContinuedString' ? node.children : [node]
  const values = parts.map((part) => pythonString(text.slice(part.from, part.to)))
  return values.includes(undefined) ? null : values.join('')
}

function syntaxNote(fault: PythonFault, index: LineIndex): ReadingNote {
  const { line, column } = index.at(fault.from)
  return {
    code: 'metadata-parse',
    message: `This is not valid Python: ${fault.message}.`,
    hint: 'Correct the syntax on this line.',
    line,
    column,
  }
}

/** The first place the grammar stumbled over. */
function grammarFault([first]: readonly PythonNode[], text: string): PythonFault | null {
  if (!first) return null
  const found = text
    .slice(first.from, first.to || first.from + 1)
    .trim()
    .split('\n')[0]
  return {
    from: first.from,
    message: found ? `"${found.slice(0, 40)}" is not expected here` : 'something is missing here',
  }
}

/** The offset of the key or element a pointer leads to, as far as the literal shows it. */
function locateIn(text: string, root: PythonNode, keys: readonly string[]): number {
  let node = root
  let best = root.from
  for (const key of keys) {
    while (node.name === 'ParenthesizedExpression' && node.children[1]) node = node.children[1]
    const parts = node.children.filter((part) => !/^[()[\]{},]$/.test(part.name))
    if (node.name === 'DictionaryExpression') {
      const at = parts.findIndex(
        (part, i) =>
          parts[i + 1]?.name === ':' &&
          part.name === 'String' &&
          pythonString(text.slice(part.from, part.to)) === key,
      )
      if (at === -1 || !parts[at + 2]) break
      best = parts[at]!.from
      node = parts[at + 2]!
    } else if (/^(Array|Tuple|Set)Expression$/.test(node.name) && parts[Number(key)]) {
      node = parts[Number(key)]!
      best = node.from
    } else break
  }
  return best
}

class Facts {
  hasMainBlock = false
  readonly #text: string
  readonly #functions = new Set<string>()
  readonly #bound = new Set<string>()
  readonly #classes: string[] = []
  readonly #imports: string[] = []
  #signature: Signature | null = null

  constructor(text: string) {
    this.#text = text
  }

  define(node: PythonNode, constants: PythonConstants): void {
    const named = node.children.find((part) => part.name === 'VariableName')
    if (!named) return
    const name = this.#text.slice(named.from, named.to)
    constants.bind(name, null)
    if (node.name === 'ClassDefinition') this.#classes.push(name)
    else if (node.name === 'FunctionDefinition') {
      this.#functions.add(name)
      const list = node.children.find((part) => part.name === 'ParamList')
      if (name === 'main' && list) this.#signature = signatureOf(this.#text, list, constants)
    }
  }

  /** A name has a value that may be a function. */
  bind(name: string): void {
    this.#bound.add(name)
  }

  /** Records what an import names and returns the names it binds. */
  imported(node: PythonNode): string[] {
    const source = this.#text.slice(node.from, node.to).replace(/#[^\n]*|\\\r?\n/g, ' ')
    const from = /^from\s+([.\s]*)([\w.]*)\s+import\s+([\s\S]*)$/.exec(source)
    const list = (from ? from[3]! : source.replace(/^import\s+/, '')).replace(/[()]/g, ' ').split(',')
    const names = list.map((item) => item.trim().split(/\s+as\s+/)).filter(([first]) => first)
    if (from) {
      const module = from[1]!.replace(/\s/g, '') + from[2]!
      this.#imports.push(module)
      // `from . import x` may name a module of its own.
      for (const [first] of names)
        if (first !== '*') this.#imports.push(`${module}${module.endsWith('.') ? '' : '.'}${first}`)
    } else for (const [first] of names) this.#imports.push(first!)
    return names.map(([first, alias]) => alias ?? first!.split('.')[0]!)
  }

  /** Imports inside functions, found by their lines; a line of a text that looks like one does no harm. */
  #importedWithin(): void {
    const lines = /^[ \t]+(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^\n#)]+)|import[ \t]+([^\n#]+))/gm
    for (const [, module, names, plain] of this.#text.matchAll(lines)) {
      const listed = (names ?? plain ?? '').split(',').map((name) => name.trim().split(/\s+/)[0]!)
      if (module) this.#imports.push(module)
      for (const name of listed)
        if (/^[\w.]+$/.test(name))
          this.#imports.push(module ? `${module}${module.endsWith('.') ? '' : '.'}${name}` : name)
    }
  }

  done(): CodeFacts {
    this.#importedWithin()
    const bound = (['execute', 'main'] as const).find((name) => this.#bound.has(name))
    return {
      hasExecute: this.#functions.has('execute'),
      hasMain: this.#functions.has('main'),
      hasDefault: false,
      boundEntry: bound,
      hasMainBlock: this.hasMainBlock,
      mainSignature: this.#signature,
      classes: this.#classes,
      imports: [...new Set(this.#imports)],
      mentionsProjectPath: this.#text.includes('--project-path'),
      mentionsParams: this.#text.includes('--params'),
    }
  }
}

/** What another name stands for, or a call gives back, is known only by running it; as an entry it counts. */
function mayBeFunction(value: PythonNode): boolean {
  return /^(LambdaExpression|CallExpression|VariableName|MemberExpression)$/.test(value.name)
}

function signatureOf(text: string, list: PythonNode, constants: PythonConstants): Signature {
  const params: SignatureParam[] = []
  let takesExtra = false
  const parts = list.children
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (part.name === '*' || part.name === '**') {
      if (part.name === '**') takesExtra = true
      if (parts[i + 1]?.name === 'VariableName') i++
      continue
    }
    if (part.name !== 'VariableName') continue
    const annotation = parts[i + 1]?.name === 'TypeDef' ? parts[++i]! : null
    const value = parts[i + 1]?.name === 'AssignOp' ? parts[i + 2] : undefined
    if (value) i += 2
    const fallback: Json | undefined = value ? settleValue(constants.fold(value), []) : undefined
    params.push({
      name: text.slice(part.from, part.to),
      annotation: annotation ? text.slice(annotation.from + 1, annotation.to).trim() : null,
      hasDefault: value !== undefined,
      fallback,
    })
  }
  return { params, takesExtra }
}
