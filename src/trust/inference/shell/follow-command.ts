// What one command of a command line touches, and what it prints where that is known.
import { decoded } from '../decode.ts'
import type { Findings } from '../findings.ts'
import { javascriptLanguage } from '../javascript/javascript-language.ts'
import { pythonLanguage } from '../python/python-language.ts'
import { exact, given, hole, isExact, joined, type TextValue, unknown } from '../value.ts'
import { followFiles } from './follow-files.ts'
import { followNetwork } from './follow-network.ts'
import { followShell } from './follow-shell.ts'
import { persisters, plainPrograms, shells, wrappers } from './programs.ts'
import { isSpelled, unescaped } from './unescape.ts'

export interface ShellContext {
  readonly findings: Findings
  readonly at: number
  /** Levels of code inside texts of code. */
  readonly level: number
  /** Every program counts: it is started from another language. A shell's own tools are part of a shell script. */
  readonly countsAll?: boolean
  /** What is piped in. */
  readonly input?: TextValue
  /** Follows a text in the shell itself, with its variables and functions. */
  readonly inShell?: (text: string, level: number) => TextValue
}

const maxLevel = 4
const nothing = exact('')

export function followCommand(given: readonly TextValue[], context: ShellContext): TextValue {
  const [first, ...args] = given
  if (!first || (first.text === '' && isExact(first))) return nothing
  const { findings, at, level } = context
  if (first.text.startsWith(hole)) {
    findings.program(first, at)
    if (first.origin) findings.add('code.dynamic', at, first.origin, 'exact')
    return unknown
  }
  if (level > maxLevel) return unknown
  const name = first.text.replace(/^.*\//, '')
  if (wrappers.has(name)) return followWrapped(name, args, context)
  if (persisters[name]?.test(args.map(({ text }) => text).join(' ')))
    findings.add('host.persist', at, name, 'exact')
  if (shells.has(name)) return followShellProgram(name, args, context)
  const interpreter = interpreterOf(name)
  if (interpreter) return followInterpreter(name, interpreter, args, context)
  if (name === 'eval') return runText(joinedWords(args), context)
  if (name === 'trap') return args[1] && args[0]!.text !== '-' ? runText(args[0]!, context, true) : nothing
  if (name === 'source' || name === '.') return followSource(args[0], context)
  const printed = printedBy(name, args, context)
  if (printed && !context.countsAll) return printed
  const fromFiles = followFiles(name, args, context)
  const fromNetwork = followNetwork(name, args, context)
  const isPart = plainPrograms.has(name) || fromFiles !== undefined
  if (context.countsAll || !isPart)
    findings.add('shell.execute', at, shownProgram(first), first.text.includes(hole) ? 'bounded' : 'exact')
  return printed ?? fromNetwork ?? fromFiles ?? unknown
}

function shownProgram({ text }: TextValue): string {
  const path = text.split(hole).join('*')
  return path.startsWith('/') || !path.includes('/') ? path.replace(/^.*\//, '') : path
}

function joinedWords(words: readonly TextValue[]): TextValue {
  return joined(words.flatMap((word, index) => (index === 0 ? [word] : [exact(' '), word])))
}

/** What a text prints or gives, without touching anything. */
function printedBy(
  name: string,
  args: readonly TextValue[],
  { input, findings, at }: ShellContext,
): TextValue | undefined {
  switch (name) {
    case 'echo': {
      const plain = args.filter(({ text }) => !/^-[neE]+$/.test(text))
      const text = joinedWords(plain)
      if (plain.length === args.length || !isExact(text)) return text
      return exact(unescaped(text.text), isSpelled(text.text) ? 'decoded' : text.origin)
    }
    case 'printf': {
      const [format, ...values] = args
      if (!format || !isExact(format)) return joinedWords(args)
      const origin = isSpelled(format.text) ? 'decoded' : undefined
      const parts = unescaped(format.text).split(/%[-0-9.]*[a-zA-Z]/)
      return joined(
        parts.flatMap((part, index) =>
          index === 0 ? [exact(part, origin)] : [values[index - 1] ?? nothing, exact(part)],
        ),
      )
    }
    case 'env':
    case 'printenv':
      if (args.length === 0) findings.variable(undefined, at)
      for (const arg of name === 'printenv' ? args : []) findings.variable(arg, at)
      return unknown
    case 'set':
    case 'export':
      if (args.length === 0 && name === 'set') findings.variable(undefined, at)
      return nothing
    case 'rev':
      return input && isExact(input)
        ? exact([...input.text].reverse().join(''), input.origin)
        : (input ?? unknown)
    case 'tr':
      return input ? translated(input, args) : unknown
    case 'base64':
    case 'base32':
      return args.some(({ text }) => /^(?:-d|-D|--decode|-di|-id)$/.test(text))
        ? decodedInput(name, args, input)
        : undefined
    case 'xxd':
      return args.some(({ text }) => /^-(?:r|rp|pr|ps)$/.test(text)) &&
        args.some(({ text }) => text.includes('r'))
        ? decodedInput('hex', args, input)
        : undefined
    case 'openssl':
      return args.some(({ text }) => text === '-d' || text === 'rsautl')
        ? { ...unknown, origin: 'decoded' }
        : undefined
    case 'uudecode':
    case 'gpg':
      return args.some(({ text }) => /^(?:-d|--decrypt)$/.test(text)) || name === 'uudecode'
        ? { ...unknown, origin: 'decoded' }
        : undefined
    case 'read':
    case 'mapfile':
      return nothing
    case 'mktemp':
      return exact('/tmp/*'.replace('*', hole))
    case 'pwd':
      return exact('.')
    case 'dirname':
      return args[0] && args[0].text !== hole
        ? { ...args[0], text: args[0].text.replace(/\/[^/]*$/, '') }
        : given
    case 'basename':
      return args[0] && isExact(args[0]) ? exact(args[0].text.replace(/^.*\//, '')) : given
    case 'cd':
    case 'true':
    case 'false':
      return nothing
    default:
      return undefined
  }
}

function translated(input: TextValue, args: readonly TextValue[]): TextValue {
  const [from, to] = args
  if (!isExact(input) || !from || !to || !isExact(from) || !isExact(to)) return input
  if (/^A-Za-z$|^a-zA-Z$/.test(from.text) && /^N-ZA-Mn-za-m$|^n-za-mN-ZA-M$/.test(to.text))
    return decoded(input.text, 'rot13')!
  if (/[-[]/.test(from.text + to.text)) return { ...unknown, origin: input.origin ?? 'decoded' }
  const letters = [...to.text]
  return exact(
    [...input.text]
      .map((char) =>
        from.text.includes(char) ? (letters[from.text.indexOf(char)] ?? letters.at(-1) ?? '') : char,
      )
      .join(''),
    input.origin,
  )
}

function decodedInput(how: string, args: readonly TextValue[], input: TextValue | undefined): TextValue {
  const hasFile = args.some(({ text }) => !text.startsWith('-'))
  if (!hasFile && input && isExact(input))
    return decoded(input.text.trim(), how) ?? { ...unknown, origin: 'decoded' }
  return { ...unknown, origin: input?.origin === 'downloaded' ? 'downloaded' : 'decoded' }
}

/** `sudo -u x cmd`, `env A=1 cmd`, `timeout 5 cmd`: what follows the program's own words. */
function followWrapped(name: string, args: readonly TextValue[], context: ShellContext): TextValue {
  const { findings, at } = context
  // Tells where a program is.
  if (name === 'command' && /^-p?[vV]$/.test(args[0]?.text ?? '')) return unknown
  if (context.countsAll || name === 'sudo' || name === 'doas' || name === 'chroot')
    findings.add('shell.execute', at, name, 'exact')
  let rest = args
  const takesNumber = name === 'timeout' || name === 'flock' || name === 'chroot'
  const withWord = name === 'xargs' ? /^-[InPLds]$/ : name === 'env' ? /^-[uCS]$/ : /^-[ugnksA]$/
  while (rest[0] && (/^-/.test(rest[0].text) || (name === 'env' && /^\w+=/.test(rest[0].text))))
    rest = rest.slice(withWord.test(rest[0].text) ? 2 : 1)
  if (takesNumber) rest = rest.slice(1)
  if (rest.length === 0) {
    if (name === 'env') findings.variable(undefined, at)
    // `exec` alone redirects; `xargs` alone prints.
    return context.input ?? nothing
  }
  if (name === 'xargs') return followCommand(filledIn(args, rest, context), { ...context, input: undefined })
  return followCommand(rest, context)
}

/** What `xargs` starts: with what is piped in at the end, or wherever the sign of `-I` stands. */
function filledIn(
  args: readonly TextValue[],
  words: readonly TextValue[],
  { input }: ShellContext,
): readonly TextValue[] {
  const piped = { ...given, origin: input?.origin }
  const option = args.findIndex(({ text }) => /^-(?:I|i$)/.test(text))
  if (option === -1 || option >= args.length - words.length) return [...words, piped]
  const { text: flag } = args[option]!
  const sign = flag === '-I' ? args[option + 1]!.text : flag.slice(2) || '{}'
  return words.map((word) =>
    word.text.includes(sign) ? { ...piped, text: word.text.split(sign).join(hole) } : word,
  )
}

function followShellProgram(name: string, args: readonly TextValue[], context: ShellContext): TextValue {
  const { findings, at, input } = context
  if (context.countsAll) findings.add('shell.execute', at, name, 'exact')
  const flag = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text))
  if (flag !== -1) return runText(args[flag + 1] ?? unknown, { ...context, inShell: undefined }, true)
  const script = args.find(({ text }) => !/^-/.test(text))
  if (script && !(script.text === hole && script.origin)) {
    if (script.text.startsWith(hole)) findings.add('code.dynamic', at, 'computed', script.certainty)
    else if (!context.countsAll) findings.add('shell.execute', at, shownProgram(script), script.certainty)
    return unknown
  }
  if (!script && !input) findings.add('shell.execute', at, name, 'exact')
  return runText(script ?? input ?? unknown, { ...context, inShell: undefined })
}

/** A text that is run as a script; `isSaid`: it stands in the command as a script of its own. */
function runText(text: TextValue, context: ShellContext, isSaid = false): TextValue {
  const { findings, at, level } = context
  const isKnown = !text.text.startsWith(hole)
  if (text.origin || !isKnown || !isSaid)
    findings.add(
      'code.dynamic',
      at,
      text.origin ?? (isKnown ? undefined : 'computed'),
      text.origin ? 'exact' : text.certainty,
    )
  if (!isKnown) return { ...unknown, origin: text.origin }
  let output: TextValue = unknown
  findings.within(at, () => {
    output =
      context.inShell?.(text.text, level + 1) ??
      followShell(text.text, { findings, level: level + 1, countsAll: context.countsAll })
  })
  return output
}

function followSource(file: TextValue | undefined, { findings, at }: ShellContext): TextValue {
  if (!file) return nothing
  if (file.origin) findings.add('code.dynamic', at, file.origin, 'exact')
  else if (file.text.startsWith(hole)) findings.add('code.dynamic', at, 'computed', file.certainty)
  else if (/^[~/]/.test(file.text)) findings.path('fs.read', file, at)
  return nothing
}

interface InterpreterProgram {
  readonly language: 'python' | 'javascript' | 'other'
  /** The option before a program that stands in the command. */
  readonly flag: RegExp
}

function interpreterOf(name: string): InterpreterProgram | undefined {
  if (/^(?:python|pypy)[\d.]*$/.test(name)) return { language: 'python', flag: /^-[a-zA-Z]*c$/ }
  if (/^(?:node|nodejs|bun|tsx)$/.test(name))
    return { language: 'javascript', flag: /^(?:-e|-p|-pe|--eval|--print)$/ }
  if (name === 'deno') return { language: 'javascript', flag: /^eval$/ }
  if (/^(?:perl|ruby|php|lua|osascript|tclsh|Rscript|julia|pwsh|powershell|elixir|groovy)[\d.]*$/.test(name))
    return { language: 'other', flag: /^-[a-zA-Z]*[er]$|^-(?:Command|EncodedCommand|enc)$/i }
  return undefined
}

function followInterpreter(
  name: string,
  { language, flag }: InterpreterProgram,
  args: readonly TextValue[],
  context: ShellContext,
): TextValue {
  const { findings, at, input, level } = context
  findings.add('shell.execute', at, name, 'exact')
  const flagAt = args.findIndex(({ text }) => flag.test(text))
  const script = args.find(({ text }) => !text.startsWith('-') || text === '-')
  const program =
    flagAt !== -1 ? (args[flagAt + 1] ?? unknown) : !script || script.text === '-' ? input : undefined
  if (language === 'python' && args.some(({ text }) => text === '-m')) return followModule(args, context)
  if (!program) {
    if (script?.text.startsWith(hole)) findings.add('code.dynamic', at, 'computed', script.certainty)
    return unknown
  }
  if (program.origin) findings.add('code.dynamic', at, program.origin, 'exact')
  if (language === 'other') findings.add('code.unknown', at, `${name} code`, 'unknown')
  else if (program.text.startsWith(hole)) {
    if (!program.origin) findings.add('code.dynamic', at, 'computed', program.certainty)
  } else {
    const reader = language === 'python' ? pythonLanguage() : javascriptLanguage()
    findings.within(at, () => reader.follow(program.text.split(hole).join('_'), findings, level + 1))
  }
  return unknown
}

function followModule(args: readonly TextValue[], { findings, at }: ShellContext): TextValue {
  const module = args[args.findIndex(({ text }) => text === '-m') + 1]?.text ?? ''
  if (/^(?:pip|ensurepip)$/.test(module)) findings.add('net.http', at, undefined, 'unknown')
  if (/^http\.server|^smtpd|^asyncore/.test(module)) findings.add('net.call', at, undefined, 'unknown')
  return unknown
}
