// The YAML block at the head of a Markdown file. Read by js-yaml, which is fast; only when something is wrong or
// a position is asked for is it read again by the parser that knows positions.
import { createRequire } from 'node:module'
import { unfoldsTooFar } from '../tool/budget.ts'
import { isPlainObject } from '../tool/json.ts'
import { LineIndex, type Position } from '../tool/line-index.ts'
import { messageOf } from '../tool/tool-error.ts'

export interface FrontmatterFault extends Position {
  readonly message: string
}

export interface Repair extends Position {
  readonly key: string
}

export interface Frontmatter {
  /** False: the text begins with no `---` line. */
  readonly isPresent: boolean
  /** The map; empty when there is none or it is broken. */
  readonly data: { readonly [key: string]: unknown }
  /** The YAML between the two `---` lines. */
  readonly raw: string
  /** Where the text after the closing `---` line begins; 0 without frontmatter, the end when it never closes. */
  readonly bodyOffset: number
  /** Why the block cannot be trusted: a YAML error, a repeated key, no closing line, no map. */
  readonly faults: readonly FrontmatterFault[]
  /** Values that are no YAML and were read as plain text: an unquoted colon in a description, most often. */
  readonly repaired: readonly Repair[]
  /** Line and column in the file of a key (its value, for elements of a list). */
  positionOf(path: readonly (string | number)[]): Position
}

const require = createRequire(import.meta.url)
const signatureLine = /^<!--\s*rye:signed\b.*-->[ \t]*\r?$/
const fence = /^---\r?$/
// Aliases let a few lines stand for a huge tree; whoever walks the data must be safe from that.
const maxNodes = 50_000
const maxLevels = 64

/** Splits a Markdown text; a byte order mark, a signature comment and blank lines may stand before the block. */
export function readFrontmatter(text: string): Frontmatter {
  const opening = openingFence(text)
  if (!opening) return without(text)
  const closing = nextFence(text, opening.end)
  const raw = text.slice(opening.end, closing?.start ?? text.length)
  const read = closing
    ? parseBlock(raw)
    : { data: {}, repaired: [], faults: [{ message: 'the closing --- line is missing', line: 0, column: 1 }] }
  const firstLine = new LineIndex(text).at(opening.end).line
  return {
    isPresent: true,
    data: read.data,
    raw,
    bodyOffset: closing?.end ?? text.length,
    faults: read.faults.map((fault) => ({ ...fault, line: fault.line + firstLine - 1 })),
    repaired: read.repaired.map((repair) => ({ ...repair, line: repair.line + firstLine - 1 })),
    positionOf: (path) => {
      const found = positionIn(raw, path)
      return { line: found.line + firstLine - 1, column: found.column }
    },
  }
}

/** The text after the block, leading blank lines removed. */
export function bodyOf(text: string, frontmatter: Frontmatter): string {
  return text
    .slice(frontmatter.bodyOffset)
    .replace(/^\uFEFF/, '')
    .replace(/^(?:[ \t]*\r?\n)+/, '')
}

function without(text: string): Frontmatter {
  return {
    isPresent: false,
    data: {},
    raw: '',
    bodyOffset: text.charCodeAt(0) === 0xfeff ? 1 : 0,
    faults: [],
    repaired: [],
    positionOf: () => ({ line: 1, column: 1 }),
  }
}

interface Line {
  readonly start: number
  /** After the line break. */
  readonly end: number
}

function openingFence(text: string): Line | undefined {
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  let isSigned = false
  while (start < text.length) {
    const { line, end } = lineAt(text, start)
    if (fence.test(line)) return { start, end }
    if (!isSigned && signatureLine.test(line)) isSigned = true
    else if (line.trim() !== '') return undefined
    start = end
  }
  return undefined
}

function nextFence(text: string, from: number): Line | undefined {
  for (let start = from; start < text.length; ) {
    const { line, end } = lineAt(text, start)
    if (fence.test(line)) return { start, end }
    start = end
  }
  return undefined
}

function lineAt(text: string, start: number): { line: string; end: number } {
  const stop = text.indexOf('\n', start)
  return stop === -1
    ? { line: text.slice(start), end: text.length }
    : { line: text.slice(start, stop), end: stop + 1 }
}

interface Block {
  readonly data: Record<string, unknown>
  readonly faults: readonly FrontmatterFault[]
  readonly repaired: readonly Repair[]
}

/** Single-line texts that people write without the quotes YAML wants. */
const plainTexts = /^(name|description|argument-hint|license|compatibility|when_to_use): +(\S.*?) *\r?$/

/** Reads the block; where it is no YAML, once more with the plain texts in quotes (D11a). */
function parseBlock(raw: string): Block {
  const strict = parseYaml(raw)
  if (strict.faults.length === 0) return strict
  const repaired: Repair[] = []
  const lines = raw.split('\n').map((line, index) => {
    const [, key, value] = plainTexts.exec(line) ?? []
    if (key === undefined || value === undefined || parseYaml(line).faults.length === 0) return line
    repaired.push({ key, line: index + 1, column: 1 })
    return `${key}: ${JSON.stringify(value)}`
  })
  if (repaired.length === 0) return strict
  const lenient = parseYaml(lines.join('\n'))
  return lenient.faults.length === 0 ? { ...lenient, repaired } : strict
}

function parseYaml(raw: string): Block {
  const yaml = require('js-yaml') as typeof import('js-yaml')
  let data: unknown
  try {
    // js-yaml calls a block without any document an error; here it is an empty map.
    data = /^\s*(?:#.*\s*)*$/.test(raw) ? null : yaml.load(raw, { schema: yaml.CORE_SCHEMA })
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line?: number; column?: number } }
    // An error noticed at the end of the block belongs to its last line, not to the closing fence.
    const lastLine = raw.trimEnd().split('\n').length
    const isPast = (mark?.line ?? 0) >= lastLine
    const place = isPast
      ? { line: lastLine, column: 1 }
      : { line: mark!.line! + 1, column: (mark?.column ?? 0) + 1 }
    return { data: {}, repaired: [], faults: [{ message: inWords(reason ?? messageOf(error)), ...place }] }
  }
  if (data === null || data === undefined) return { data: {}, faults: [], repaired: [] }
  if (!isPlainObject(data))
    return {
      data: {},
      repaired: [],
      faults: [{ message: 'the block must be a map of keys to values', line: 1, column: 1 }],
    }
  if (unfoldsTooFar(data, maxNodes, maxLevels))
    return {
      data: {},
      repaired: [],
      faults: [{ message: `the block unfolds to more than ${maxNodes} values`, line: 1, column: 1 }],
    }
  return { data, faults: [], repaired: [] }
}

function positionIn(raw: string, path: readonly (string | number)[]): Position {
  const { LineCounter, parseDocument, isMap, isSeq, isScalar } = require('yaml') as typeof import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(raw, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' })
  let node: unknown = document.contents
  let offset = 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
      const key = pair?.key as { range?: readonly number[] | null } | undefined
      if (!pair || !key?.range) break
      offset = key.range[0]!
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(step)]
      const range = (node as { range?: readonly number[] | null } | undefined)?.range
      if (!range) break
      offset = range[0]!
    } else break
  }
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

/** The parser's words where they do not tell what to look for. */
function inWords(reason: string): string {
  if (reason === 'deficient indentation')
    return 'a line is indented too little, or a [ or { above it is not closed'
  return reason
}
