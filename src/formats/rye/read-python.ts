// Reads the metadata of a Python file: the module-level assignments, the functions a caller could enter, the
// imports. The file is parsed, never run.
import type { Json } from '../../tool/json.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import { LineIndex } from '../../tool/line-index.ts'
import { pointerKeys } from '../../tool/pointer.ts'
import { FieldCollector } from './collect-fields.ts'
import { children, PythonConstants, type PythonNode } from './python-constants.ts'
import { scanPython } from './python-scan.ts'
import { pythonString } from './python-string.ts'
import type { CodeFacts, Reading, ReadingNote, Signature, SignatureParam } from './reading.ts'
import { settleValue } from './unfolded.ts'

const lezer = lazyModule<typeof import('@lezer/python')>('@lezer/python')
const mainGuard = /^if\s+\(?\s*(__name__\s*==\s*(['"])__main__\2|(['"])__main__\3\s*==\s*__name__)/

export function readPython(given: string): Reading {
  // A lone CR ends a line for Python.
  const text = given.replace(/^\uFEFF/, '').replace(/\r(?!\n)/g, '\n')
  const { skeleton, conditional, fault } = scanPython(text)
  const index = new LineIndex(text)
  const lineAt = (offset: number): number => index.at(offset).line
  const collector = new FieldCollector(lineAt)
  const constants = new PythonConstants(text)
  const assigned = new Map<string, PythonNode>()
  const facts = new Facts(text)

  const script = lezer().parser.parse(skeleton).topNode
  let docstring: string | null = null
  let isFirst = true
  let passed = 0
  for (let node = script.firstChild; node; node = node.nextSibling) {
    if (node.name === 'Comment') continue
    if (isFirst && node.name === 'ExpressionStatement' && /^String|^Contin/.test(node.firstChild?.name ?? ''))
      docstring = docText(text, node.firstChild!)
    isFirst = false
    loseConditional(node.from)
    visitStatement(node)
  }
  loseConditional(Number.POSITIVE_INFINITY)

  /** Names that indented lines above `before` assigned. */
  function loseConditional(before: number): void {
    for (; passed < conditional.length && conditional[passed]!.from < before; passed++) {
      const { name, from } = conditional[passed]!
      constants.bind(name, null)
      if (collector.isField(name))
        collector.noteNotStatic(name, from, '', 'is set inside a block that may not run')
    }
  }

  function visitStatement(node: PythonNode): void {
    switch (node.name) {
      case 'StatementGroup':
        for (const child of children(node)) visitStatement(child)
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
        if (node.lastChild) facts.define(node.lastChild, constants)
        break
      case 'ImportStatement':
        for (const name of facts.imported(node)) constants.bind(name, null)
        break
      default:
        visitBlock(node)
    }
  }

  function visitAssignment(node: PythonNode): void {
    const parts = children(node)
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
      } else loseNames(target, 'is set in a way that only running the file would tell')
    }
  }

  // `CONFIG_SCHEMA.update(…)` changes what was folded; a call that merely reads a name does not.
  function visitExpression(node: PythonNode): void {
    const call = node.firstChild
    const callee = call?.name === 'CallExpression' ? call.firstChild : null
    if (callee?.name === 'MemberExpression') loseNames(callee, 'is changed by a call')
  }

  function visitBlock(node: PythonNode): void {
    if (node.name === 'IfStatement' && mainGuard.test(text.slice(node.from, node.from + 80)))
      facts.hasMainBlock = true
    node.cursor().iterate((child) => {
      if (child.name === 'AssignStatement' || child.name === 'UpdateStatement')
        loseNames(child.node, 'is set inside a block that may not run')
      return child.name !== 'FunctionDefinition' && child.name !== 'ClassDefinition'
    })
  }

  /** The names a target binds or changes can no longer be told. */
  function loseNames(node: PythonNode, how: string): void {
    const targets = node.name === 'VariableName' ? [node] : children(node)
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

  const syntax = fault ?? grammarFault(script, text)
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

function baseName(node: PythonNode): PythonNode | null {
  let base: PythonNode | null = node
  while (base?.name === 'MemberExpression') base = base.firstChild
  return base
}

function docText(text: string, node: PythonNode): string | null {
  const parts = node.name === 'ContinuedString' ? children(node) : [node]
  const values = parts.map((part) => pythonString(text.slice(part.from, part.to)))
  return values.includes(undefined) ? null : values.join('')
}

function syntaxNote(fault: { from: number; message: string }, index: LineIndex): ReadingNote {
  const { line, column } = index.at(fault.from)
  return {
    code: 'metadata-parse',
    message: `This is not valid Python: ${fault.message}.`,
    hint: 'Correct the syntax on this line.',
    line,
    column,
  }
}

/** The first place the grammar stumbled over, leaving out the valid Python it is known not to read. */
function grammarFault(script: PythonNode, text: string): { from: number; message: string } | null {
  let fault: { from: number; message: string } | null = null
  script.cursor().iterate((node) => {
    if (fault || !node.type.isError) return fault === null
    const before = text.slice(Math.max(0, node.from - 40), node.from)
    if (/\byield\s*$|\d\.(e[-+]?\d+)?$|\bas\s+[\w.[\]'"]+$/.test(before)) return true
    const found = text
      .slice(node.from, node.to || node.from + 1)
      .trim()
      .split('\n')[0]
    fault = {
      from: node.from,
      message: found ? `"${found.slice(0, 40)}" is not expected here` : 'something is missing here',
    }
    return false
  })
  return fault
}

/** The offset of the key or element a pointer leads to, as far as the literal shows it. */
function locateIn(text: string, root: PythonNode, keys: readonly string[]): number {
  let node = root
  let best = root.from
  for (const key of keys) {
    while (node.name === 'ParenthesizedExpression' && node.firstChild?.nextSibling)
      node = node.firstChild.nextSibling
    const parts = children(node).filter((part) => !/^[()[\]{},]$|^Comment$/.test(part.name))
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
  readonly #classes: string[] = []
  readonly #imports: string[] = []
  #signature: Signature | null = null

  constructor(text: string) {
    this.#text = text
  }

  define(node: PythonNode, constants: PythonConstants): void {
    const named = node.getChild('VariableName')
    if (!named) return
    const name = this.#text.slice(named.from, named.to)
    constants.bind(name, null)
    if (node.name === 'ClassDefinition') this.#classes.push(name)
    else if (node.name === 'FunctionDefinition') {
      this.#functions.add(name)
      const list = node.getChild('ParamList')
      if (name === 'main' && list) this.#signature = signatureOf(this.#text, list, constants)
    }
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
    return {
      hasExecute: this.#functions.has('execute'),
      hasMain: this.#functions.has('main'),
      hasDefault: false,
      hasMainBlock: this.hasMainBlock,
      mainSignature: this.#signature,
      classes: this.#classes,
      imports: [...new Set(this.#imports)],
      mentionsProjectPath: this.#text.includes('--project-path'),
      mentionsParams: this.#text.includes('--params'),
    }
  }
}

function signatureOf(text: string, list: PythonNode, constants: PythonConstants): Signature {
  const params: SignatureParam[] = []
  let takesExtra = false
  const parts = children(list)
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
      ...(fallback === undefined ? {} : { fallback }),
    })
  }
  return { params, takesExtra }
}
