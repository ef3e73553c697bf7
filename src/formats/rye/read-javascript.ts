// Reads the metadata of a JavaScript or TypeScript file: top-level constants, CommonJS exports, and JSDoc tags for
// what the code does not set. The file is parsed, never run.
import { LineIndex } from '../../tool/line-index.ts'
import { pointerKeys } from '../../tool/pointer.ts'
import { parseScript } from '../parse-script.ts'
import { FieldCollector } from './collect-fields.ts'
import { codeField } from './field-names.ts'
import { bare, ScriptConstants, type ScriptNode } from './javascript-constants.ts'
import { type CommentLine, readTags } from './read-tags.ts'
import type { CodeFacts, Field, Reading, ReadingNote } from './reading.ts'

export function readJavascript(path: string, text: string): Reading {
  const index = new LineIndex(text)
  const lineAt = (offset: number): number => index.at(offset).line
  const { result, fault } = parseScript(path, text)
  const collector = new FieldCollector(lineAt)
  const constants = new ScriptConstants()
  const assigned = new Map<string, ScriptNode>()
  const functions = new Set<string>()
  const exported = new Map<string, string>()
  const classes: string[] = []
  const givesOut: string[] = []

  const body = (result?.program.body ?? []) as unknown as ScriptNode[]
  for (const statement of body) visitStatement(statement)

  function visitStatement(node: ScriptNode): void {
    switch (node.type) {
      case 'VariableDeclaration':
        for (const declarator of node['declarations']) visitDeclarator(declarator)
        break
      case 'ImportDeclaration':
        for (const { local } of node['specifiers']) functions.add(local.name)
        break
      case 'ExportNamedDeclaration':
        visitNamedExport(node)
        break
      case 'ExportAllDeclaration':
        // With a name of its own it is an object, which nobody can call.
        if (!node['exported']) givesOut.push(node['source'].value)
        break
      case 'ExportDefaultDeclaration':
        visitExportedValue('default', node['declaration'])
        break
      case 'FunctionDeclaration':
        if (node['id']) functions.add(node['id'].name)
        break
      case 'ClassDeclaration':
        if (node['id']) classes.push(node['id'].name)
        break
      case 'ExpressionStatement':
        visitExpression(bare(node['expression']))
        break
      default:
        if (/^(If|For|ForIn|ForOf|While|DoWhile|Try|Switch|Block)Statement$/.test(node.type)) loseWithin(node)
    }
  }

  function visitDeclarator(declarator: ScriptNode): void {
    const init: ScriptNode | null = declarator['init'] && bare(declarator['init'])
    if (declarator['id'].type !== 'Identifier' || !init) return
    const name: string = declarator['id'].name
    if (mayBeFunction(init)) functions.add(name)
    setConstant(name, init, declarator.start)
  }

  function setConstant(name: string, value: ScriptNode, from: number): void {
    const folded = constants.fold(value)
    collector.set(name, folded, from)
    assigned.set(name, value)
    constants.bind(name, folded)
  }

  function visitNamedExport(node: ScriptNode): void {
    if (node['declaration']) {
      const declaration: ScriptNode = node['declaration']
      visitStatement(declaration)
      if (declaration.type === 'FunctionDeclaration')
        exported.set(declaration['id'].name, declaration['id'].name)
      else if (declaration.type === 'VariableDeclaration')
        for (const { id } of declaration['declarations']) if (id.name) exported.set(id.name, id.name)
    } else {
      for (const specifier of node['specifiers']) {
        const name = specifier.exported.name ?? specifier.exported.value
        exported.set(name, node['source'] ? ` ${name}` : specifier.local.name)
        if (node['source']) functions.add(` ${name}`)
      }
    }
  }

  function visitExportedValue(name: string, given: ScriptNode): void {
    const value = bare(given)
    if (value.type === 'Identifier') exported.set(name, value['name'])
    else if (mayBeFunction(value)) {
      functions.add(` ${name}`)
      exported.set(name, ` ${name}`)
    } else if (value.type === 'ObjectExpression' && name === 'default') visitExportsObject(value)
  }

  function visitExpression(node: ScriptNode): void {
    if (node.type !== 'AssignmentExpression') {
      if (node.type === 'CallExpression') visitCall(node)
      const callee = node.type === 'CallExpression' ? bare(node['callee']) : null
      if (callee?.type === 'MemberExpression' && callee['object'].type === 'Identifier')
        lose(callee['object'], 'is changed by a call')
      return
    }
    const target = bare(node['left'])
    const value = bare(node['right'])
    if (target.type === 'Identifier' && target['name'] !== 'exports') return lose(target, 'is set again')
    const path = memberPath(target)
    const key = path.startsWith('module.exports.')
      ? path.slice(15)
      : path.startsWith('exports.')
        ? path.slice(8)
        : null
    if (path === 'module.exports' || path === 'exports') {
      if (value.type === 'AssignmentExpression') return visitExpression(value)
      if (value.type === 'ObjectExpression') return visitExportsObject(value)
      return visitExportedValue('default', value)
    }
    if (key !== null && /^[\w$]+$/.test(key)) {
      if (collector.isField(key)) setConstant(key, value, node.start)
      visitExportedValue(key, value)
    } else {
      let base = target
      while (base.type === 'MemberExpression') base = bare(base['object'])
      lose(base, 'is changed after it was set')
    }
  }

  /** `Object.assign(exports, require('./x'))`, or what TypeScript makes of `export *`. */
  function visitCall(node: ScriptNode): void {
    const values = (node['arguments'] as ScriptNode[]).map(bare)
    if (values.some((value) => /^(module\.)?exports$/.test(memberPath(value))))
      for (const value of values) giveOut(value)
  }

  function giveOut(value: ScriptNode): void {
    if (value.type !== 'CallExpression' || memberPath(value['callee']) !== 'require') return
    const source = value['arguments'][0]?.value
    if (typeof source === 'string') givesOut.push(source)
  }

  function visitExportsObject(object: ScriptNode): void {
    for (const member of object['properties'] as ScriptNode[]) {
      if (member.type === 'SpreadElement') giveOut(bare(member['argument']))
      if (member.type !== 'Property' || member['computed']) continue
      const key: string = member['key'].name ?? String(member['key'].value)
      const value = bare(member['value'])
      if (
        collector.isField(key) &&
        !(value.type === 'Identifier' && value['name'] === key && assigned.has(key))
      )
        setConstant(key, value, member.start)
      visitExportedValue(key === 'default' ? 'default' : key, value)
    }
  }

  function lose(node: ScriptNode, how: string): void {
    if (node.type !== 'Identifier') return
    const name: string = node['name']
    if (!assigned.has(name) && !collector.isField(name)) return
    constants.bind(name, undefined)
    if (codeField(name)) collector.noteNotStatic(name, node.start, '', how)
  }

  function loseWithin(node: ScriptNode): void {
    const source = text.slice(node.start, node.end)
    for (const match of source.matchAll(
      /(?:^|[^\w$.])(?:module\.exports\.|exports\.)?([A-Za-z_$][\w$]*)\s*=(?![=>])/g,
    )) {
      const name = match[1]!
      constants.bind(name, undefined)
      if (collector.isField(name))
        collector.noteNotStatic(name, node.start + match.index, '', 'is set inside a block that may not run')
    }
  }

  const isCallable = (name: string): boolean => functions.has(exported.get(name) ?? '')
  const notes: ReadingNote[] = [...collector.notes]
  const fields = collector.fields
  const jsdoc = readTags(docBlock(text, result?.comments ?? [], lineAt))
  for (const [name, field] of jsdoc.fields) if (!fields.has(name)) fields.set(name, field)
  notes.push(...jsdoc.notes)
  if (fault) {
    const { line, column } = index.at(fault.from)
    notes.unshift({
      code: 'metadata-parse',
      message: `This is not valid ${path.endsWith('.ts') ? 'TypeScript' : 'JavaScript'}: ${fault.message.replace(/\.$/, '')}.`,
      hint: 'Correct the syntax on this line.',
      line,
      column,
    })
  }
  return {
    fields,
    unknown: collector.unknown,
    notes,
    docstring: jsdoc.text,
    code: {
      hasExecute: isCallable('execute'),
      hasMain: isCallable('main'),
      hasDefault: isCallable('default'),
      givesOut: givesOut.length > 0 ? givesOut : undefined,
      hasMainBlock: false,
      mainSignature: null,
      classes,
      imports: importsOf(result?.module, text),
      mentionsProjectPath: text.includes('project-path'),
      mentionsParams: text.includes('--params'),
    } satisfies CodeFacts,
    locate: (field, pointer) => lineAtPointer(fields.get(field), assigned, pointerKeys(pointer), lineAt),
  }
}

