// A shell script as data: pipelines of commands, their words and redirections. A reader of our own: it knows what
// matters for what a script touches, and takes keywords of control as mere separators.

export type WordPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `$name`, `${name…}`; `rest` is what stands behind the name. */
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly rest: string
      readonly isQuoted: boolean
      readonly at: number
    }
  /** `$(…)` and backquotes; `<(…)` is one that is read as a file. */
  | { readonly kind: 'output'; readonly script: Script; readonly isFile: boolean }

export interface Word {
  readonly parts: readonly WordPart[]
  readonly at: number
}

export interface Redirection {
  /** `<`, `>`, `>>`, `<>`, `<<` for a text, `<<<` for a word. */
  readonly sign: string
  readonly target: Word
}

export interface Command {
  readonly at: number
  readonly assigned: readonly {
    readonly name: string
    readonly values: readonly Word[]
    readonly isMore: boolean
    readonly at: number
  }[]
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
  /** Commands in brackets or braces, whose output and redirections count together. */
  readonly group?: Script
  /** The name of a function that is defined here; its commands follow as if they ran here. */
  readonly defines?: string
  /** `for name in words` */
  readonly loop?: { readonly name: string; readonly words: readonly Word[] }
}

export type Pipeline = readonly Command[]
export type Script = readonly Pipeline[]

const keywords = new Set('if then elif else fi do done while until time ! coproc esac'.split(' '))
const deepest = 60

export function readShellScript(text: string): Script {
  return new ShellReader(text).script('')
}

