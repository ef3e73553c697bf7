// What a person would read of a source file of the console without `say`: texts in its markup, in attributes that are
// shown or read out, in notices and questions.
import ts from 'typescript'

const shownAttributes = new Set([
  'alt',
  'aria-label',
  'hint',
  'label',
  'none',
  'note',
  'placeholder',
  'title',
  'what',
])
const shownCalls = new Set(['alert', 'announce', 'confirm', 'fault', 'prompt', 'setFault'])
const shownProperties = new Set(['detail', 'hint', 'message', 'sentence'])
/** Names, commands, files and signs: the same in every language. */
const names = new Set([
  '.mcp.json',
  'CSV',
  'Ctrl Enter',
  'JSON',
  'Toolcrib',
  'UTC',
  'null',
  'npx -y @modelcontextprotocol/server-memory',
  'toolcrib.yaml',
])
const isProse = (text: string) => /\p{L}{2}/u.test(text)

/** `file:line: text` of each. */
export function visibleTexts(source: ts.SourceFile): string[] {
  const found: string[] = []
  const report = (node: ts.Node, text: string) => {
    const bare = text.trim().replace(/\s+/g, ' ')
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    if (isProse(bare) && !names.has(bare)) found.push(`${source.fileName}:${line + 1}: ${bare}`)
  }
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node)) {
      if (!['code', 'kbd'].includes(elementOf(node))) report(node, node.text)
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (isShown(node)) report(node, node.text)
    } else if (ts.isTemplateExpression(node)) {
      const prose = [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text)
      if (isShown(node) && isProse(prose.join(' '))) report(node, node.getText().slice(1, -1))
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

/** Every text that stands in a source file, and every name of a property, which may be one. */
export function isWritten(source: ts.SourceFile): string[] {
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text)
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) found.push(node.name.text)
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

function elementOf(node: ts.JsxText): string {
  return ts.isJsxElement(node.parent) ? node.parent.openingElement.tagName.getText() : ''
}

/** Whether a literal ends on the screen: through conditions, parentheses and `??` up to where it is given. */
function isShown(literal: ts.Node): boolean {
  let node = literal
  for (let parent = node.parent; parent; node = parent, parent = parent.parent) {
    if (ts.isConditionalExpression(parent) && parent.condition !== node) continue
    if (ts.isParenthesizedExpression(parent)) continue
    if (ts.isBinaryExpression(parent) && ['&&', '||', '??', '+'].includes(parent.operatorToken.getText()))
      continue
    if (ts.isJsxExpression(parent)) {
      if (ts.isJsxAttribute(parent.parent)) return shownAttributes.has(parent.parent.name.getText())
      return ts.isJsxElement(parent.parent) || ts.isJsxFragment(parent.parent)
    }
    if (ts.isJsxAttribute(parent)) return shownAttributes.has(parent.name.getText())
    if (ts.isCallExpression(parent))
      return parent.expression !== node && shownCalls.has(parent.expression.getText())
    if (ts.isPropertyAssignment(parent)) return shownProperties.has(parent.name.getText())
    return false
  }
  return false
}
