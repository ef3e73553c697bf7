// Whether what a module exports under a name can be called, as far as its text tells. The code is never run.
import type { Program } from 'oxc-parser'
import { type SyntaxNode as Node, unwrap } from './exported-literal.ts'

export interface FoundExport {
  /** Where the statement stands. */
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

/** The export of that name; undefined where the module has none of its own. */
export function findExport(program: Program, name: string): FoundExport | undefined {
  const body = program.body as unknown as Node[]
  for (const statement of body) {
    const { start: offset } = statement
    if (name === 'default' && statement.type === 'ExportDefaultDeclaration')
      return { offset, isNoFunction: isNoFunction(statement['declaration'] as Node, body) }
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const specifier of statement['specifiers'] as Node[]) {
      const exported = specifier['exported'] as Node
      if (exported['name'] !== name && exported['value'] !== name) continue
      const isOwn = !statement['source']
      return { offset, isNoFunction: isOwn && isNoFunction(specifier['local'] as Node, body) }
    }
    if (declares(statement['declaration'] as Node | null, name))
      return { offset, isNoFunction: isNoFunction({ type: 'Identifier', start: offset, name }, body) }
  }
  return undefined
}

function declares(declaration: Node | null, name: string): boolean {
  const declared = (declaration?.['declarations'] as Node[] | undefined) ?? (declaration ? [declaration] : [])
  return declared.some(({ id }) => (id as Node | null | undefined)?.['name'] === name)
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
