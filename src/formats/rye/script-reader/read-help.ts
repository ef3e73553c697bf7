// What a program says of itself with --help: the usage line and the lines of options below it.
import {
  firstParagraph,
  longest,
  paramName,
  type ScalarType,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { positionalsOfUsage } from './usage-line.ts'

const optionLine =
  /^\s{1,12}((?:-{1,2}[A-Za-z0-9][\w-]*)(?:[ =]?(?:<[^>]+>|\[[^\]]+\]|\{[^}]+\}|[A-Z][A-Z0-9_:|-]*|(?:string|int|float|number|path|file|text|integer)\b)(?:\.\.\.)?)?(?:,?\s+-{1,2}[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|\[[^\]]+\]|\{[^}]+\}|[A-Z][A-Z0-9_:|-]*|(?:string|int|float|number|path|file|text|integer)\b)(?:\.\.\.)?)?)*)(?:(?:\s{2,}|\t)(\S.*)|\s*\n\s{10,}(\S.*))?$/gm

/** Undefined when the text is no help at all. */
export function readHelp(given: string): ScriptInterface | undefined {
  const text = given.replace(/\u001b\[[0-9;]*m/g, '').replace(/\r/g, '')
  const written = /^\s*usage:\s*((?:.|\n[ \t]+(?=[[<-]))*)/im.exec(text)?.[1]
  // What stands far to the right of a usage explains it.
  const usage = written?.replace(/ {3,}[a-z].*$/gm, '').replace(/\s+/g, ' ')
  const isCommandList = hasSeveralUsages(text)
  const params: ScriptParam[] = []
  for (const [, flags, words, below] of text.matchAll(optionLine)) {
    const param = optionOf(flags!, words ?? below, usage)
    if (param && !params.some(({ name }) => name === param.name)) params.push(param)
  }
  if (usage === undefined && params.length === 0) return undefined
  const positionals = usage === undefined || isCommandList ? [] : usagePositionals(usage)
  const description = describe(text)
  const subcommands =
    isCommandList ||
    /\{[a-z][\w-]*(,[a-z][\w-]*)+\}/.test(usage ?? '') ||
    /^\s*(commands|subcommands):/im.test(text)
  return {
    by: '--help',
    description: description || undefined,
    commands: [{ words: [], params: [...params, ...positionals] }],
    notes: subcommands ? ['Its subcommands were not read; add each with `-- <command> <subcommand>`.'] : [],
  }
}

/** Lines below `Usage:` that name one program and then words of their own, as `npm --help` does. */
function hasSeveralUsages(text: string): boolean {
  const lines = /^\s*usage:\s*\n\s*((?:\S.*\n?)+)/im.exec(text)?.[1]?.split('\n') ?? []
  const starts = lines.map((line) => /^\s*(\S+) ([a-z][\w-]*)\b/.exec(line)).filter((start) => start !== null)
  return starts.length > 1 && new Set(starts.map(([, program]) => program)).size === 1
}

function usagePositionals(usage: string): ScriptParam[] {
  const [, ...words] = usage.split(/\s(?=[[<A-Za-z-])/)
  const rest = words
    .join(' ')
    .replace(/\[?-{1,2}[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|\{[^}]*\}|[A-Z][A-Z0-9_]*))?(?:\s*\|[^\]]*)?\]?/g, ' ')
  return positionalsOfUsage(
    rest.replace(/\{[^}]*\}|\[\s*\]|\.\.\.(?=\s*$)/g, (part) => (part === '...' ? part : ' ')),
  )
}

function optionOf(
  flags: string,
  words: string | undefined,
  usage: string | undefined,
): ScriptParam | undefined {
  const names = [...flags.matchAll(/-{1,2}[A-Za-z0-9][\w-]*/g)].map(([flag]) => flag)
  const flag = longest(names)
  if (/^--?(h|help|version|V)$/.test(flag)) return undefined
  const value =
    /(?:<([^>]+)>|\[=?([^\]]+)\]|\{([^}]+)\}|[ =]([A-Z][A-Z0-9_:|-]*|string|int|float|number|path|file|text|integer))/.exec(
      flags,
    )
  const fallback = /[[(]default:?\s*([^\])]+?)\s*[\])]/i.exec(words ?? '')?.[1]?.replace(/^["']|["']$/g, '')
  const listed =
    value?.[3] ??
    /(?:one of|choices:?|possible values:?)\s*[:=]?\s*[[({]?([\w-]+(?:\s*[,|]\s*[\w-]+)+)/i.exec(
      words ?? '',
    )?.[1]
  const description = firstParagraph(
    words?.replace(/\s*[[(](default|required|possible values)[^\])]*[\])]/gi, ''),
  )
  const facts = { name: paramName(flag), flag, description: description || undefined }
  if (!value) return { ...facts, type: 'boolean', isRequired: false }
  const hint = (value[1] ?? value[2] ?? value[4] ?? '').toLowerCase()
  const type: ScalarType = /^(int|integer|n|num|number|count|port|seconds)$/.test(hint)
    ? 'integer'
    : hint === 'float'
      ? 'number'
      : 'string'
  const isRequired =
    /[[(]required[\])]/i.test(words ?? '') ||
    (usage !== undefined && new RegExp(`(?<!\\[)(?<!\\| )${flag}[ =]`).test(usage))
  const isList = /\.\.\./.test(flags)
  const settled =
    fallback === undefined || fallback === 'None'
      ? undefined
      : type === 'string'
        ? fallback
        : Number(fallback)
  const isNumber = typeof settled === 'number' && Number.isNaN(settled)
  return {
    ...facts,
    type,
    joint: flag.startsWith('--') && !isList ? '=' : '',
    isRequired,
    ...(isList ? { list: 'repeated' as const, count: {} } : {}),
    choices: listed ? listed.split(/\s*[,|]\s*/) : undefined,
    fallback: settled !== undefined && !isNumber && !isRequired && !isList ? settled : undefined,
  }
}

/** The first sentence that is neither usage nor an option. */
function describe(text: string): string | undefined {
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim())
  const block = blocks.find(
    (each) => each !== '' && !/^usage:/i.test(each) && !/^-/.test(each) && !/^[\w -]+:\s*(\n|$)/.test(each),
  )
  // `tool 1.2.3` on a line of its own is its name.
  return firstParagraph(block?.replace(/^\S+ v?\d+\.\d[\w.-]*\n/, ''))
}
