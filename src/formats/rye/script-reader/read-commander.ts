// commander: `.option('-f, --force <x>', 'text', default)`, `.argument('<file>')`, `.command('build <target>')`.
import type { Json } from '../../../tool/json.ts'
import type { AstNode, JsCall, ScriptAst } from './script-ast.ts'
import {
  firstParagraph,
  longest,
  paramName,
  type ScalarType,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

interface Program {
  words: string[]
  description?: string
  readonly params: ScriptParam[]
  /** `[options] <file>`: names the arguments of a program that declares none. */
  usage?: string
  hasCommands: boolean
}

export function readCommander(ast: ScriptAst): ScriptInterface {
  const notes: string[] = []
  const root: Program = { words: [], params: [], hasCommands: false }
  const commands: Program[] = []
  const names = new Map<string, Program>()
  const seen = new Set<AstNode>()
  for (const node of ast.nodes()) {
    const isCall = node.type === 'CallExpression' && !seen.has(node)
    if (!isCall) continue
    const { base, calls } = ast.chainOf(node)
    for (const call of calls) seen.add(call.node)
    if (calls.length === 0) continue
    const bound = boundName(ast, node)
    const started = base.type === 'Identifier' ? names.get(String(base['name'])) : undefined
    const isOther = base.type === 'Identifier' && !started && !isProgram(ast, String(base['name']))
    if (isOther) continue
    let current = started ?? root
    const above = current
    for (const call of calls) current = apply(ast, call, { current, above, commands, notes })
    if (bound) names.set(bound, current)
  }
  const { description } = root
  return {
    by: 'commander',
    description: description || undefined,
    commands: commandsOf(root, commands),
    notes,
  }
}

/** A name that is imported from commander or made by `new Command()`. */
function isProgram(ast: ScriptAst, name: string): boolean {
  return (
    new RegExp(
      `\\b${name}\\s*=\\s*(?:new\\s+[\\w.]*Command\\b|[\\w.]*createCommand\\b|require\\(['"]commander)`,
    ).test(ast.text) ||
    new RegExp(`[{,]\\s*${name}\\s*[,}][^;\\n]*(?:from\\s*|require\\()['"]commander`).test(ast.text)
  )
}

function boundName(ast: ScriptAst, node: AstNode): string | undefined {
  const before = ast.text.slice(Math.max(0, node.start - 80), node.start)
  return /(?:const|let|var)\s+(\w+)\s*=\s*$/.exec(before)?.[1]
}

interface Place {
  readonly current: Program
  readonly above: Program
  readonly commands: Program[]
  readonly notes: string[]
}

function apply(ast: ScriptAst, call: JsCall, { current, above, commands, notes }: Place): Program {
  const text = ast.textOf(call.args[0])
  switch (call.method) {
    case 'description':
    case 'summary':
      if (text !== undefined && !current.description) {
        const line = firstParagraph(text)
        if (line) current.description = line
      }
      return current
    case 'command': {
      if (text === undefined) {
        notes.push('A subcommand has a name that only running it tells.')
        return current
      }
      const [word, ...rest] = text.split(/\s+/)
      above.hasCommands = true
      const made: Program = { words: [...above.words, word!], params: [], hasCommands: false }
      const described = firstParagraph(ast.textOf(call.args[1]))
      if (described) made.description = described
      made.params.push(...rest.map((part) => argumentOf(part)))
      commands.push(made)
      return made
    }
    case 'argument':
    case 'arguments': {
      if (text === undefined) return current
      const last = call.args.length > 2 ? call.args.at(-1) : undefined
      for (const part of text.split(/\s+(?=[[<])/))
        current.params.push(argumentOf(part, firstParagraph(ast.textOf(call.args[1])), ast.valueOf(last)))
      return current
    }
    case 'usage':
      if (text !== undefined) current.usage = text
      return current
    case 'option':
    case 'requiredOption': {
      const option = text === undefined ? undefined : optionOf(ast, text, call)
      if (option) current.params.push(option)
      else notes.push('An option has a name that only running it tells.')
      return current
    }
    case 'addOption': {
      const option = call.args[0] && addedOption(ast, call.args[0])
      if (option) current.params.push(option)
      return current
    }
    default:
      return current
  }
}

function commandsOf(root: Program, commands: readonly Program[]): ScriptCommand[] {
  const finish = ({ words, description, params, usage }: Program): ScriptCommand => ({
    words,
    description: description || undefined,
    params: params.some(({ flag }) => flag === undefined)
      ? params
      : [...params, ...operandsOfUsage(usage ?? '')],
  })
  const leaves = commands.filter(({ hasCommands }) => !hasCommands)
  if (leaves.length === 0) return [finish(root)]
  return leaves.map((leaf) => {
    const own = new Set(leaf.params.map(({ name }) => name))
    const above = root.params.filter(({ name, flag }) => flag !== undefined && !own.has(name))
    return finish({
      ...leaf,
      params: [...above.map((param) => ({ ...param, isBefore: true })), ...leaf.params],
    })
  })
}

/** `<file>`, `[file]`, `<files...>`. */
export function argumentOf(written: string, description?: string, fallback?: Json): ScriptParam {
  const isList = /\.\.[\])>.]?/.test(written)
  const isRequired = !written.startsWith('[')
  const usable = typeof fallback === 'string' && fallback !== description && !isRequired
  return {
    name: paramName(written.replace(/[<>[\].]/g, '')),
    type: 'string',
    isRequired,
    ...(isList ? { list: 'together' as const, count: isRequired ? { min: 1 } : {} } : {}),
    description: description || undefined,
    fallback: usable ? fallback : undefined,
  }
}

