// Reads plain Python token by token. Whatever could be taken in two ways is thrown back as `notPlain`.
import { type PythonNode, pythonNode } from './python-node.ts'

export const notPlain = new Error('This file needs the full grammar.')

/** Words that are no plain names, or not everywhere. */
const reserved = new Set(
  (
    'and as assert async await break case class continue def del elif else except exec False finally for from ' +
    'global if import in is lambda match None nonlocal not or pass print raise return True try type while with yield'
  ).split(' '),
)
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y

export class PlainPythonTokens {
  at = 0
  readonly #text: string
  /** Open brackets; inside them a line end is a blank. */
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The character that the next token starts with; empty at the end of the text. */
  next(): string {
    const text = this.#text
    for (;;) {
      const char = text[this.at]
      if (char === ' ' || (char === '\n' && this.#depth > 0)) this.at++
      else if (char === '#' && this.#depth > 0) this.#skipComment()
      else return char ?? ''
    }
  }

  /** The word that comes next; empty when no word does. */
  nextWord(): string {
    this.next()
    word.lastIndex = this.at
    return word.test(this.#text) ? this.#text.slice(this.at, word.lastIndex) : ''
  }

  /** True when the next token starts with `sign`. */
  follows(sign: string): boolean {
    return this.next() === sign[0] && this.#text.startsWith(sign, this.at)
  }

  sign(sign: string, name = sign): PythonNode {
    if (!this.follows(sign)) throw notPlain
    const from = this.at
    this.at += sign.length
    return pythonNode(name, from, this.at)
  }

  keyword(wanted: string): PythonNode {
    if (this.nextWord() !== wanted) throw notPlain
    return this.sign(wanted)
  }

  name(kind = 'VariableName'): PythonNode {
    const found = this.nextWord()
    if (found === '' || reserved.has(found)) throw notPlain
    return this.sign(found, kind)
  }

  number(): PythonNode {
    this.next()
    const from = this.at
    number.lastIndex = from
    if (!number.test(this.#text)) throw notPlain
    this.at = number.lastIndex
    return pythonNode('Number', from, this.at)
  }

  /** True before a string, raw or not, but neither bytes nor a format. */
  startsString(): boolean {
    const char = this.next()
    return isQuote(char) || ((char === 'r' || char === 'R') && isQuote(this.#text[this.at + 1]))
  }

  string(): PythonNode {
    const text = this.#text
    const first = isQuote(this.next()) ? this.at : this.at + 1
    const mark = text[first]
    const isLong = text[first + 1] === mark && text[first + 2] === mark
    let i = first + (isLong ? 3 : 1)
    for (; ; i++) {
      const char = text[i]
      if (char === mark) {
        if (!isLong) break
        if (text[i + 1] === mark && text[i + 2] === mark) break
      } else if (char === '\\') {
        // The end of a named character is found in different ways.
        if (text[++i] === 'N') throw notPlain
      } else if (char === undefined || (char === '\n' && !isLong)) throw notPlain
    }
    const from = this.at
    this.at = i + (isLong ? 3 : 1)
    return pythonNode('String', from, this.at)
  }

  open(bracket: string): PythonNode {
    const node = this.sign(bracket)
    this.#depth++
    return node
  }

  close(bracket: string): PythonNode {
    const node = this.sign(bracket)
    this.#depth--
    return node
  }

  /** Nothing but a comment may follow up to `to`, where the next line starts. */
  endLine(to: number): void {
    if (this.next() === '#') this.#skipComment()
    if (this.#text[this.at] === '\n') this.at++
    if (this.at !== to) throw notPlain
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.at)
    this.at = end === -1 ? this.#text.length : end
  }
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'"
}
