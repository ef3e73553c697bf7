// Where does a word of a shell script end, and what is it made of? Texts, quoted ones, and expansions.
import type { Script, Word, WordPart } from './script-shape.ts'
import { endOfEscaped, isSpelled, unescaped } from './unescape.ts'

const plainInQuotes = /[^"\\$`]+/y
const plainOutside = /[^\s;&|()<>"'\\$`]+/y
const variableName = /\$([A-Za-z_]\w*|[\d@*#?$!-])/y

/** Scripts inside scripts that are followed. */
export const maxDepth = 60

export abstract class WordReader {
  protected readonly text: string
  protected at = 0
  protected depth = 0

  constructor(text: string) {
    this.text = text
  }

  /** Reads commands up to the closing sign, or to the end. */
  abstract script(closing: '' | ')' | '}' | '`'): Script

  /** Reads a text of its own as commands. */
  protected abstract scriptIn(text: string): Script

  protected blanks(): void {
    for (;;) {
      const char = this.text[this.at]
      if (char === ' ' || char === '\t' || char === '\r') this.at++
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2
      else if (char === '#' && /^$|[\s;&|()]/.test(this.text[this.at - 1] ?? '')) {
        const end = this.text.indexOf('\n', this.at)
        this.at = end === -1 ? this.text.length : end
      } else return
    }
  }

  protected skip(closing: string): null {
    const end = this.text.indexOf(closing, this.at)
    this.at = end === -1 ? this.text.length : end + closing.length
    return null
  }

  protected word(): Word {
    const at = this.at
    const parts: WordPart[] = []
    while (this.at < this.text.length) {
      const char = this.text[this.at]!
      if (/[\s;&|)]/.test(char)) break
      if (char === '<' || char === '>') {
        if (this.text[this.at + 1] !== '(' || parts.length > 0) break
        this.at += 2
        parts.push({ kind: 'output', script: this.script(')'), isFile: true })
      } else if (char === '(') break
      else if (!this.#part(parts, false)) break
    }
    return { parts, at }
  }

  /** One piece of a word: a quoted text, an expansion, or plain characters. */
  #part(parts: WordPart[], isQuoted: boolean): boolean {
    const text = this.text
    const char = text[this.at]!
    if (char === '\\') {
      if (text[this.at + 1] !== '\n')
        parts.push({
          kind: 'text',
          text:
            isQuoted && !/[$`"\\]/.test(text[this.at + 1] ?? '')
              ? `\\${text[this.at + 1] ?? ''}`
              : (text[this.at + 1] ?? ''),
        })
      this.at += 2
    } else if (char === "'" && !isQuoted) {
      const end = text.indexOf("'", this.at + 1)
      const stop = end === -1 ? text.length : end
      parts.push({ kind: 'text', text: text.slice(this.at + 1, stop) })
      this.at = stop + 1
    } else if (char === '"' && !isQuoted) {
      this.at++
      while (this.at < text.length && text[this.at] !== '"') this.#part(parts, true)
      parts.push({ kind: 'text', text: '' })
      this.at++
    } else if (char === '`') {
      const end = text.indexOf('`', this.at + 1)
      const stop = end === -1 ? text.length : end
      const inner = text.slice(this.at + 1, stop)
      parts.push({
        kind: 'output',
        script: this.depth > maxDepth ? [] : this.scriptIn(inner),
        isFile: false,
      })
      this.at = stop + 1
    } else if (char === '$') this.#expansion(parts, isQuoted)
    else {
      const plain = isQuoted ? plainInQuotes : plainOutside
      plain.lastIndex = this.at
      const found = plain.exec(text)
      if (!found) return false
      parts.push({ kind: 'text', text: found[0] })
      this.at += found[0].length
    }
    return true
  }

  #expansion(parts: WordPart[], isQuoted: boolean): void {
    const text = this.text
    const at = this.at
    if (text.startsWith('$((', at)) {
      this.skip('))')
      // A number, whatever commands it is made of.
      const inner = text.slice(at + 3, this.at - 2)
      if (/[$`]/.test(inner) && this.depth <= maxDepth)
        parts.push({ kind: 'output', script: this.scriptIn(`: "${inner}"`), isFile: false })
      parts.push({ kind: 'text', text: '0' })
    } else if (text.startsWith('$(', at)) {
      this.at += 2
      parts.push({ kind: 'output', script: this.script(')'), isFile: false })
    } else if (text.startsWith('${', at)) {
      const end = closingBrace(text, at + 2)
      const [, name = '', rest = ''] =
        /^([#!]?(?:[A-Za-z_]\w*|\d+|[@*?#$!-]))(.*)$/s.exec(text.slice(at + 2, end)) ?? []
      parts.push({ kind: 'variable', name, rest, isQuoted, at })
      this.at = end + 1
    } else if (text.startsWith("$'", at)) {
      const end = endOfEscaped(text, at + 2)
      const inner = text.slice(at + 2, end)
      parts.push({ kind: 'text', text: unescaped(inner), isSpelled: isSpelled(inner) })
      this.at = end + 1
    } else {
      variableName.lastIndex = at
      const found = variableName.exec(text)
      parts.push(
        found ? { kind: 'variable', name: found[1]!, rest: '', isQuoted, at } : { kind: 'text', text: '$' },
      )
      this.at += found ? found[0].length : 1
    }
  }

  /** All of the text as one word, as between double quotes. */
  whole(): WordPart[] {
    const parts: WordPart[] = []
    while (this.at < this.text.length)
      if (!this.#part(parts, true)) {
        parts.push({ kind: 'text', text: this.text[this.at]! })
        this.at++
      }
    return parts
  }
}

function closingBrace(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return text.length
}
