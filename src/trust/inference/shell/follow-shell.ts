// Follows a shell script without running it: variables, pipes and redirections as far as reading tells them.
import { exact, given, hole, isExact, joined, type TextValue, textOf, unknown } from '../value.ts'
import { followCommand, type ShellContext } from './follow-command.ts'
import {
  type Command,
  type Pipeline,
  plainText,
  type Script,
  type Word,
  type WordPart,
} from './script-shape.ts'
import { expandable, readShellScript } from './shell-script.ts'

const maxCommands = 5_000
/** Letters of a variable that is taken apart into words. */
const maxSplit = 2_000
/** Variables that the shell itself gives. */
const shellVariables =
  /^(?:IFS|RANDOM|SECONDS|LINENO|BASH\w*|FUNCNAME|UID|EUID|PPID|OSTYPE|HOSTTYPE|MACHTYPE|HOSTNAME|REPLY|OPTARG|OPTIND|OPTERR|PIPESTATUS|DIRSTACK|GROUPS|SHLVL|PS\d|ZSH_\w+|EPOCHSECONDS|SRANDOM|COMP_\w+)$/

export function followShell(
  text: string,
  context: Pick<ShellContext, 'findings' | 'level' | 'countsAll'>,
): TextValue {
  const script = readShellScript(text)
  return new ShellFollower({ at: 0, ...context }, namesIn(script)).script(script)
}

interface OwnNames {
  /** Variables that the script sets somewhere: not those of its environment. */
  readonly variables: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** What variables begin with whose names are put together. */
  readonly beginnings: readonly string[]
  /** Another script is taken in, which may bring functions and variables of its own. */
  readonly isMore: boolean
}

/** Programs that set the variables they are given the names of. */
const settingPrograms = /^(?:read|mapfile|readarray|getopts|unset|local|declare|typeset|export|readonly)$/

function namesIn(script: Script): OwnNames {
  const variables = new Set<string>()
  const functions = new Set<string>()
  const beginnings: string[] = []
  let isMore = false
  const left: Command[] = script.flat()
  for (let command = left.pop(); command; command = left.pop()) {
    for (const { name } of command.assigned) variables.add(name)
    if (command.loop) variables.add(command.loop.name)
    if (command.defines !== undefined) functions.add(command.defines)
    const [first, ...rest] = command.words.map(plainText)
    isMore ||= first === 'source' || first === '.'
    if (first === 'printf' && rest[0] === '-v' && rest[1]) beginnings.push(rest[1])
    if (settingPrograms.test(first ?? ''))
      for (const word of rest) if (/^[A-Za-z_]\w*$/.test(word)) variables.add(word)
    for (const { parts } of command.words)
      for (const part of parts) if (part.kind === 'output') left.push(...part.script.flat())
    left.push(...(command.group ?? []).flat())
  }
  return { variables, functions, beginnings, isMore }
}

class ShellFollower {
  readonly #context: ShellContext
  readonly #variables: Map<string, TextValue>
  readonly #own: OwnNames
  /** Functions that run what they are given, by how many of their words they take before. */
  readonly #runners = new Map<string, number>()
  /** The function whose commands are being followed, and the words it has taken. */
  #inside: { readonly name: string; taken: number } | undefined
  /** The function whose commands come next. */
  #defining: string | undefined
  /** Commands that may still be followed, those of evaluated texts included. */
  readonly #budget: { left: number }

  constructor(context: ShellContext, own: OwnNames, outer?: ShellFollower) {
    this.#context = { ...context, inShell: (text, level) => this.#evaluate(text, level) }
    this.#own = own
    this.#variables = outer ? outer.#variables : new Map()
    this.#budget = outer ? outer.#budget : { left: maxCommands }
  }

