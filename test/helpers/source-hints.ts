// Every hint the program can print, as its source writes it: what stands in a sentence for a value is `${}`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface SourceHint {
  readonly file: string
  readonly text: string
}

const source = fileURLToPath(new URL('../../src', import.meta.url))
const isNamed = (name: string) => /hint/i.test(name)

/** Every text that is given as a hint: to a key, a variable, a function or a parameter that is called so. */
export function sourceHints(): SourceHint[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|fixture/.test(file))
    .sort()
    .flatMap((file) => [...hintsIn(file)].map((text) => ({ file, text })))
}

function hintsIn(file: string): Set<string> {
  const text = readFileSync(join(source, file), 'utf8')
  const found = new Set<string>()
  if (!/hint|UsageError/i.test(text)) return found
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const places = new Map<string, number>()
  const visit = (node: ts.Node, use: (node: ts.Node) => void): void => {
    use(node)
    ts.forEachChild(node, (child) => visit(child, use))
  }
  const nameOf = (node: ts.Node | undefined) => (node && 'text' in node ? String(node.text) : '')
  visit(tree, (node) => {
    if (!ts.isFunctionLike(node)) return
    const holder = ts.isVariableDeclaration(node.parent) ? node.parent.name : node.name
    node.parameters.forEach((parameter, index) => {
      if (isNamed(nameOf(parameter.name))) places.set(nameOf(holder), index)
    })
  })
  const add = (node: ts.Node | undefined) => {
    for (const each of node ? textsOf(node) : []) if (/^[^a-z].* |toolcrib/.test(each)) found.add(each)
  }
  // A constant that is given as a hint, whatever it is called.
  const constants = new Set<string>()
  visit(tree, (node) => {
    if (ts.isPropertyAssignment(node) && isNamed(nameOf(node.name)) && ts.isIdentifier(node.initializer))
      constants.add(node.initializer.text)
  })
  visit(tree, (node) => {
    if (ts.isPropertyAssignment(node) && isNamed(nameOf(node.name))) add(node.initializer)
    else if (
      ts.isVariableDeclaration(node) &&
      (isNamed(nameOf(node.name)) || constants.has(nameOf(node.name)))
    )
      add(node.initializer)
    else if (ts.isNewExpression(node) && nameOf(node.expression) === 'UsageError') add(node.arguments?.[1])
    else if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && isNamed(nameOf(node.name)))
      add(node.body)
    else if (ts.isCallExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
      const at = places.get(nameOf(callee))
      if (at !== undefined) add(node.arguments[at])
    }
  })
  return found
}

/** The texts an expression may come to. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('')]
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)]
  if (ts.isBinaryExpression(node)) return [...textsOf(node.left), ...textsOf(node.right)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textsOf(node.expression)
  if (ts.isObjectLiteralExpression(node))
    return node.properties.flatMap((each) => (ts.isPropertyAssignment(each) ? textsOf(each.initializer) : []))
  if (ts.isArrowFunction(node)) return textsOf(node.body)
  if (ts.isBlock(node)) {
    const texts: string[] = []
    const visit = (each: ts.Node): void => {
      if (ts.isReturnStatement(each) && each.expression) texts.push(...textsOf(each.expression))
      ts.forEachChild(each, visit)
    }
    visit(node)
    return texts
  }
  return []
}

/** Whether a printed hint holds what the source says, with anything in the place of values. */
export function saysHint({ text }: SourceHint, printed: string): boolean {
  // What begins with a value and says little more would be found in anything.
  if (text.replaceAll('${}', '').trim().length < 6) return false
  const pattern = text
    .trim()
    .split('${}')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]+?')
  return new RegExp(pattern).test(printed)
}
