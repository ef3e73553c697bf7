// yargs and node:util parseArgs: options as object literals.
import type { Json } from '../../../tool/json.ts'
import { argumentOf } from './read-commander.ts'
import type { AstNode, JsCall, ScriptAst } from './script-ast.ts'
import {
  firstParagraph,
  paramName,
  type ScalarType,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

export function readYargs(ast: ScriptAst): ScriptInterface {
  const shared: ScriptParam[] = []
  const commands: ScriptCommand[] = []
  const demanded = new Set<string>()
  let usage: string | undefined
  const operands: ScriptParam[] = []
  const inside = commandRanges(ast)
  for (const call of callsInOrder(ast)) {
    if (inside.some(({ from, to }) => call.node.start > from && call.node.end <= to)) continue
    if (call.method === 'command') {
      const made = commandOf(ast, call)
      if (made) commands.push(made)
    } else if (call.method === 'usage') {
      const text = firstParagraph(ast.textOf(call.args[0]))
      const words = text?.replace(/^(Usage:\s*)?\$0\s*/i, '')
      // `[options] <file>` names arguments; anything else says what the program does.
      if (words && /^[[<]/.test(words)) operands.push(...operandsOfUsage(words))
      else if (words) usage = words
    } else if (call.method === 'demandOption') {
      const names = ast.valueOf(call.args[0])
      for (const name of Array.isArray(names) ? names : [names]) demanded.add(paramName(String(name)))
    } else shared.push(...optionCall(ast, call))
  }
  const require = (param: ScriptParam): ScriptParam =>
    demanded.has(param.name) ? { ...param, isRequired: true } : param
  const options = unique([...shared, ...operands]).map(require)
  const isDefault = commands.length === 1 && commands[0]!.words.length === 0
  if (commands.length === 0)
    return {
      by: 'yargs',
      description: usage || undefined,
      commands: [{ words: [], params: options }],
      notes: [],
    }
  return {
    by: 'yargs',
    description: usage && !isDefault ? usage : undefined,
    commands: commands.map((command) => ({ ...command, params: unique([...command.params, ...options]) })),
    notes: [],
  }
}

/** What stands inside the arguments of `.command(…)`: its options are its own. */
function commandRanges(ast: ScriptAst): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const node of ast.nodes()) {
    const call = ast.callOf(node)
    const first = call?.method === 'command' ? call.args[0] : undefined
    if (call && first) ranges.push({ from: first.start, to: call.node.end - 1 })
  }
  return ranges
}

function commandOf(ast: ScriptAst, call: JsCall): ScriptCommand | undefined {
  const module = ast.entriesOf(call.args[0])
  const given = ast.valueOf(module.get('command') ?? call.args[0])
  const text = Array.isArray(given) ? given[0] : given
  if (typeof text !== 'string') return undefined
  const [word, ...rest] = text.split(/\s+/)
  const description = firstParagraph(
    ast.textOf(module.get('describe') ?? module.get('desc') ?? module.get('description') ?? call.args[1]),
  )
  const builder = module.get('builder') ?? call.args[2]
  const options = builder ? builderOptions(ast, builder) : []
  const positionals = rest.map((part) => {
    const own = options.find(({ name }) => name === argumentOf(part).name)
    const base = argumentOf(part)
    return own ? { ...base, type: own.type, ...pick(own, ['description', 'choices', 'fallback']) } : base
  })
  const taken = new Set(positionals.map(({ name }) => name))
  return {
    words: word === '$0' || word === '*' ? [] : [word!],
    description: description || undefined,
    params: [...positionals, ...options.filter(({ name }) => !taken.has(name))],
  }
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as Pick<T, K>
}

function builderOptions(ast: ScriptAst, builder: AstNode): ScriptParam[] {
  if (builder.type === 'ObjectExpression')
    return [...ast.entriesOf(builder)].map(([name, node]) => optionOf(ast, name, node))
  return unique(callsInOrder(ast, [builder]).flatMap((call) => optionCall(ast, call)))
}

/** Calls as they stand in the file; of a chain the first link comes first. */
function callsInOrder(ast: ScriptAst, from?: readonly AstNode[]): JsCall[] {
  const calls = [...ast.nodes(from)].map((node) => ast.callOf(node)).filter((call) => call !== undefined)
  return calls.sort((a, b) => a.node.end - b.node.end)
}

function optionCall(ast: ScriptAst, call: JsCall): ScriptParam[] {
  if (!/^(option|options|positional)$/.test(call.method)) return []
  const name = ast.textOf(call.args[0])
  if (name !== undefined) return [optionOf(ast, name, call.args[1], call.method === 'positional')]
  return [...ast.entriesOf(call.args[0])].map(([key, node]) => optionOf(ast, key, node))
}

