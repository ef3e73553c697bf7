// Reads `export const frontmatter` of a code skill from its syntax tree. The code is never run here: what is
// not a literal makes the frontmatter dynamic, and only its line is known.
import type { Program } from 'oxc-parser'
import { LineIndex, type Position } from '../../tool/line-index.ts'
import {
  type ExportedLiteral,
  type SyntaxNode as Node,
  readExportedLiteral,
  unwrap,
} from '../exported-literal.ts'
import { parseModule, tooDeep } from '../parse-script.ts'

export interface CodeFrontmatter extends ExportedLiteral {
  readonly syntaxError?: Position & { readonly message: string }
  /** Where a default export ought to be, when the text shows that there is none or that it is no function. */
  readonly noFunctionAt?: Position
}

export function readCodeFrontmatter(file: string, text: string): CodeFrontmatter {
  const lines = new LineIndex(text)
  const start = { line: 1, column: 1 }
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  if (!result) return { syntaxError: { ...start, message: tooDeep }, positionOf: () => start }
  const error = result.errors.find((item) => item.severity === 'Error')
  if (error)
    return {
      syntaxError: { ...lines.at(error.labels[0]?.start ?? 0), message: error.message },
      positionOf: () => start,
    }
  const exported = findDefault(result.program)
  const read = readExportedLiteral(result.program, text, 'frontmatter')
  if (read.repeated) return read
  return { ...read, noFunctionAt: exported.isNoFunction ? lines.at(exported.offset) : undefined }
}

/** Where the default export of a module stands; the first line when there is none. */
export function defaultExportAt(file: string, text: string): Position {
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  return new LineIndex(text).at(result ? findDefault(result.program).offset : 0)
}

interface DefaultExport {
  readonly offset: number
  /** Certain from the text alone; a name or a call may turn out to be one or not. */
  readonly isNoFunction: boolean
}

const noFunctions = new Set([
  'Literal',
  'TemplateLiteral',
  'ObjectExpression',
  'ArrayExpression',
  'ClassDeclaration',
  'ClassExpression',
])

function findDefault(program: Program): DefaultExport {
  const body = program.body as unknown as Node[]
  for (const statement of body) {
    const { start: offset } = statement
    if (statement.type === 'ExportDefaultDeclaration')
      return { offset, isNoFunction: isNoFunction(statement['declaration'] as Node, body) }
    for (const specifier of (statement['specifiers'] as Node[] | undefined) ?? []) {
      const name = specifier['exported'] as Node | undefined
      if (name?.['name'] === 'default' || name?.['value'] === 'default') {
        const isOwn = !statement['source']
        return { offset, isNoFunction: isOwn && isNoFunction(specifier['local'] as Node, body) }
      }
    }
  }
  return { offset: 0, isNoFunction: true }
}

/** Also through a name, where that is declared once and for all at the top level: a class or a constant. */
function isNoFunction(given: Node, body: readonly Node[]): boolean {
  const node = unwrap(given)
  if (node.type !== 'Identifier') return noFunctions.has(node.type)
  for (const statement of body) {
    const declared = (statement['declaration'] as Node | null | undefined) ?? statement
    if (declared.type === 'ClassDeclaration' && (declared['id'] as Node | null)?.['name'] === node['name'])
      return true
    if (declared.type !== 'VariableDeclaration' || declared['kind'] !== 'const') continue
    for (const declarator of declared['declarations'] as Node[]) {
      const value = declarator['init'] as Node | null
      if ((declarator['id'] as Node)['name'] === node['name'] && value)
        return noFunctions.has(unwrap(value).type)
    }
  }
  return false
}
