// The tokens of Python code, lines and indentation included. In brackets a line end is a blank.
import { endOfString } from '../../../formats/rye/python-strings.ts'

export type TokenKind = 'end' | 'line' | 'indent' | 'dedent' | 'name' | 'number' | 'string' | 'sign'

export interface Token {
  readonly kind: TokenKind
  /** Of names and signs; empty for what is read from the source. */
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Something that no Python known here has. */
export class PythonSyntaxFault extends Error {
  readonly at: number

  constructor(at: number) {
    super('syntax that is not known')
    this.at = at
  }
}

const word = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy
const number =
  /(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][+-]?\d[\d_]*)?)[jJlL]?/y
const sign =
  /\*\*=|\/\/=|<<=|>>=|\.\.\.|[-+*/%&|^@:=<>!]=|->|\*\*|\/\/|<<|>>|<>|[-+*/%@&|^~<>()[\]{},:.;=`!$?]/y
/** Signs that begin no longer one, or do so before these only. */
const plainSign = /[()[\]{},;~`$?]|\.(?!\.)|[=:](?!=)/y
const stringPrefix = /^[a-zA-Z]{1,2}$/

/** The tokens between two offsets; `isWhole`: a file with lines, not an expression inside a text. */
export function pythonTokens(text: string, from = 0, to = text.length, isWhole = true): Token[] {
  const tokens: Token[] = []
  const add = (kind: TokenKind, start: number, end: number, own = '') =>
    tokens.push({ kind, text: own, from: start, to: end })
  const indents = [0]
  let depth = isWhole ? 0 : 1
  let isLineStart = isWhole
  let at = from
  while (at < to) {
    if (isLineStart) {
      const first = firstOfLine(text, at)
      at = first.at
      const char = text.charCodeAt(at)
      if (at >= to) break
      if (char === 35 || char === 10 || char === 13) {
        at = afterLine(text, at)
        continue
      }
      isLineStart = false
      if (first.width > indents.at(-1)!) {
        indents.push(first.width)
        add('indent', at, at)
      }
      while (first.width < indents.at(-1)!) {
        indents.pop()
        add('dedent', at, at)
      }
    }
    const char = text.charCodeAt(at)
    if (char === 32 || char === 9 || char === 12 || char === 13) at++
    else if (char === 10) {
      if (depth === 0) {
        add('line', at, at + 1)
        isLineStart = true
      }
      at++
    } else if (char === 35) at = Math.min(to, endOfLine(text, at))
    else if (char === 92) at = afterLine(text, at)
    else if (char === 34 || char === 39) at = string(at, at)
    else if (isWordStart(char)) {
      const end = endOfWord(text, at)
      const next = text.charCodeAt(end)
      if ((next === 34 || next === 39) && stringPrefix.test(text.slice(at, end))) at = string(at, end)
      else {
        if (end === at) throw new PythonSyntaxFault(at)
        add('name', at, end, nameAt(text, at, end))
        at = end
      }
    } else if ((char >= 48 && char <= 57) || (char === 46 && isDigit(text.charCodeAt(at + 1)))) {
      number.lastIndex = at
      number.test(text)
      const end = Math.max(at + 1, number.lastIndex)
      add('number', at, end)
      at = end
    } else {
      const found = signAt(text, at)
      if (found === '(' || found === '[' || found === '{') depth++
      else if (found === ')' || found === ']' || found === '}') depth = Math.max(isWhole ? 0 : 1, depth - 1)
      add('sign', at, at + found.length, found)
      at += found.length
    }
  }
  if (isWhole) {
    add('line', to, to)
    for (let left = indents.length; left > 1; left--) add('dedent', to, to)
  }
  add('end', to, to)
  return tokens

  function string(start: number, quote: number): number {
    const end = endOfString(text, quote)
    if (end === -1 || end > to) throw new PythonSyntaxFault(start)
    add('string', start, end)
    return end
  }
}

function signAt(text: string, at: number): string {
  plainSign.lastIndex = at
  if (plainSign.test(text)) return text[at]!
  sign.lastIndex = at
  const found = sign.exec(text)
  if (!found) throw new PythonSyntaxFault(at)
  return found[0]
}

function firstOfLine(text: string, start: number): { readonly at: number; readonly width: number } {
  let width = 0
  for (let at = start; ; at++) {
    const char = text.charCodeAt(at)
    if (char === 32) width++
    else if (char === 9) width = (width >> 3) * 8 + 8
    else if (char === 12) width = 0
    else return { at, width }
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function afterLine(text: string, at: number): number {
  return endOfLine(text, at) + 1
}

function isDigit(char: number): boolean {
  return char >= 48 && char <= 57
}

function isWordStart(char: number): boolean {
  return (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || char === 95 || char > 127
}

function endOfWord(text: string, at: number): number {
  for (let end = at; ; end++) {
    const char = text.charCodeAt(end)
    if (isWordStart(char) && char <= 127) continue
    if (isDigit(char)) continue
    if (!(char > 127)) return end
    word.lastIndex = at
    return word.test(text) ? word.lastIndex : at
  }
}

/** Python takes names in their compatibility form: `𝐨𝐬` is `os`. */
function nameAt(text: string, from: number, to: number): string {
  const name = text.slice(from, to)
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 127) return name.normalize('NFKC')
  return name
}