function optionOf(
  ast: ScriptAst,
  written: string,
  node: AstNode | undefined,
  isPositional = false,
): ScriptParam {
  const facts = ast.entriesOf(node)
  const value = (key: string): Json | undefined => ast.valueOf(facts.get(key))
  const fallback = value('default')
  const choices = value('choices')
  const type = typeOf(value('type'), fallback)
  const isList = value('type') === 'array' || value('array') === true
  const description = firstParagraph(String(value('describe') ?? value('description') ?? value('desc') ?? ''))
  const isRequired = value('demandOption') === true || value('required') === true
  const flag = written.length === 1 ? `-${written}` : `--${written}`
  const isScalar = fallback !== null && fallback !== undefined && typeof fallback !== 'object'
  return {
    name: paramName(written),
    type,
    ...(isPositional ? {} : { flag, ...(type === 'boolean' ? offOf(written) : { joint: '=' as const }) }),
    ...(isList ? { list: 'repeated' as const, count: isRequired ? { min: 1 } : {} } : {}),
    isRequired: isRequired && type !== 'boolean',
    description: description || undefined,
    choices: Array.isArray(choices) ? (choices as Json[]) : undefined,
    fallback: isScalar && !isRequired ? fallback : undefined,
  }
}

/** What says false; an option that is a no already has no opposite. */
function offOf(written: string): { off?: string } {
  return written.startsWith('no-') || written.length === 1 ? {} : { off: `--no-${written}` }
}

function typeOf(given: Json | undefined, fallback: Json | undefined): ScalarType {
  if (given === 'boolean' || given === 'count' || (given === undefined && typeof fallback === 'boolean'))
    return 'boolean'
  return given === 'number' || (given === undefined && typeof fallback === 'number') ? 'number' : 'string'
}

function unique(params: readonly ScriptParam[]): ScriptParam[] {
  return [...new Map(params.map((param) => [param.name, param])).values()]
}

/** A function of the same name is no library. */
const isOfNode = /['"](?:node:)?util['"]/

/** `parseArgs({ options: { name: { type, short, multiple, default } }, allowPositionals })` of node:util. */
export function readParseArgs(ast: ScriptAst): ScriptInterface | undefined {
  for (const node of ast.nodes()) {
    const call = ast.callOf(node)
    if (call?.method !== 'parseArgs' || !isOfNode.test(ast.text)) continue
    const given = ast.entriesOf(call.args[0])
    const params = [...ast.entriesOf(given.get('options'))].map(([name, option]): ScriptParam => {
      const facts = ast.entriesOf(option)
      const isSwitch = ast.valueOf(facts.get('type')) === 'boolean'
      const isList = ast.valueOf(facts.get('multiple')) === true
      const fallback = ast.valueOf(facts.get('default'))
      const usable = (isSwitch ? false : typeof fallback === 'string') && !isList
      return {
        name: paramName(name),
        flag: `--${name}`,
        type: isSwitch ? 'boolean' : 'string',
        joint: isSwitch ? undefined : ('=' as const),
        ...(isList && !isSwitch ? { list: 'repeated' as const, count: {} } : {}),
        isRequired: isDemanded(ast, name),
        fallback: usable ? fallback! : undefined,
      }
    })
    if (ast.valueOf(given.get('allowPositionals')) === true) params.push(...positionalsOf(ast))
    return { by: 'util.parseArgs', commands: [{ words: [], params }], notes: [] }
  }
  return undefined
}

/** `if (!values.name) …` before the work begins says that it must be given. */
function isDemanded(ast: ScriptAst, name: string): boolean {
  const escaped = name.replace(/[^\w-]/g, '')
  const access = `(?:\\.${escaped}\\b|\\[['"]${escaped}['"]\\])`
  return new RegExp(`if\\s*\\(\\s*!\\s*\\w+${access}\\s*\\)`).test(ast.text)
}

function positionalsOf(ast: ScriptAst): ScriptParam[] {
  const named = /const\s*\[([^\]]+)\]\s*=\s*(?:\w+\.)?positionals\b/.exec(ast.text)?.[1]
  if (!named)
    return [
      {
        name: 'args',
        type: 'string',
        list: 'together',
        count: {},
        isRequired: false,
        description: 'Positional arguments.',
      },
    ]
  return named.split(',').map((part): ScriptParam => {
    const [left, fallback] = part.split('=').map((text) => text.trim())
    const isRest = left!.startsWith('...')
    const text = fallback && /^(['"])(.*)\1$/.exec(fallback)?.[2]
    const name = left!.replace(/^\.\.\./, '')
    const isRequired =
      !isRest && fallback === undefined && new RegExp(`if\\s*\\(\\s*!\\s*${name}\\b`).test(ast.text)
    return {
      name: paramName(name),
      type: 'string',
      isRequired,
      ...(isRest ? { list: 'together' as const, count: {} } : {}),
      fallback: text !== undefined && text !== '' ? text : undefined,
    }
  })
}
