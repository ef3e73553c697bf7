// Reads a shell script as data. A reader of our own: it knows what matters for what a script touches, and takes keywords
// of control as mere separators.
import {
  type Command,
  type Pipeline,
  plainText,
  type Redirection,
  type Script,
  type Word,
  type WordPart,
} from './script-shape.ts'
import { maxDepth, WordReader } from './word-reader.ts'

const keywordLike = /[\w!]+(?=\s|;|$)/y
const definitionHead = /([\w:.-]+)[ \t]*\(\)/y
const assignmentHead = /([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?)=/y
const redirectionSign = /(?:\d+|&|\{\w+\})?(<<<|<<-?|<>|>>|>\||<&|>&|<(?!\()|>(?!\())/y
const declaring = new Set(['export', 'local', 'declare', 'readonly', 'typeset'])
const keywords = new Set('if then elif else fi do done while until time ! coproc esac'.split(' '))

export function readShellScript(text: string): Script {
  return new ShellReader(text).script('')
}

class ShellReader extends WordReader {
  #heredocs: {
    readonly end: string
    readonly isPlain: boolean
    readonly isTabbed: boolean
    readonly give: (parts: WordPart[]) => void
  }[] = []

  /** Reads up to the closing sign, or to the end. */
  script(closing: '' | ')' | '}' | '`'): Script {
    const pipelines: Pipeline[] = []
    if (this.depth++ > maxDepth) this.at = this.text.length
    let commands: Command[] = []
    const end = () => {
      if (commands.length > 0) pipelines.push(commands)
      commands = []
    }
    while (this.at < this.text.length) {
      this.blanks()
      const char = this.text[this.at]
      if (char === undefined) break
      if (closing !== '' && char === closing && (closing !== '}' || this.#isCommandStart())) {
        this.at++
        break
      }
      if (char === '\n') {
        this.at++
        this.#takeHeredocs()
        end()
      } else if (char === ';' || char === '&' || (char === '|' && this.text[this.at + 1] === '|')) {
        while (/[;&|]/.test(this.text[this.at] ?? '')) this.at++
        end()
      } else if (char === '|') this.at += this.text[this.at + 1] === '&' ? 2 : 1
      else if (char === ')') this.at++
      else {
        const before = this.at
        const command = this.#command()
        if (command) commands.push(command)
        if (this.at === before) this.at++
      }
    }
    end()
    this.depth--
    return pipelines
  }

  protected scriptIn(text: string): Script {
    return readShellScript(text)
  }

  #isCommandStart(): boolean {
    return /(?:^|[;&\n{}|]\s*|\s)$/.test(this.text.slice(Math.max(0, this.at - 3), this.at))
  }

  #command(): Command | null {
    const at = this.at
    const char = this.text[at]
    if (this.text.startsWith('((', at)) return this.skip('))')
    if (char === '(') return this.#grouped(')')
    if (char === '{' && /\s/.test(this.text[at + 1] ?? '')) return this.#grouped('}')
    if (this.text.startsWith('[[', at)) return this.#condition()
    keywordLike.lastIndex = at
    const keyword = keywordLike.exec(this.text)?.[0]
    if (keyword !== undefined && keywords.has(keyword)) {
      this.at += keyword.length
      return null
    }
    if (keyword === 'for' || keyword === 'select') return this.#loop(keyword)
    if (keyword === 'case') return this.#case()
    if (keyword === 'function') {
      this.at += 8
      this.blanks()
      const defines = plainText(this.word())
      this.#skipBrackets()
      return { at, assigned: [], words: [], redirections: [], defines }
    }
    definitionHead.lastIndex = at
    const definition = definitionHead.exec(this.text)
    if (definition) {
      this.at += definition[0].length
      return { at, assigned: [], words: [], redirections: [], defines: definition[1]! }
    }
    return this.#simple()
  }

  #skipBrackets(): void {
    this.blanks()
    if (this.text.startsWith('()', this.at)) this.at += 2
  }

  #grouped(closing: ')' | '}'): Command {
    const at = this.at++
    const group = this.script(closing)
    return { at, assigned: [], words: [], redirections: this.#redirections(), group }
  }

  #redirections(): Redirection[] {
    const found: Redirection[] = []
    for (;;) {
      this.blanks()
      const redirection = this.#redirection()
      if (!redirection) return found
      found.push(...redirection)
    }
  }

  /** Only what stands in `$(…)` matters of a condition. */
  #condition(): Command {
    const at = this.at
    const words: Word[] = [{ parts: [{ kind: 'text', text: '[[' }], at }]
    this.at += 2
    while (this.at < this.text.length && !this.text.startsWith(']]', this.at)) {
      this.blanks()
      const char = this.text[this.at] ?? ''
      if (this.text.startsWith(']]', this.at)) break
      if (/[<>&|()\n!=~]/.test(char)) this.at++
      else {
        const before = this.at
        words.push(this.word())
        if (this.at === before) this.at++
      }
    }
    this.at += 2
    return { at, assigned: [], words, redirections: [] }
  }

  #loop(keyword: string): Command | null {
    const at = this.at
    this.at += keyword.length
    this.blanks()
    if (this.text.startsWith('((', this.at)) {
      const name = /^\(\(\s*([A-Za-z_]\w*)\s*=/.exec(this.text.slice(this.at, this.at + 80))?.[1]
      this.skip('))')
      return name === undefined
        ? null
        : { at, assigned: [], words: [], redirections: [], loop: { name, words: [] } }
    }
    const name = this.#plainWord()
    this.blanks()
    const words: Word[] = []
    if (/^in\b/.test(this.text.slice(this.at, this.at + 3))) {
      this.at += 2
      for (;;) {
        this.blanks()
        if (/[\n;]|^$/.test(this.text[this.at] ?? '')) break
        const before = this.at
        words.push(this.word())
        if (this.at === before) break
      }
    }
    return { at, assigned: [], words: [], redirections: [], loop: { name, words } }
  }

  #plainWord(): string {
    const found = /[\w-]*/y
    found.lastIndex = this.at
    const name = found.exec(this.text)?.[0] ?? ''
    this.at += name.length
    return name
  }

  /** `case word in pattern) commands ;; … esac` as one group. */
  #case(): Command {
    const at = this.at
    this.at += 4
    this.blanks()
    const subject = this.word()
    const inside = /\s*in\b/y
    inside.lastIndex = this.at
    this.at += inside.exec(this.text)?.[0].length ?? 0
    const group: Pipeline[] = []
    while (this.at < this.text.length) {
      const space = /(?:\s|#[^\n]*\n|;)*/y
      space.lastIndex = this.at
      this.at += space.exec(this.text)![0].length
      if (/^esac\b/.test(this.text.slice(this.at, this.at + 5))) {
        this.at += 4
        break
      }
      const pattern = /[^)\n]*\)/y
      pattern.lastIndex = this.at
      const found = pattern.exec(this.text)
      if (!found) break
      this.at += found[0].length
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
    while (this.at < this.text.length) {
      this.blanks()
      const char = this.text[this.at]
      const isEnd = this.text.startsWith(';;', this.at) || this.text.startsWith(';&', this.at)
      if (char === undefined || isEnd || /^esac\b/.test(this.text.slice(this.at, this.at + 5))) break
      if (/[;&\n]/.test(char) || (char === '|' && this.text[this.at + 1] === '|')) {
        this.at += char === '|' || this.text[this.at + 1] === '&' ? 2 : 1
        if (char === '\n') this.#takeHeredocs()
        if (commands.length > 0) pipelines.push(commands)
        commands = []
      } else if (char === '|' || char === ')' || char === '}') this.at++
      else {
        const before = this.at
        const command = this.#command()
        if (command) commands.push(command)
        if (this.at === before) this.at++
      }
    }
    if (commands.length > 0) pipelines.push(commands)
    return pipelines
  }

  #simple(): Command {
    const at = this.at
    const assigned: Command['assigned'][number][] = []
    const words: Word[] = []
    const redirections: Redirection[] = []
    for (;;) {
      this.blanks()
      const char = this.text[this.at]
      if (char === undefined || /[\n;|)]/.test(char) || (char === '&' && this.text[this.at + 1] !== '>'))
        break
      const redirection = this.#redirection()
      if (redirection) {
        redirections.push(...redirection)
        continue
      }
      if (words.length === 0 || declaring.has(plainText(words[0]!))) {
        const assignment = this.#assignment()
        if (assignment) {
          assigned.push(assignment)
          continue
        }
      }
      if (char === '(' || (/[<>]/.test(char) && this.text[this.at + 1] !== '(')) break
      const before = this.at
      words.push(this.word())
      if (this.at === before) break
    }
    return { at, assigned, words, redirections }
  }

  #assignment(): Command['assigned'][number] | null {
    assignmentHead.lastIndex = this.at
    const found = assignmentHead.exec(this.text)
    if (!found) return null
    const at = this.at
    this.at += found[0].length
    const values: Word[] = []
    if (this.text[this.at] === '(') {
      this.at++
      while (this.at < this.text.length && this.text[this.at] !== ')') {
        const before = this.at
        this.blanks()
        if (this.text[this.at] === '\n') this.at++
        else if (this.text[this.at] !== ')') values.push(this.word())
        if (this.at === before) this.at++
      }
      this.at++
    } else values.push(this.word())
    return { name: found[1]!, values, isMore: found[2] === '+', at }
  }

  #redirection(): Redirection[] | null {
    redirectionSign.lastIndex = this.at
    const found = redirectionSign.exec(this.text)
    if (!found) return null
    this.at += found[0].length
    const kind = found[1]!
    this.blanks()
    if (kind === '<<' || kind === '<<-') return [this.#heredoc(kind === '<<-')]
    const target = this.word()
    if (kind === '>&' || kind === '<&')
      return /^[\d-]*$/.test(plainText(target)) ? [] : [{ sign: '>', target }]
    return [{ sign: kind === '>|' ? '>' : kind, target }]
  }

  #heredoc(isTabbed: boolean): Redirection {
    const raw = this.at
    const end = plainText(this.word())
    const isPlain = /['"\\]/.test(this.text.slice(raw, this.at))
    const parts: WordPart[] = []
    this.#heredocs.push({ end, isPlain, isTabbed, give: (found) => parts.push(...found) })
    return { sign: '<<', target: { parts, at: raw } }
  }

  /** The texts that were announced in the line that just ended. */
  #takeHeredocs(): void {
    for (const { end, isPlain, isTabbed, give } of this.#heredocs) {
      const lines: string[] = []
      const start = this.at
      while (this.at < this.text.length) {
        const lineEnd = this.text.indexOf('\n', this.at)
        const stop = lineEnd === -1 ? this.text.length : lineEnd
        const line = this.text.slice(this.at, stop)
        this.at = Math.min(this.text.length, stop + 1)
        if ((isTabbed ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      const text = lines.join('\n')
      give(isPlain ? [{ kind: 'text', text }] : expandable(text, start))
    }
    this.#heredocs = []
  }
}

/** The parts of a text in which `$` counts and quotes do not. */
export function expandable(text: string, at = 0): WordPart[] {
  const parts = new ShellReader(text).whole()
  return at === 0
    ? parts
    : parts.map((part) => (part.kind === 'variable' ? { ...part, at: part.at + at } : part))
}
