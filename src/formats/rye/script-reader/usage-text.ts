// The usage that a script shows, in the comment on top or in what it prints: its arguments, of the longest form that
// is shown, and its options.
import { paramName, type ScriptParam } from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

const name =
  String.raw`(?:\$0|\$\{0##\*\/\}|\$\{BASH_SOURCE[^}]*\}|\$\(basename[^)]*\)|` +
  '`basename[^`]*`' +
  String.raw`|\$?\{[^}\n]*\}|%s|\$\w+|[\w./-]+)`
/** `PORT=1 bash ./serve.sh` is `./serve.sh`. */
const before = String.raw`(?:\$\s+)?(?:\w+=\S*\s+)*(?:(?:bash|sh|zsh|sudo|source|python3?|node|bun|tsx|npx|deno run|uv run)\s+(?:-[\w-]+\s+)*)*`
/** What stands in front of a text that is printed, or of a line of a comment. */
const lead =
  String.raw`[\s#*/]*(?:or:?\s+)?(?:(?:echo|print|printf|console\.\w+)\s*\(?\s*)?(?:f?["'` +
  '`' +
  String.raw`](?:\\n|\s)*)?`

export interface UsageText {
  readonly params: readonly ScriptParam[]
  /** The options that it shows. */
  readonly options: readonly ScriptParam[]
  /** Options that each form shows outside brackets. */
  readonly demanded: readonly string[]
  /** It has placeholders: `<file>`, `[file]`, `FILE`. */
  readonly isNamed: boolean
  /** It names values in place of parameters: `a.py in.csv`. */
  readonly isByExample: boolean
}

/** Undefined when neither the comment on top nor the text shows a usage. */
export function readUsage(
  text: string,
  header: string | undefined,
  options: readonly ScriptParam[],
): UsageText | undefined {
  const usages = [...usagesIn(header ?? ''), ...usagesIn(text)]
  const written = usages.find((each) => each.some(hasPlaceholder)) ?? usages[0]
  if (written === undefined) return undefined
  const shown = optionsOf(written, text)
  const all = options.length > 0 ? options : shown
  const lines = written.map((line) => withoutOptions(line, all))
  const isNamed = lines.some(hasPlaceholder)
  const isByExample = !isNamed && lines.some(isExample)
  const forms = lines
    .flatMap(alternatives)
    .filter((line) => !isNamed || hasPlaceholder(line) || operandsOfUsage(line).length === 0)
    .map(operandsOfUsage)
  const longest = forms.reduce((best, form) => (form.length > best.length ? form : best), [])
  // What a shorter form does without may be left out.
  const always = Math.min(...forms.map((form) => form.filter(({ isRequired }) => isRequired).length))
  const params = longest.map((param, index) => (index < always ? param : { ...param, isRequired: false }))
  return { params, options: shown, demanded: demandedIn(written, all), isNamed, isByExample }
}

function demandedIn(lines: readonly string[], options: readonly ScriptParam[]): string[] {
  if (!lines.some(hasPlaceholder)) return []
  const bare = lines.map((line) => line.replace(/\[[^[\]]*\]|\S+\s+\|.*$/g, ' ').split(/[\s=]+/))
  return options
    .flatMap(({ flag }) => flag ?? [])
    .filter((flag) => bare.every((words) => words.includes(flag)))
}

/** Of a line with plain words only: they are values and not names. */
function isExample(line: string): boolean {
  return /[./\d'"$=]/.test(line)
}

function hasPlaceholder(line: string): boolean {
  return /<[^<>]+>|\[[^\]]+\]|(?:^|\s)[A-Z][A-Z0-9_-]+(?=\s|$|\.\.\.)/.test(line)
}

