// Reads a tool's program without running it: does it parse, does it export `execute`, what does it import.
// Nothing else is judged; safety is the sandbox's task.
import type { ParseResult } from 'oxc-parser'
import { LineIndex } from '../../tool/line-index.ts'
import { findExport } from '../exported-function.ts'
import { parseModule, tooDeep } from '../parse-script.ts'
import type { Findings } from './findings.ts'

const pointer = '/context/code/source'

export function checkSource(
  source: string,
  language: 'typescript' | 'javascript',
  imports: readonly string[],
  findings: Findings,
): void {
  const lines = new LineIndex(source)
  const lang = language === 'typescript' ? 'ts' : 'js'
  const parsed = parseModule(`tool.${lang}`, source, lang)
  if (!parsed) return void findings.add('tc-source-syntax', pointer, `The source does not parse: ${tooDeep}.`)
  const errors = parsed.errors.filter((error) => error.severity === 'Error')
  for (const error of errors) {
    const at = lines.at(error.labels[0]?.start ?? 0)
    findings.add(
      'tc-source-syntax',
      pointer,
      `The source does not parse at line ${at.line}, column ${at.column}: ${error.message}.`,
      {
        source: at,
        hint:
          error.helpMessage ??
          (language === 'javascript'
            ? 'Set context.code.language to "typescript" if the source has types.'
            : 'Correct the source at this place.'),
      },
    )
  }
  if (errors.length > 0) return
  checkImports(parsed.module, { source, allowed: imports, lines, findings })
  checkExecute(parsed, source, findings)
}

type Parsed = ParseResult

function checkImports(
  module: Parsed['module'],
  {
    source,
    allowed,
    lines,
    findings,
  }: {
    readonly source: string
    readonly allowed: readonly string[]
    readonly lines: LineIndex
    readonly findings: Findings
  },
): void {
  const specifiers: { text: string; start: number }[] = []
  for (const item of module.staticImports) {
    if (/^import\s+type\b/.test(source.slice(item.start, item.end)) && item.entries.every((e) => e.isType))
      continue
    specifiers.push({ text: item.moduleRequest.value, start: item.moduleRequest.start })
  }
  for (const item of module.staticExports) {
    const request = item.entries.find((entry) => entry.moduleRequest !== null && !entry.isType)?.moduleRequest
    if (request) specifiers.push({ text: request.value, start: request.start })
  }
  for (const item of module.dynamicImports) {
    const literal = literalText(source.slice(item.moduleRequest.start, item.moduleRequest.end))
    if (literal !== undefined) specifiers.push({ text: literal, start: item.moduleRequest.start })
  }
  for (const { text, start } of specifiers) {
    if (isImportAllowed(text, allowed)) continue
    findings.add('tc-import-denied', pointer, `The source imports "${text}", which is not allowed.`, {
      source: lines.at(start),
      hint: /^(jsr|npm|https?):/.test(text)
        ? `Add a prefix of it to context.permissions.imports, for example ["${text}"].`
        : 'A tool is self-contained: it may import node: built-ins and what context.permissions.imports covers.',
    })
  }
}

/** `node:` built-ins always; files, relative and bare names never; the rest by prefix. */
function isImportAllowed(specifier: string, allowed: readonly string[]): boolean {
  if (specifier.startsWith('node:')) return true
  if (!/^(jsr:|npm:|https?:\/\/)/i.test(specifier)) return false
  const place = placeOf(specifier)
  return !/\/\.\.?(\/|$)/.test(place) && allowed.some((prefix) => coversPlace(placeOf(prefix), place))
}

/** A prefix ends where a name ends: `npm:zod` covers `npm:zod@3` and `npm:zod/v4`, not `npm:zodiac`. */
function coversPlace(prefix: string, place: string): boolean {
  if (!place.startsWith(prefix)) return false
  if (place.length === prefix.length || /[/@:]$/.test(prefix)) return true
  return /^[/@?#.]/.test(place.slice(prefix.length))
}

/** Where a specifier leads, however it is spelled: `https://host/mine/../other` is under `https://host/other`. */
function placeOf(specifier: string): string {
  return URL.canParse(specifier) ? new URL(specifier).href : specifier
}

/** The text of a string literal or a template without holes; undefined for anything computed. */
function literalText(expression: string): string | undefined {
  const text = expression.trim()
  const quote = text[0]
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  if (text.length < 2 || text.at(-1) !== quote) return undefined
  const inner = text.slice(1, -1)
  if (quote === '`' && inner.includes('${')) return undefined
  if (new RegExp(`(^|[^\\\\])${quote}`).test(inner)) return undefined
  return inner.replace(/\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(.)/gis, (_, a, b, c, d) =>
    d === undefined ? String.fromCodePoint(Number.parseInt(a ?? b ?? c, 16)) : d,
  )
}

function checkExecute(parsed: Parsed, source: string, findings: Findings): void {
  const entries = parsed.module.staticExports.flatMap((item) => item.entries).filter((entry) => !entry.isType)
  if (entries.some((entry) => entry.exportName.name === 'execute')) {
    if (findExport(parsed.program, 'execute')?.isNoFunction)
      findings.add('tc-no-execute', pointer, 'The export named execute is no function.', {
        hint: 'Make it a function: `export async function execute(input, context) { return … }`.',
      })
    return
  }
  const byDefault = entries.find(
    (entry) => entry.exportName.kind === 'Default' || entry.exportName.name === 'default',
  )
  // A default export is judged when the module is loaded, unless its form already tells.
  if (byDefault && canBeExecute(parsed)) return
  findings.add('tc-no-execute', pointer, 'The source does not export a function named execute.', {
    hint: executeHint(source, byDefault !== undefined),
  })
}

/** False when the default export is plainly no function and no object with an `execute` member. */
function canBeExecute(parsed: Parsed): boolean {
  const statement = parsed.program.body.find((node) => node.type === 'ExportDefaultDeclaration')
  if (!statement) return true
  const value = withoutTypes(statement.declaration)
  if (value.type === 'ObjectExpression') {
    return value.properties.some(
      (property) =>
        property.type === 'SpreadElement' ||
        (property.key.type === 'Identifier' && !property.computed && property.key.name === 'execute') ||
        (property.key.type === 'Literal' && property.key.value === 'execute') ||
        property.computed,
    )
  }
  return !notCallable.has(value.type)
}

const notCallable = new Set([
  'Literal',
  'ArrayExpression',
  'TemplateLiteral',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
])

function withoutTypes<Node extends { type: string }>(node: Node): Node {
  let inner: Node = node
  while (['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression'].includes(inner.type))
    inner = (inner as unknown as { expression: Node }).expression
  return inner
}

function executeHint(source: string, hasDefault: boolean): string {
  if (/\bmodule\s*\.\s*exports\b|\bexports\s*\.\s*execute\b/.test(source))
    return 'CommonJS exports are not read: write `export async function execute(input, context) { … }`.'
  if (/\b(function\s*\*?\s*execute\b|(const|let|var)\s+execute\b)/.test(source))
    return 'execute is there but not exported: put `export` before it.'
  if (hasDefault) return 'A default export must be a function, or an object with an execute method.'
  return 'Add `export async function execute(input, context) { return … }`.'
}