function optionOf(ast: ScriptAst, text: string, call: JsCall): ScriptParam | undefined {
  const description = firstParagraph(ast.textOf(call.args[1]))
  const third = call.args[2]
  const coercion = third ? ast.text.slice(third.start, third.end) : ''
  const isCoerced = /^(parseInt|parseFloat|Number)$|=>|^function/.test(coercion)
  const fallback = ast.valueOf(isCoerced ? call.args[3] : third)
  const type = coercedType(coercion, fallback)
  return flagsOf(text, { description, fallback, type, isRequired: call.method === 'requiredOption' })
}

function coercedType(coercion: string, fallback: Json | undefined): ScalarType {
  if (/parseInt/.test(coercion)) return 'integer'
  if (/parseFloat|Number\b/.test(coercion)) return 'number'
  if (typeof fallback !== 'number') return 'string'
  return Number.isInteger(fallback) ? 'integer' : 'number'
}

interface OptionFacts {
  readonly description?: string | undefined
  readonly fallback?: Json | undefined
  readonly choices?: readonly Json[] | undefined
  readonly type: ScalarType
  readonly isRequired: boolean
}

/** `-p, --port <number>`; `--no-color`; a value in `[]` may be left out. */
function flagsOf(text: string, facts: OptionFacts): ScriptParam | undefined {
  const flags = [...text.matchAll(/(?:^|[\s,|])(-{1,2}[A-Za-z][\w-]*)/g)].map((match) => match[1]!)
  if (flags.length === 0) return undefined
  const flag = longest(flags)
  const value = /[<[]([^\]>]+)[\]>]/.exec(text)?.[1]
  const { description, fallback, choices, type, isRequired } = facts
  const common = { description: description || undefined, choices }
  if (value === undefined) {
    const name = paramName(flag)
    return { name, flag, type: 'boolean', isRequired: false, ...common }
  }
  const isList = value.endsWith('...')
  const usable = (typeof fallback === 'string' || typeof fallback === 'number') && !isRequired && !isList
  return {
    name: paramName(flag),
    flag,
    joint: flag.startsWith('--') && !isList ? '=' : '',
    type,
    ...(isList ? { list: 'together' as const, count: isRequired ? { min: 1 } : {} } : {}),
    isRequired,
    ...common,
    fallback: usable ? (type === 'string' ? String(fallback) : fallback) : undefined,
  }
}

/** `new Option('-s, --size <s>').choices([…]).default('m')`. */
function addedOption(ast: ScriptAst, node: AstNode): ScriptParam | undefined {
  const { base, calls } = ast.chainOf(node)
  const made = base.type === 'NewExpression' ? ast.callOf(base) : undefined
  const text = made && ast.textOf(made.args[0])
  if (!made || text === undefined) return undefined
  const arg = (method: string) => calls.find((call) => call.method === method)?.args[0]
  const choices = ast.valueOf(arg('choices'))
  const parser = arg('argParser')
  const coercion = parser ? ast.text.slice(parser.start, parser.end) : ''
  return flagsOf(text, {
    description: firstParagraph(ast.textOf(made.args[1])),
    fallback: ast.valueOf(arg('default')),
    choices: Array.isArray(choices) ? (choices as Json[]) : undefined,
    type: coercedType(coercion, undefined),
    isRequired: calls.some((call) => call.method === 'makeOptionMandatory'),
  })
}