class ShellReader {
  readonly #text: string
  #at = 0
  #depth = 0
  #heredocs: {
    readonly end: string
    readonly isPlain: boolean
    readonly isTabbed: boolean
    readonly give: (parts: WordPart[]) => void
  }[] = []

  constructor(text: string, at = 0) {
    this.#text = text
    this.#at = at
  }

  /** Reads up to the closing sign, or to the end. */
  script(closing: '' | ')' | '}' | '`'): Script {
    const pipelines: Pipeline[] = []
    if (this.#depth++ > deepest) this.#at = this.#text.length
    let commands: Command[] = []
    const end = () => {
      if (commands.length > 0) pipelines.push(commands)
      commands = []
    }
    while (this.#at < this.#text.length) {
      this.#blanks()
      const char = this.#text[this.#at]
      if (char === undefined) break
      if (closing !== '' && char === closing && (closing !== '}' || this.#isCommandStart())) {
        this.#at++
        break
      }
      if (char === '\n') {
        this.#at++
        this.#takeHeredocs()
        end()
      } else if (char === ';' || char === '&' || (char === '|' && this.#text[this.#at + 1] === '|')) {
        while (/[;&|]/.test(this.#text[this.#at] ?? '')) this.#at++
        end()
      } else if (char === '|') this.#at += this.#text[this.#at + 1] === '&' ? 2 : 1
      else if (char === ')') this.#at++
      else {
        const before = this.#at
        const command = this.#command()
        if (command) commands.push(command)
        if (this.#at === before) this.#at++
      }
    }
    end()
    this.#depth--
    return pipelines
  }

  #isCommandStart(): boolean {
    return /(?:^|[;&\n{}|]\s*|\s)$/.test(this.#text.slice(Math.max(0, this.#at - 3), this.#at))
  }

  #blanks(): void {
    for (;;) {
      const char = this.#text[this.#at]
      if (char === ' ' || char === '\t' || char === '\r') this.#at++
      else if (char === '\\' && this.#text[this.#at + 1] === '\n') this.#at += 2
      else if (char === '#' && /^$|[\s;&|()]/.test(this.#text[this.#at - 1] ?? '')) {
        const end = this.#text.indexOf('\n', this.#at)
        this.#at = end === -1 ? this.#text.length : end
      } else return
    }
  }

  #command(): Command | null {
    const at = this.#at
    const char = this.#text[at]
    if (this.#text.startsWith('((', at)) return this.#skip('))')
    if (char === '(') return this.#grouped(')')
    if (char === '{' && /\s/.test(this.#text[at + 1] ?? '')) return this.#grouped('}')
    if (this.#text.startsWith('[[', at)) return this.#condition()
    const word = /[\w!]+(?=\s|;|$)/y
    word.lastIndex = at
    const keyword = word.exec(this.#text)?.[0]
    if (keyword !== undefined && keywords.has(keyword)) {
      this.#at += keyword.length
      return null
    }
    if (keyword === 'for' || keyword === 'select') return this.#loop(keyword)
    if (keyword === 'case') return this.#case()
    if (keyword === 'function') {
      this.#at += 8
      this.#blanks()
      const defines = plainText(this.#word())
      this.#skipBrackets()
      return { at, assigned: [], words: [], redirections: [], defines }
    }
    const defined = /([\w:.-]+)[ \t]*\(\)/y
    defined.lastIndex = at
    const definition = defined.exec(this.#text)
    if (definition) {
      this.#at += definition[0].length
      return { at, assigned: [], words: [], redirections: [], defines: definition[1]! }
    }
    return this.#simple()
  }

  #skip(closing: string): null {
    const end = this.#text.indexOf(closing, this.#at)
    this.#at = end === -1 ? this.#text.length : end + closing.length
    return null
  }

  #skipBrackets(): void {
    this.#blanks()
    if (this.#text.startsWith('()', this.#at)) this.#at += 2
  }

  #grouped(closing: ')' | '}'): Command {
    const at = this.#at++
    const group = this.script(closing)
    return { at, assigned: [], words: [], redirections: this.#redirections(), group }
  }

  #redirections(): Redirection[] {
    const found: Redirection[] = []
    for (;;) {
      this.#blanks()
      const redirection = this.#redirection()
      if (!redirection) return found
      found.push(...redirection)
    }
  }

  /** Only what stands in `$(…)` matters of a condition. */
  #condition(): Command {
    const at = this.#at
    const words: Word[] = [{ parts: [{ kind: 'text', text: '[[' }], at }]
    this.#at += 2
    while (this.#at < this.#text.length && !this.#text.startsWith(']]', this.#at)) {
      this.#blanks()
      const char = this.#text[this.#at] ?? ''
      if (this.#text.startsWith(']]', this.#at)) break
      if (/[<>&|()\n!=~]/.test(char)) this.#at++
      else {
        const before = this.#at
        words.push(this.#word())
        if (this.#at === before) this.#at++
      }
    }
    this.#at += 2
    return { at, assigned: [], words, redirections: [] }
  }

  #loop(keyword: string): Command | null {
    const at = this.#at
    this.#at += keyword.length
    this.#blanks()
    if (this.#text.startsWith('((', this.#at)) return this.#skip('))')
    const name = this.#plainWord()
    this.#blanks()
    const words: Word[] = []
    if (/^in\b/.test(this.#text.slice(this.#at, this.#at + 3))) {
      this.#at += 2
      for (;;) {
        this.#blanks()
        if (/[\n;]|^$/.test(this.#text[this.#at] ?? '')) break
        const before = this.#at
        words.push(this.#word())
        if (this.#at === before) break
      }
    }
    return { at, assigned: [], words: [], redirections: [], loop: { name, words } }
  }

  #plainWord(): string {
    const found = /[\w-]*/y
    found.lastIndex = this.#at
    const name = found.exec(this.#text)?.[0] ?? ''
    this.#at += name.length
    return name
  }

  /** `case word in pattern) commands ;; … esac` as one group. */
  #case(): Command {
    const at = this.#at
    this.#at += 4
    this.#blanks()
    const subject = this.#word()
    const inside = /\s*in\b/y
    inside.lastIndex = this.#at
    this.#at += inside.exec(this.#text)?.[0].length ?? 0
    const group: Pipeline[] = []
    while (this.#at < this.#text.length) {
      const space = /(?:\s|#[^\n]*\n|;)*/y
      space.lastIndex = this.#at
      this.#at += space.exec(this.#text)![0].length
      if (/^esac\b/.test(this.#text.slice(this.#at, this.#at + 5))) {
        this.#at += 4
        break
      }
      const pattern = /[^)\n]*\)/y
      pattern.lastIndex = this.#at
      const found = pattern.exec(this.#text)
      if (!found) break
      this.#at += found[0].length
      group.push(...this.#branch())
    }
    return {
      at,
      assigned: [],
      words: [{ parts: [{ kind: 'text', text: ':' }], at }, subject],
      redirections: [],
      group,
    }
  }

  /** The commands up to `;;` or `esac`. */
  #branch(): Script {
    const pipelines: Pipeline[] = []
    let commands: Command[] = []
    while (this.#at < this.#text.length) {
      this.#blanks()
      const char = this.#text[this.#at]
      const isEnd = this.#text.startsWith(';;', this.#at) || this.#text.startsWith(';&', this.#at)
      if (char === undefined || isEnd || /^esac\b/.test(this.#text.slice(this.#at, this.#at + 5))) break
      if (/[;&\n]/.test(char) || (char === '|' && this.#text[this.#at + 1] === '|')) {
        this.#at += char === '|' || this.#text[this.#at + 1] === '&' ? 2 : 1
        if (char === '\n') this.#takeHeredocs()
        if (commands.length > 0) pipelines.push(commands)
        commands = []
      } else if (char === '|' || char === ')' || char === '}') this.#at++
      else {
        const before = this.#at
        const command = this.#command()
        if (command) commands.push(command)
        if (this.#at === before) this.#at++
      }
    }
    if (commands.length > 0) pipelines.push(commands)
    return pipelines
  }

  #simple(): Command {
    const at = this.#at
    const assigned: Command['assigned'][number][] = []
    const words: Word[] = []
    const redirections: Redirection[] = []
    for (;;) {
      this.#blanks()
      const char = this.#text[this.#at]
      if (char === undefined || /[\n;|)]/.test(char) || (char === '&' && this.#text[this.#at + 1] !== '>'))
        break
      const redirection = this.#redirection()
      if (redirection) {
        redirections.push(...redirection)
        continue
      }
      if (words.length === 0 || /^(?:export|local|declare|readonly|typeset)$/.test(plainText(words[0]!))) {
        const assignment = this.#assignment()
        if (assignment) {
          assigned.push(assignment)
          continue
        }
      }
      if (char === '(' || (/[<>]/.test(char) && this.#text[this.#at + 1] !== '(')) break
      const before = this.#at
      words.push(this.#word())
      if (this.#at === before) break
    }
    return { at, assigned, words, redirections }
  }

  #assignment(): Command['assigned'][number] | null {
    const head = /([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?)=/y
    head.lastIndex = this.#at
    const found = head.exec(this.#text)
    if (!found) return null
    const at = this.#at
    this.#at += found[0].length
    const values: Word[] = []
    if (this.#text[this.#at] === '(') {
      this.#at++
      while (this.#at < this.#text.length && this.#text[this.#at] !== ')') {
        const before = this.#at
        this.#blanks()
        if (this.#text[this.#at] === '\n') this.#at++
        else if (this.#text[this.#at] !== ')') values.push(this.#word())
        if (this.#at === before) this.#at++
      }
      this.#at++
    } else values.push(this.#word())
    return { name: found[1]!, values, isMore: found[2] === '+', at }
  }

  #redirection(): Redirection[] | null {
    const sign = /(?:\d+|&|\{\w+\})?(<<<|<<-?|<>|>>|>\||<&|>&|<(?!\()|>(?!\())/y
    sign.lastIndex = this.#at
    const found = sign.exec(this.#text)
    if (!found) return null
    this.#at += found[0].length
    const kind = found[1]!
    this.#blanks()
    if (kind === '<<' || kind === '<<-') return [this.#heredoc(kind === '<<-')]
    const target = this.#word()
    if (kind === '>&' || kind === '<&')
      return /^[\d-]*$/.test(plainText(target)) ? [] : [{ sign: '>', target }]
    return [{ sign: kind === '>|' ? '>' : kind, target }]
  }

  #heredoc(isTabbed: boolean): Redirection {
    const raw = this.#at
    const end = plainText(this.#word())
    const isPlain = /['"\\]/.test(this.#text.slice(raw, this.#at))
    const parts: WordPart[] = []
    this.#heredocs.push({ end, isPlain, isTabbed, give: (found) => parts.push(...found) })
    return { sign: '<<', target: { parts, at: raw } }
  }

  /** The texts that were announced in the line that just ended. */
  #takeHeredocs(): void {
    for (const { end, isPlain, isTabbed, give } of this.#heredocs) {
      const lines: string[] = []
      const start = this.#at
      while (this.#at < this.#text.length) {
        const lineEnd = this.#text.indexOf('\n', this.#at)
        const stop = lineEnd === -1 ? this.#text.length : lineEnd
        const line = this.#text.slice(this.#at, stop)
        this.#at = Math.min(this.#text.length, stop + 1)
        if ((isTabbed ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      const text = lines.join('\n')
      give(isPlain ? [{ kind: 'text', text }] : expandable(text, start))
    }
    this.#heredocs = []
  }

  #word(): Word {
    const at = this.#at
    const parts: WordPart[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!
      if (/[\s;&|)]/.test(char)) break
      if (char === '<' || char === '>') {
        if (this.#text[this.#at + 1] !== '(' || parts.length > 0) break
        this.#at += 2
        parts.push({ kind: 'output', script: this.script(')'), isFile: true })
      } else if (char === '(') break
      else if (!this.#part(parts, false)) break
    }
    return { parts, at }
  }

  /** One piece of a word: a quoted text, an expansion, or plain characters. */
  #part(parts: WordPart[], isQuoted: boolean): boolean {
    const text = this.#text
    const char = text[this.#at]!
    if (char === '\\') {
      if (text[this.#at + 1] !== '\n')
        parts.push({
          kind: 'text',
          text:
            isQuoted && !/[$`"\\]/.test(text[this.#at + 1] ?? '')
              ? `\\${text[this.#at + 1] ?? ''}`
              : (text[this.#at + 1] ?? ''),
        })
      this.#at += 2
    } else if (char === "'" && !isQuoted) {
      const end = text.indexOf("'", this.#at + 1)
      const stop = end === -1 ? text.length : end
      parts.push({ kind: 'text', text: text.slice(this.#at + 1, stop) })
      this.#at = stop + 1
    } else if (char === '"' && !isQuoted) {
      this.#at++
      while (this.#at < text.length && text[this.#at] !== '"') this.#part(parts, true)
      parts.push({ kind: 'text', text: '' })
      this.#at++
    } else if (char === '`') {
      const end = text.indexOf('`', this.#at + 1)
      const stop = end === -1 ? text.length : end
      const inner = text.slice(this.#at + 1, stop)
      parts.push({
        kind: 'output',
        script: this.#depth > deepest ? [] : readShellScript(inner),
        isFile: false,
      })
      this.#at = stop + 1
    } else if (char === '$') this.#expansion(parts, isQuoted)
    else {
      const plain = isQuoted ? /[^"\\$`]+/y : /[^\s;&|()<>"'\\$`]+/y
      plain.lastIndex = this.#at
      const found = plain.exec(text)
      if (!found) return false
      parts.push({ kind: 'text', text: found[0] })
      this.#at += found[0].length
    }
    return true
  }

  #expansion(parts: WordPart[], isQuoted: boolean): void {
    const text = this.#text
    const at = this.#at
    if (text.startsWith('$((', at)) {
      this.#skip('))')
      parts.push({ kind: 'text', text: '0' })
    } else if (text.startsWith('$(', at)) {
      this.#at += 2
      parts.push({ kind: 'output', script: this.script(')'), isFile: false })
    } else if (text.startsWith('${', at)) {
      const end = closingBrace(text, at + 2)
      const [, name = '', rest = ''] = /^([#!]?[\w@*?#$!-]+)(.*)$/s.exec(text.slice(at + 2, end)) ?? []
      parts.push({ kind: 'variable', name, rest, isQuoted, at })
      this.#at = end + 1
    } else if (text.startsWith("$'", at)) {
      const end = endOfEscaped(text, at + 2)
      parts.push({ kind: 'text', text: unescaped(text.slice(at + 2, end)) })
      this.#at = end + 1
    } else {
      const name = /\$([A-Za-z_]\w*|[\d@*#?$!-])/y
      name.lastIndex = at
      const found = name.exec(text)
      parts.push(
        found ? { kind: 'variable', name: found[1]!, rest: '', isQuoted, at } : { kind: 'text', text: '$' },
      )
      this.#at += found ? found[0].length : 1
    }
  }

  /** All of the text as one word, as between double quotes. */
  whole(): WordPart[] {
    const parts: WordPart[] = []
    while (this.#at < this.#text.length)
      if (!this.#part(parts, true)) {
        parts.push({ kind: 'text', text: this.#text[this.#at]! })
        this.#at++
      }
    return parts
  }
}

/** The parts of a text in which `$` counts and quotes do not. */
export function expandable(text: string, at = 0): WordPart[] {
  const parts = new ShellReader(text).whole()
  return at === 0
    ? parts
    : parts.map((part) => (part.kind === 'variable' ? { ...part, at: part.at + at } : part))
}

export function plainText({ parts }: Word): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
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

function endOfEscaped(text: string, from: number): number {
  for (let at = from; at < text.length; at++)
    if (text[at] === '\\') at++
    else if (text[at] === "'") return at
  return text.length
}

const escapes: { readonly [char: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
}

/** `\x41`, `\101`, `\n` of `$'…'`, `printf` and `echo -e`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([\s\S]))/g,
    (_, hex, wide, octal, char) => {
      if (hex ?? wide) return String.fromCharCode(Number.parseInt(hex ?? wide, 16))
      return octal ? String.fromCharCode(Number.parseInt(octal, 8)) : (escapes[char] ?? char)
    },
  )
}
