// Shell scripts: getopts, `case "$1"` loops, `$1` with its messages and defaults, and the comment on top.
import { descriptionIn } from './description-in.ts'
import {
  longest,
  paramName,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { operandsInPlace, topLevel } from './shell-operands.ts'
import { readUsage, type UsageText } from './usage-text.ts'

export function readShell(text: string): ScriptInterface {
  const header = commentOnTop(text)
  const described = new Map(describedFlags(text))
  const getopts = readGetopts(text, described)
  const loop = getopts ? [] : orTested(readCaseLoop(text, described), text, described)
  const read = getopts ?? loop.filter(({ flag }) => flag !== undefined)
  const usage = readUsage(text, header, read)
  const isPassedOn = read.length === 0 && /\$[@*{]|\$[1-9]/.test(text)
  const options = isPassedOn ? (usage?.options ?? []) : read
  const commands = options.length === 0 ? readSubcommands(text) : undefined
  const demanded = (option: ScriptParam): ScriptParam =>
    option.type !== 'boolean' && option.fallback === undefined && usage?.demanded.includes(option.flag!)
      ? { ...option, isRequired: true }
      : option
  const shown = readPositionals(text, usage)
  // What the loop keeps that is no option.
  const named = shown.length > 0 ? shown : loop.filter(({ flag }) => flag === undefined)
  const hasAll = named.length > 0 || commands !== undefined || loop.length > 0
  const positionals = hasAll ? named : operandsInPlace(text, header)
  const by = getopts ? 'getopts' : loop.length > 0 ? 'a case over the options' : usage ? 'usage' : undefined
  const description =
    descriptionIn(header?.replace(/^\s*[\w.-]+\.(sh|bash)\s*[:—-]+\s*/i, '')) ??
    /^\s*(?:echo\s+["'])?description:\s*(\S[^\n"]*)/im.exec(text)?.[1]?.trim()
  const input =
    /\bread\s+(?:-\w+\s+)*\w+|\bcat\s*(?:-\s*)?(?:\||\)|$)|<\s*\/dev\/stdin/m.test(text) &&
    !/while[^\n]*read[^\n]*<|done\s*</.test(text)
  return {
    by: by || positionals.length > 0 || commands ? (by ?? 'positional parameters') : undefined,
    description: description || undefined,
    readsInput: input || undefined,
    commands: commands ?? [{ words: [], params: [...options.map(demanded), ...positionals] }],
    notes: [],
  }
}

/** The comments above the first command, without the shebang; settings of the shell stand among them. */
export function commentOnTop(text: string): string | undefined {
  const lines: string[] = []
  for (const line of text.split('\n').slice(text.startsWith('#!') ? 1 : 0)) {
    const comment = /^\s*#+ ?(.*)$/.exec(line)
    if (comment) lines.push(/^[-=*#\s]+$/.test(comment[1]!) ? '' : comment[1]!)
    else if (line.trim() === '') lines.push('')
    else if (!/^\s*(set|shopt)\s/.test(line)) break
  }
  const found = lines.join('\n').trim()
  return found === '' ? undefined : found
}

/** Lines such as `-n NAME   who to greet` of comments and usage texts. */
function* describedFlags(text: string): Generator<[string, string]> {
  const line =
    /^[\s#]*(?:echo\s+["'])?\s*((?:-{1,2}[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|\[[^\]]+\]|[A-Z][A-Z0-9_]*))?(?:\s*[,|/]\s*)?)+)\s{2,}(\S[^\n"]*)/gm
  for (const [, flags, words] of text.matchAll(line))
    for (const [flag] of flags!.matchAll(/-{1,2}[A-Za-z][\w-]*/g)) yield [flag, words!.trim()]
}

function readGetopts(text: string, described: ReadonlyMap<string, string>): ScriptParam[] | undefined {
  const spec = /\bgetopts\s+["']?:?([^\s"']+)["']?\s+\w+/.exec(text)?.[1]
  if (spec === undefined) return undefined
  const params: ScriptParam[] = []
  for (const [, letter, colon] of spec.matchAll(/([A-Za-z])(:?)/g)) {
    if (letter === 'h' && colon === '') continue
    const flag = `-${letter}`
    if (params.some((param) => param.flag === flag)) continue
    const branch = new RegExp(`(?:^|[\\s(|])${letter}\\s*\\)([\\s\\S]*?);;`, 'm').exec(text)?.[1] ?? ''
    const param = optionOf(text, { flags: [flag], branch, described, takesValue: colon === ':' })
    // Two options that set one variable are two choices: their letters tell them apart.
    const isNew = params.every(({ name }) => name !== param.name)
    params.push(isNew ? param : { ...param, name: paramName(flag) })
  }
  return params
}

/** `while [ $# -gt 0 ]; do case "$1" in -o|--out) OUT="$2"; shift 2;; …`. */
function readCaseLoop(text: string, described: ReadonlyMap<string, string>): ScriptParam[] {
  const loop = optionCase(text)
  if (loop === undefined) return []
  const params: ScriptParam[] = []
  for (const [, pattern, branch] of loop.matchAll(
    /(?:^|;;)\s*(?:#[^\n]*\n\s*)*\(?([^\s()][^()\n]*?)\)([\s\S]*?)(?=;;)/g,
  )) {
    const flags = pattern!.split('|').map((flag) => flag.trim().replace(/["']/g, ''))
    const operand = flags.includes('*') ? keptOperand(text, branch!) : undefined
    if (operand) params.push(operand)
    const options = flags.filter((flag) => /^-{1,2}[A-Za-z][\w-]*(=\*)?$/.test(flag))
    if (options.length === 0 || options.some((flag) => /^(-h|--help|--version)$/.test(flag))) continue
    const names = options.map((flag) => flag.replace('=*', ''))
    // `--out=*` beside `--out` is another way to write it.
    if (params.some(({ flag }) => flag === longest(names))) continue
    const isJoint = options.every((flag) => flag.endsWith('=*'))
    const takesValue = isJoint || /\$\{?2|shift 2|shift\s*[;\n]\s*\w+="?\$\{?1/.test(branch!)
    const option = optionOf(text, { flags: names, branch: branch!, described, takesValue })
    params.push(isJoint ? { ...option, joint: '=' } : option)
  }
  return params
}

/** `if [ "$1" = "--all" ]`, where nothing else reads options. */
function orTested(loop: ScriptParam[], text: string, described: ReadonlyMap<string, string>): ScriptParam[] {
  if (loop.length > 0) return loop
  const tests = topLevel(text).matchAll(
    /(?:\[\s+|\btest\s+)"?\$\{?[1-9@*](?::?-[^}]*)?\}?"?\s+={1,2}\s+["']?\*?(-{1,2}[A-Za-z][\w-]*)/g,
  )
  return [...new Set([...tests].map(([, flag]) => flag!))]
    .filter((flag) => !/^(-h|--help|--version)$/.test(flag))
    .map((flag) => optionOf(text, { flags: [flag], branch: '', described, takesValue: false }))
}

/** The body of `case "$1" in`, or of the `case` in a loop over all arguments: the one with the most options. */
function optionCase(text: string): string | undefined {
  const loops = text.matchAll(/\bfor\s+(\w+)(?:\s+in\s+"\$@")?\s*;?\s*do\b/g)
  const subject = ['1(?::?-[^}]*)?', ...[...loops].map(([, each]) => each)].join('|')
  const cases = text.matchAll(
    new RegExp(`\\bcase\\s+"?\\$\\{?(?:${subject})\\}?"?\\s+in\\b([\\s\\S]*?)\\besac\\b`, 'g'),
  )
  const options = (body: string): number => body.match(/^[ \t]*\(?["']?-[\w-]/gm)?.length ?? 0
  return [...cases]
    .map(([, body]) => body!)
    .reduce<string | undefined>(
      (best, body) => (best === undefined || options(body) > options(best) ? body : best),
      undefined,
    )
}

/** `*) FILES+=("$1")`: what is no option is one of a list, or the one argument. */
function keptOperand(text: string, branch: string): ScriptParam | undefined {
  const [, variable, list] = /^\s*(\w+)(\+?=\()?\+?=?"?\$\{?(?:1|\w+)\}?"?\)?\s*(?:;|\n|$)/.exec(branch) ?? []
  if (variable === undefined || !branch.includes('$')) return undefined
  return {
    name: paramName(variable),
    type: 'string',
    isRequired: list === undefined && isDemanded(text, variable, undefined),
    ...(list === undefined ? {} : { list: 'together' as const, count: {} }),
  }
}

interface ShellOption {
  readonly flags: readonly string[]
  /** What the script does when it is given. */
  readonly branch: string
  readonly described: ReadonlyMap<string, string>
  readonly takesValue: boolean
}

function optionOf(text: string, { flags, branch, described, takesValue }: ShellOption): ScriptParam {
  const flag = longest(flags)
  const variable = /\b([A-Za-z_]\w*)\+?=/.exec(branch)?.[1]
  const isList = variable !== undefined && new RegExp(`\\b${variable}\\+=\\(`).test(branch)
  const name = flag.length === 2 && variable ? paramName(variable) : paramName(flag)
  const description = flags.map((each) => described.get(each)).find((words) => words !== undefined)
  const initial = variable === undefined ? undefined : initialValue(text, variable)
  const isCalled = /\(required\)/i.test(description ?? '')
  const isRequired =
    takesValue && (isCalled || (variable !== undefined && isDemanded(text, variable, initial)))
  const isNumber = initial !== undefined && /^-?\d+$/.test(initial) && takesValue
  if (!takesValue)
    return { name, flag, type: 'boolean', isRequired: false, description: description || undefined }
  return {
    name,
    flag,
    joint: '',
    type: isNumber ? 'integer' : 'string',
    isRequired,
    ...(isList ? { list: 'repeated' as const, count: {} } : {}),
    description: description || undefined,
    fallback: initial && !isRequired && !isList ? (isNumber ? Number(initial) : initial) : undefined,
  }
}

/** `NAME="value"` or `NAME=${NAME:-value}` at the start of a line or after others, before options are read. */
function initialValue(text: string, variable: string): string | undefined {
  const found = new RegExp(
    `^(?:\\w+=[^;()\\n]*;[ \\t]*)*(?:local\\s+)?${variable}=(?:"([^"$\`]*)"|'([^']*)'|([\\w./:-]*)|"?\\$\\{${variable}:-([^}$]*)\\}"?)\\s*(?:;.*|#.*)?$`,
    'm',
  ).exec(text)
  return found ? (found[1] ?? found[2] ?? found[3] ?? found[4] ?? '') : undefined
}

function isDemanded(text: string, variable: string, initial: string | undefined): boolean {
  if (initial) return false
  const stops = '[\\s\\S]{0,160}?\\b(?:exit|return|usage|die|fail|abort|help|error)\\b'
  return new RegExp(`-z\\s+"?\\$\\{?${variable}\\b${stops}|\\$\\{${variable}:\\?`, 'i').test(text)
}

function readPositionals(text: string, usage: UsageText | undefined): ScriptParam[] {
  const named = usage?.params ?? []
  if (named.length > 0 && usage?.isNamed) return named.map((param) => withDefault(text, param))
  const found = new Map<number, ScriptParam>()
  for (const [, variable, digit, operator, words] of topLevel(text).matchAll(
    /^\s*(?:local\s+|readonly\s+|export\s+)?(\w+)="?\$\{?([1-9])(?:(:?[-?=])([^}]*))?\}?"?/gm,
  )) {
    const index = Number(digit)
    if (found.has(index) || isInsideLoop(text, variable!)) continue
    const fallback = operator?.includes('-') ? words!.replace(/^["']|["']$/g, '') : undefined
    const isRequired = operator === undefined ? isNeeded(text, index, variable!) : operator.includes('?')
    found.set(index, {
      name: paramName(variable!),
      type: fallback !== undefined && /^-?\d+$/.test(fallback) ? 'integer' : 'string',
      isRequired,
      fallback:
        fallback && !/[$`]/.test(fallback)
          ? /^-?\d+$/.test(fallback)
            ? Number(fallback)
            : fallback
          : undefined,
      description:
        operator?.includes('?') && words && !/^usage/i.test(words)
          ? words.replace(/^["']|["']$/g, '')
          : undefined,
    })
  }
  const inCode = [...found].sort(([a], [b]) => a - b).map(([, param]) => param)
  return inCode.length > 0 || usage?.isByExample ? inCode : [...named]
}

function withDefault(text: string, param: ScriptParam): ScriptParam {
  const variable = param.name.toUpperCase()
  const initial = new RegExp(`^(?:${variable}|${param.name})="?\\$\\{\\d:-([^}$]*)\\}"?`, 'm').exec(text)?.[1]
  if (!initial || param.isRequired) return param
  return { ...param, fallback: initial }
}

/** `$1` that a loop over options takes is the value of one. */
function isInsideLoop(text: string, variable: string): boolean {
  const loop = optionCase(text)
  return loop !== undefined && new RegExp(`\\b${variable}=`).test(loop)
}

function isNeeded(text: string, index: number, variable: string): boolean {
  return (
    /\$#\s*(?:-lt\s*([1-9])|-ne\s*([1-9])|<\s*([1-9]))/
      .exec(text)
      ?.slice(1)
      .some((count) => Number(count) >= index) === true ||
    new RegExp(`-z\\s+"?\\$\\{?(?:${index}|${variable})\\b`).test(text)
  )
}

/** `case "$1" in build) …;; deploy) …;; esac` without options: one command per word. */
function readSubcommands(text: string): ScriptCommand[] | undefined {
  const body =
    /\bcase\s+"?\$\{?(?:1|cmd|command|action|CMD|COMMAND|ACTION)(?::-[^}]*)?\}?"?\s+in([\s\S]*?)\besac\b/.exec(
      topLevel(text),
    )?.[1]
  if (body === undefined) return undefined
  const commands: ScriptCommand[] = []
  for (const [, pattern, branch] of body.matchAll(
    /(?:^|;;)\s*(?:#[^\n]*\n\s*)*\(?([a-z][\w-]*)(?:\s*\|[^)]*)?\)([\s\S]*?)(?=;;|$)/g,
  )) {
    if (pattern === 'help') continue
    const taken = Math.max(0, ...[...branch!.matchAll(/\$\{?([2-9])/g)].map((match) => Number(match[1]) - 1))
    commands.push({
      words: [pattern!],
      params: Array.from({ length: taken }, (_, i) => argumentNamed(branch!, i + 2)),
    })
  }
  return commands.length > 1 ? commands : undefined
}

function argumentNamed(branch: string, index: number): ScriptParam {
  const named = new RegExp(`\\b(\\w+)="?\\$\\{?${index}(:[-?])?`).exec(branch)
  const operator = new RegExp(`\\$\\{${index}(:?[-?])([^}]*)`).exec(branch)
  const isRequired = operator?.[1]?.includes('?') ?? true
  const fallback = operator?.[1]?.includes('-') ? operator[2] : undefined
  return {
    name: named ? paramName(named[1]!) : `arg${index - 1}`,
    type: 'string',
    isRequired: fallback === undefined && isRequired,
    fallback: fallback || undefined,
  }
}