/** What a call returns, like what another module exports, is known only by running it; as an entry it counts. */
function mayBeFunction(node: ScriptNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|CallExpression)$/.test(node.type)
}

function memberPath(node: ScriptNode): string {
  const inner = bare(node)
  if (inner.type === 'Identifier') return inner['name']
  if (inner.type !== 'MemberExpression') return '?'
  const property = inner['property']
  const key = inner['computed'] ? (typeof property.value === 'string' ? property.value : '?') : property.name
  return `${memberPath(inner['object'])}.${key}`
}

function importsOf(
  module:
    | {
        staticImports: readonly { moduleRequest: { value: string } }[]
        staticExports: readonly { entries: readonly { moduleRequest?: { value: string } | null }[] }[]
      }
    | undefined,
  text: string,
): string[] {
  const specifiers = (module?.staticImports ?? []).map((found) => found.moduleRequest.value)
  for (const { entries } of module?.staticExports ?? [])
    for (const entry of entries) if (entry.moduleRequest) specifiers.push(entry.moduleRequest.value)
  // `require(…)` and `import(…)` of a fixed name may stand anywhere.
  for (const [, , name] of text.matchAll(/\b(?:require|import)\s*\(\s*(['"`])([^'"`$\n]+)\1/g))
    specifiers.push(name!)
  // A thread or process of its own, and files that the module finds beside itself (G24).
  for (const [, , name] of text.matchAll(
    /\b(?:Worker|SharedWorker|fork|URL)\s*\(\s*(['"`])(\.{1,2}\/[^'"`$\n]+)\1/g,
  ))
    specifiers.push(name!)
  return [...new Set(specifiers)]
}

/** The lines of the first JSDoc block that carries one of the tags that make a tool. */
function docBlock(
  text: string,
  comments: readonly { type: string; value: string; start: number; end: number }[],
  lineAt: (offset: number) => number,
): CommentLine[] {
  const block = comments.find(
    (comment) =>
      comment.type === 'Block' &&
      comment.value.startsWith('*') &&
      /@(version|tool_type|executor_id)\b/.test(comment.value),
  )
  if (!block) return []
  const first = lineAt(block.start)
  return text
    .slice(block.start + 3, block.end - 2)
    .split('\n')
    .map((line, offset) => ({ text: line.replace(/^\s*\*? ?/, '').trimEnd(), line: first + offset }))
}

function lineAtPointer(
  field: Field | undefined,
  assigned: ReadonlyMap<string, ScriptNode>,
  keys: readonly string[],
  lineAt: (offset: number) => number,
): number {
  if (!field) return 1
  let node = assigned.get(field.name)
  if (!node) return field.line
  let best = node.start
  for (const key of keys) {
    node = bare(node)
    let found: ScriptNode | undefined
    if (node.type === 'ObjectExpression') {
      const member = (node['properties'] as ScriptNode[]).find(
        (item) => item.type === 'Property' && (item['key'].name ?? String(item['key'].value)) === key,
      )
      if (!member) break
      best = member.start
      found = member['value']
    } else if (node.type === 'ArrayExpression') {
      found = node['elements'][Number(key)]
      if (found) best = found.start
    }
    if (!found) break
    node = found
  }
  return lineAt(best)
}
