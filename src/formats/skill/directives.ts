// Directives in a skill's text: `:name[label]`, replaced in one pass. What is put in is never looked at again,
// and code spans and fenced blocks are left alone.

/** Text for a directive; undefined leaves it as it is written. */
export type Insert = (name: string, label: string) => string | undefined

/** The directives there are; every other `:word[…]` is plain text. */
const directiveNames: ReadonlySet<string> = new Set([
  'arg',
  'env',
  'path',
  'context',
  'config',
  'skill',
  'tool',
])

/** Replaces every directive of a text. */
export function expandDirectives(text: string, insert: Insert): string {
  return blocksOf(text)
    .map((block) => (block.isCode ? block.text : expandBlock(block.text, insert)))
    .join('')
}

interface Block {
  readonly text: string
  readonly isCode: boolean
}

/** Fenced code on one side, paragraphs on the other: a code span does not reach over a blank line. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let fence = ''
  const flush = (isCode: boolean) => {
    if (lines.length > 0) blocks.push({ text: lines.join(''), isCode })
    lines = []
  }
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line.trimEnd())?.[1]
    if (fence === '' && mark) {
      flush(false)
      fence = mark
      lines.push(line)
    } else if (fence !== '') {
      lines.push(line)
      const end = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
      if (end && end[0] === fence[0] && end.length >= fence.length) {
        flush(true)
        fence = ''
      }
    } else {
      lines.push(line)
      if (line.trim() === '') flush(false)
    }
  }
  flush(fence !== '')
  return blocks
}

function expandBlock(text: string, insert: Insert): string {
  let out = ''
  let at = 0
  while (at < text.length) {
    const char = text[at]!
    if (char === '\\') {
      const escaped = directiveAt(text, at + 1)
      // An escaped directive is its own text; any other escape is markdown's business.
      const taken = escaped ? text.slice(at + 1, escaped.end) : text.slice(at, at + 2)
      out += taken
      at = escaped ? escaped.end : at + 2
    } else if (char === '`') {
      const end = codeSpanEnd(text, at)
      out += text.slice(at, end)
      at = end
    } else {
      const found = char === ':' && !/[\p{L}\p{N}_:]$/u.test(lastOf(text, at)) && directiveAt(text, at)
      if (found) {
        out += insert(found.name, found.label) ?? text.slice(at, found.end)
        at = found.end
      } else {
        out += char
        at++
      }
    }
  }
  return out
}

/** The character before a place, whole even when it takes two code units. */
function lastOf(text: string, at: number): string {
  return text.slice(Math.max(0, at - 2), at)
}

/** A run of backticks and all up to the next run of the same length; without one, the run alone. */
function codeSpanEnd(text: string, at: number): number {
  const run = /`+/y
  run.lastIndex = at
  const open = run.exec(text)![0]
  const inner = at + open.length
  for (const match of text.slice(inner).matchAll(/`+/g))
    if (match[0].length === open.length) return inner + match.index + open.length
  return inner
}

interface Directive {
  readonly name: string
  readonly label: string
  readonly end: number
}

function directiveAt(text: string, at: number): Directive | undefined {
  const shape = /:([a-z]+)\[/y
  shape.lastIndex = at
  const match = shape.exec(text)
  if (!match || !directiveNames.has(match[1]!)) return undefined
  const from = at + match[0].length
  let depth = 1
  for (let end = from; end < text.length && text[end] !== '\n'; end++) {
    if (text[end] === '[') depth++
    else if (text[end] === ']' && --depth === 0)
      return { name: match[1]!, label: text.slice(from, end).trim(), end: end + 1 }
  }
  return undefined
}
