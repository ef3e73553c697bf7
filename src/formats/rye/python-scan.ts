// Finds the logical lines of a Python file. Metadata lives at module level, so no grammar need see function
// bodies; brackets, strings and indentation are judged here, exactly as Python's own tokenizer does.
import { endOfString } from './python-strings.ts'

export interface PythonFault {
  readonly from: number
  readonly message: string
}

/** A logical line that is not indented, its line end included. */
export interface ModuleLine {
  readonly from: number
  readonly to: number
  readonly opensBlock: boolean
}

export interface PythonScan {
  readonly lines: readonly ModuleLine[]
  /** The indented blocks, each from its first statement past its last one. */
  readonly bodies: readonly { readonly from: number; readonly to: number }[]
  /** Names that an indented line of a module-level `if`, `try`, `for`, `while` or `with` assigns, with offsets. */
  readonly conditional: readonly { readonly name: string; readonly from: number }[]
  readonly fault: PythonFault | null
  /** Where the text ends, or the line with the fault starts. */
  readonly end: number
}

/** CPython refuses more. */
const maxBrackets = 200
const assigns = /^([A-Za-z_]\w*)\s*(?::[^=\n]*)?(?:=(?!=)|[-+*/%&|^@]=|\/\/=|\*\*=|<<=|>>=|[.[])/
const definition = /(?:async\s+def|def|class)\b/y

export function scanPython(text: string): PythonScan {
  const lines: ModuleLine[] = []
  const bodies: { from: number; to: number }[] = []
  const conditional: { name: string; from: number }[] = []
  const indents = [0]
  let at = 0
  let opensBlock = false
  let inDefinition = false
  let body: { from: number; to: number } | null = null

  function result(fault: PythonFault | null, end = text.length): PythonScan {
    return { lines, bodies, conditional, fault, end }
  }

  while (at < text.length) {
    const first = firstOfLine(text, at)
    if (isLineEnd(text, first.from) || text[first.from] === '#') {
      at = nextLine(text, first.from)
      continue
    }
    if (first.width > indents.at(-1)!) {
      if (!opensBlock) return result({ from: first.from, message: 'unexpected indent' }, first.from)
      indents.push(first.width)
    } else {
      if (opensBlock) return result({ from: first.from, message: 'expected an indented block' }, first.from)
      while (first.width < indents.at(-1)!) indents.pop()
      if (first.width !== indents.at(-1))
        return result(
          { from: first.from, message: 'unindent does not match any outer indentation level' },
          first.from,
        )
    }
    const line = logicalLine(text, first.from)
    if ('fault' in line) return result(line.fault, first.from)
    opensBlock = line.opensBlock
    if (first.width === 0) {
      lines.push({ from: first.from, to: line.to, opensBlock })
      body = null
      definition.lastIndex = first.from
      inDefinition = opensBlock && definition.test(text)
    } else {
      if (body) body.to = line.to
      else {
        body = { from: first.from, to: line.to }
        bodies.push(body)
      }
      if (!inDefinition) {
        const match = assigns.exec(text.slice(first.from, Math.min(line.to, first.from + 200)))
        if (match) conditional.push({ name: match[1]!, from: first.from })
      }
    }
    at = line.to
  }
  return result(opensBlock ? { from: text.length, message: 'expected an indented block' } : null)
}

function firstOfLine(text: string, start: number): { from: number; width: number } {
  let width = 0
  let from = start
  for (; ; from++) {
    const char = text[from]
    if (char === ' ') width++
    else if (char === '\t') width = (width >> 3) * 8 + 8
    else if (char === '\f') width = 0
    else return { from, width }
  }
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '\r'
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

const closers: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}' }

/** The end of the logical line that starts at `from`, past its line end. */
function logicalLine(
  text: string,
  from: number,
): { to: number; opensBlock: boolean } | { fault: PythonFault } {
  const open: { char: string; from: number }[] = []
  let last = ''
  let at = from
  while (at < text.length) {
    const char = text[at]!
    if (char === '\n') {
      at++
      if (open.length === 0) return { to: at, opensBlock: last === ':' }
    } else if (char === ' ' || char === '\t' || char === '\r' || char === '\f') {
      at++
    } else if (char === '#') {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else if (char === '\\') {
      at = nextLine(text, at)
    } else if (char === '"' || char === "'") {
      const end = endOfString(text, at)
      if (end === -1) return { fault: { from: at, message: 'unterminated string' } }
      at = end
      last = char
    } else if (char === '(' || char === '[' || char === '{') {
      open.push({ char, from: at })
      if (open.length > maxBrackets) return { fault: { from: at, message: 'too many nested brackets' } }
      at++
      last = char
    } else if (char === ')' || char === ']' || char === '}') {
      const opener = open.pop()
      if (!opener) return { fault: { from: at, message: `unmatched '${char}'` } }
      if (closers[opener.char] !== char)
        return { fault: { from: at, message: `'${char}' does not match '${opener.char}'` } }
      at++
      last = char
    } else {
      at++
      last = char
    }
  }
  const unclosed = open[0]
  if (unclosed) return { fault: { from: unclosed.from, message: `'${unclosed.char}' was never closed` } }
  return { to: at, opensBlock: last === ':' }
}