  /** A text that this shell runs itself: `eval`, `trap`. */
  #evaluate(text: string, level: number): TextValue {
    const script = readShellScript(text)
    const more = namesIn(script)
    const own = {
      variables: new Set([...this.#own.variables, ...more.variables]),
      functions: new Set([...this.#own.functions, ...more.functions]),
      beginnings: [...this.#own.beginnings, ...more.beginnings],
      isMore: this.#own.isMore || more.isMore,
    }
    return new ShellFollower({ ...this.#context, level }, own, this).script(script)
  }

  /** What the script prints, where that is known. */
  script(script: Script, input?: TextValue): TextValue {
    let output: TextValue | undefined
    for (const pipeline of script) {
      const printed = this.#pipeline(pipeline, input)
      output =
        output === undefined || output.text === ''
          ? printed
          : printed.text === ''
            ? output
            : joined([output, printed])
    }
    return output ?? exact('')
  }

  #pipeline(pipeline: Pipeline, given?: TextValue): TextValue {
    let input = given
    for (const command of pipeline) input = this.#command(command, input)
    return input ?? exact('')
  }

  #command(command: Command, piped: TextValue | undefined): TextValue {
    const { findings } = this.#context
    if (--this.#budget.left < 0) {
      findings.add('code.unknown', 0, 'too long to be followed', 'unknown')
      return unknown
    }
    for (const { name, values, isMore } of command.assigned) {
      const value = joined(
        values.flatMap((word, index) => (index === 0 ? [this.#word(word)] : [exact(' '), this.#word(word)])),
      )
      this.#variables.set(name, isMore ? joined([this.#variables.get(name) ?? exact(''), value]) : value)
    }
    if (command.loop) {
      const [first, ...others] = command.loop.words.map((word) => this.#word(word))
      this.#variables.set(
        command.loop.name,
        first && others.length === 0 ? first : { ...(first ?? given), text: hole, certainty: 'bounded' },
      )
      return exact('')
    }
    let input = piped
    let takesOutput = false
    for (const { sign, target } of command.redirections) {
      const value = this.#word(target)
      if (sign === '<<' || sign === '<<<') input = value
      else if (isOutput(target)) input = value.origin ? value : unknown
      else {
        if (sign !== '>' && sign !== '>>') findings.path('fs.read', value, command.at)
        if (sign === '<') input = value.origin ? value : unknown
        if (sign.includes('>')) findings.path('fs.write', value, command.at)
        takesOutput ||= sign.includes('>') && !/^\/dev\/(?:stdout|stderr|tty)/.test(value.text)
      }
    }
    if (command.defines !== undefined) this.#defining = command.defines
    const output = command.group
      ? this.#group(command.group, input)
      : this.#started(command, { ...this.#context, at: command.at, input })
    return takesOutput ? exact('') : output
  }

  /** Commands in brackets; those of a function when one is being defined. */
  #group(script: Script, input: TextValue | undefined): TextValue {
    const outer = this.#inside
    if (this.#defining !== undefined) this.#inside = { name: this.#defining, taken: 0 }
    this.#defining = undefined
    const output = this.script(script, input)
    this.#inside = outer
    return output
  }

  #started(command: Command, context: ShellContext): TextValue {
    if (this.#inside && isAllGiven(command.words[0])) {
      // What that is, is told where the function is called.
      this.#runners.set(this.#inside.name, this.#inside.taken)
      return unknown
    }
    const words = command.words.flatMap((word) => this.#split(word))
    const [first] = words
    if (!first || !isExact(first)) return followCommand(words, context)
    if (this.#inside && first.text === 'shift') this.#inside.taken++
    if (!this.#isFunction(first.text)) return followCommand(words, context)
    const taken = this.#runners.get(first.text)
    return taken === undefined ? unknown : followCommand(words.slice(1 + taken), context)
  }

  /** Of the script, or, as its name looks, of one that it takes in. */
  #isFunction(name: string): boolean {
    return this.#own.functions.has(name) || (this.#own.isMore && /^[a-z]+(?:_[a-z\d]+)+$/.test(name))
  }

  /** Names of the environment are written in capitals; what a script takes in sets others. */
  #isOwn(name: string): boolean {
    const { variables, beginnings, isMore } = this.#own
    if (variables.has(name) || beginnings.some((start) => name.startsWith(start))) return true
    return isMore && /^[a-z_][a-z\d_]*$/.test(name) && !name.endsWith('_proxy')
  }

  /** A word that is one unquoted variable is as many words as its text has; `$IFS` stands between words. */
  #split(word: Word): TextValue[] {
    const gap = word.parts.findIndex(isGap)
    if (gap !== -1)
      return [word.parts.slice(0, gap), word.parts.slice(gap + 1)].flatMap((parts) =>
        parts.length > 0 ? this.#split({ ...word, parts }) : [],
      )
    const value = this.#word(word)
    const [only, ...more] = word.parts
    const isBare = only?.kind === 'variable' && isEmpty(more) && (!only.isQuoted || /^\[@\]/.test(only.rest))
    if (!isBare || !isExact(value) || value.text.length > maxSplit) return [value]
    return value.text.trim() === ''
      ? []
      : value.text
          .trim()
          .split(/\s+/)
          .map((text) => exact(text, value.origin))
  }

  #word({ parts }: Word): TextValue {
    return parts.length === 1 ? this.#part(parts[0]!) : joined(parts.map((part) => this.#part(part)))
  }

  #part(part: WordPart): TextValue {
    if (part.kind === 'text')
      return part.text.includes(hole)
        ? { ...given, text: part.text }
        : exact(part.text, part.isSpelled ? 'decoded' : undefined)
    if (part.kind === 'variable') return this.#variable(part.name, part.rest, part.at)
    const output = this.script(part.script)
    if (part.isFile) return { ...unknown, origin: output.origin }
    return isExact(output) ? exact(output.text.replace(/\n+$/, ''), output.origin) : output
  }

  #variable(name: string, rest: string, at: number): TextValue {
    const own = this.#variables.get(name)
    if (own) return changed(own, rest)
    const fallback = /^:?[-=](.*)$/s.exec(rest)?.[1]
    if (/^[\d@*]$/.test(name)) {
      if (name === '0') return exact('{tool}/.')
      return given
    }
    if (/^[#?$!-]/.test(name)) return exact('0')
    if (/^BASH_SOURCE/.test(name)) return exact('{tool}/.')
    if (name === 'HOME') return changed(exact('~'), fallback === undefined ? rest : '')
    if (name === 'PWD') return exact('.')
    if (name === 'TMPDIR') return exact('/tmp')
    if (shellVariables.test(name) || this.#isOwn(name)) return unknown
    if (/^PARAM_/.test(name)) return given
    this.#context.findings.variable(exact(name), at)
    if (fallback === undefined) return unknown
    const otherwise = this.#word({ parts: expandable(fallback), at })
    return otherwise.text === '' ? unknown : otherwise
  }
}

function isGap(part: WordPart): boolean {
  return part.kind === 'variable' && part.name === 'IFS' && part.rest === '' && !part.isQuoted
}

/** `"$@"` as the word that is run. */
function isAllGiven(word: Word | undefined): boolean {
  const [only, ...more] = word?.parts ?? []
  return only?.kind === 'variable' && /^[@*]$/.test(only.name) && only.rest === '' && isEmpty(more)
}

/** The closing quotes of a word. */
function isEmpty(parts: readonly WordPart[]): boolean {
  return parts.every((part) => part.kind === 'text' && part.text === '')
}

/** `< <(commands)` */
function isOutput({ parts: [only, ...more] }: Word): boolean {
  return only?.kind === 'output' && only.isFile && more.length === 0
}

/** `${name%suffix}`, `${name//a/b}`, `${name:offset:length}` of a known text. */
function changed(value: TextValue, rest: string): TextValue {
  if (rest === '' || /^\[|^:?[-=+?]/.test(rest)) return value
  if (!isExact(value)) return value
  const [, all, from, to] = /^\/(\/?)([^/]*)\/?(.*)$/s.exec(rest) ?? []
  if (from !== undefined && from !== '' && !/[*?[$]/.test(from + to!))
    return exact(all ? value.text.replaceAll(from, to!) : value.text.replace(from, to!), value.origin)
  const [, start, length] = /^:\s*(-?\d+)(?::(-?\d+))?$/.exec(rest) ?? []
  if (start !== undefined) {
    const begin = Number(start)
    return exact(
      value.text.slice(begin, length === undefined ? undefined : begin + Number(length)),
      value.origin,
    )
  }
  if (rest === '%/*') return exact(value.text.replace(/\/[^/]*$/, ''), value.origin)
  if (rest === '##*/') return exact(value.text.replace(/^.*\//, ''), value.origin)
  return textOf({ ...given, text: hole, origin: value.origin })
}