/** Options with the values they take, and what an option stands for after `--`. */
function withoutOptions(line: string, options: readonly ScriptParam[]): string {
  let rest = line.replace(/\[?\s*--(?=\s|$).*$/, '')
  for (const { flag, type } of options)
    if (flag && type !== 'boolean')
      rest = rest.replace(new RegExp(`(^|[\\s[|])${flag}[ =](?:<[^>]*>|[^\\s\\]]+)`, 'g'), `$1${flag}`)
  return rest
}

const value = String.raw`<[^>]+>|\{[^}]+\}|[A-Z][A-Z0-9_:-]*(?![\w-])|[\w.-]+(?:\|[\w.-]+)+|\d+`
const inLine = new RegExp(
  String.raw`(\[\s*)?(?<![\w-])((?:-\w\s*[,|]\s*)?-{1,2}[A-Za-z][\w-]*)(?:([ =])(${value}|(?<=\[[^\]]*)[^\s\]|-][^\]|]*(?=\])))?`,
  'g',
)
const inList = new RegExp(
  String.raw`^${lead}((?:-\w(?:\s*[,|/]\s*|\s+))?--?[A-Za-z][\w-]*)(?:([ =])(${value}))?\s{2,}(\S[^\n"'` +
    '`' +
    String.raw`\\]*)`,
  'gm',
)

/** Those of the usage itself, and where it says `[options]` those that are listed with a text of their own. */
function optionsOf(lines: readonly string[], text: string): ScriptParam[] {
  const listed = [...text.matchAll(inList)].map(([, flags, sign, taken, words]) =>
    optionOf(flags!, { sign, taken, words: words!.trim() }),
  )
  const named = lines.flatMap((line) =>
    [...line.matchAll(inLine)].map(([, , flags, sign, taken]) => optionOf(flags!, { sign, taken })),
  )
  const isOpen = lines.some((line) => /\[(options?|flags?|opts)(\.\.\.)?\]/i.test(line))
  const found = new Map<string, ScriptParam>()
  for (const option of [...named, ...(isOpen ? listed : [])]) {
    const known = found.get(option.flag!)
    if (/^(-h|--help|--version)$/.test(option.flag!) || (known && known.type !== 'boolean')) continue
    const description = listed.find(({ flag }) => flag === option.flag)?.description
    found.set(option.flag!, { ...option, description })
  }
  return [...found.values()]
}

interface OptionWords {
  readonly sign?: string | undefined
  readonly taken?: string | undefined
  readonly words?: string
}

function optionOf(flags: string, { sign, taken, words }: OptionWords): ScriptParam {
  const flag = /--[\w-]+/.exec(flags)?.[0] ?? /-\w[\w-]*/.exec(flags)![0]
  const facts = { name: paramName(flag), flag, isRequired: false, description: words || undefined }
  if (taken === undefined) return { ...facts, type: 'boolean' }
  const bare = taken.replace(/^[<{]|[>}]$/g, '')
  const choices = /^[a-z0-9][\w.-]*([|,][a-z0-9][\w.-]*)+$/.test(bare) ? bare.split(/[|,]/) : undefined
  const isNumber = /^(n|num|number|count|int|integer|port|seconds|width|height|\d+)$/i.test(bare)
  return { ...facts, type: isNumber ? 'integer' : 'string', joint: sign === '=' ? '=' : '', choices }
}

/** Each usage: its first line, and those right below it that begin with the same name; without that name. */
function* usagesIn(text: string): Generator<string[]> {
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const after = /usage:(.*)$/i.exec(line)?.[1]
    if (after === undefined) continue
    let at = index
    let written = bare(after)
    while (written === '' && at < index + 3) written = bare(lines[++at] ?? '')
    const [, program, first] = invocation.exec(written) ?? []
    if (program === undefined) continue
    const forms = [first!]
    for (;;) {
      const [, again, next] = invocation.exec(bare(lines[++at] ?? '')) ?? []
      if (again !== program) break
      forms.push(next!)
    }
    yield forms.map(withoutRemarks)
  }
}

const invocation = new RegExp(`^${before}(?!(?:from|import)\\s)(${name})(?![\\w:=(])(.*)$`)
const leading = new RegExp(`^${lead}`)

/** A line as a reader sees it: without the marks of a comment and the call that prints it. */
function bare(line: string): string {
  return line
    .replace(/\$\(basename[^)]*\)/, '$$0')
    .replace(leading, '')
    .replace(/(?:\\n)?["'`].*$/, '')
    .trim()
}

function withoutRemarks(line: string): string {
  return line
    .replace(/\s+(>&2|1>&2)?\s*;?\s*(exit.*)?$/, '')
    .replace(/\s+#\s.*$|\s{2,}[^\s[<$-].*$|\s+\([^)]*\)?\s*$/, '')
    .trim()
}

/** `[flags] <word> or name <word> <word>`, `<word> | --all`: each side is a form of its own. */
function alternatives(line: string): string[] {
  let depth = 0
  for (const { 0: found, index } of line.matchAll(/[[<{(]|[\]>})]|\sor\s+\S+|\s\|\s+(?=-)/g)) {
    if (/^[[<{(]$/.test(found)) depth++
    else if (found.length === 1) depth--
    else if (depth === 0) return [line.slice(0, index), ...alternatives(line.slice(index + found.length))]
  }
  return [line]
}
