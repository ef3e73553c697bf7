// argparse and optparse: parsers, their arguments, subparsers.
import type { Json } from '../../../tool/json.ts'
import type { PythonNode } from '../python-node.ts'
import type { PythonCall, PythonSource } from './python-source.ts'
import {
  firstParagraph,
  longest,
  paramName,
  type ScalarType,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { positionalsOfUsage } from './usage-line.ts'

interface Parser {
  readonly words: readonly string[]
  description?: string
  readonly params: ScriptParam[]
  hasCommands: boolean
}

export function readArgparse(source: PythonSource): ScriptInterface {
  const notes: string[] = []
  const parsers = new Map<string, Parser>()
  /** Names of what `add_subparsers` gave, with the parser they belong to. */
  const groups = new Map<string, Parser>()
  const all: Parser[] = []
  const bindings = bindingsOf(source)
  const isOptparse = source.imports('optparse')

  const parserOf = (name: string): Parser | undefined => parsers.get(name.replace(/^self\./, ''))
  const bind = (call: PythonCall, parser: Parser): void => {
    all.push(parser)
    for (const name of bindings.get(call.node) ?? []) parsers.set(name, parser)
  }

  for (const call of source.calls()) {
    const at = call.name.lastIndexOf('.')
    const receiver = at < 0 ? '' : call.name.slice(0, at).replace(/^self\./, '')
    const method = call.name.slice(at + 1)
    if (method === 'ArgumentParser' || method === 'OptionParser') {
      if (isParentOnly(source, call)) {
        bind(call, { words: ['\0parent'], params: [], hasCommands: false })
        continue
      }
      const described = call.named.get('description') ?? (isOptparse ? call.named.get('usage') : undefined)
      bind(call, {
        words: [],
        params: parentsOf(source, call, parsers),
        hasCommands: false,
        ...descriptionOf(described, source),
      })
    } else if (method === 'add_subparsers') {
      const parser = parserOf(receiver)
      if (!parser) continue
      parser.hasCommands = true
      for (const name of bindings.get(call.node) ?? []) groups.set(name, parser)
    } else if (method === 'add_parser') {
      const group = groups.get(receiver)
      const word = source.textOf(call.args[0])
      if (!group || word === undefined) {
        notes.push(`A subcommand in line ${lineOf(source, call.node)} has a name that only running it tells.`)
        continue
      }
      bind(call, {
        words: [...group.words, word],
        params: parentsOf(source, call, parsers),
        hasCommands: false,
        ...descriptionOf(call.named.get('description') ?? call.named.get('help'), source),
      })
    } else if (method === 'add_argument_group' || method === 'add_mutually_exclusive_group') {
      const parser = parserOf(receiver)
      if (parser) for (const name of bindings.get(call.node) ?? []) parsers.set(name, parser)
    } else if (method === 'add_argument' || method === 'add_option') {
      const parser = parserOf(receiver) ?? chained(receiver, all)
      if (!parser) {
        notes.push(`Line ${lineOf(source, call.node)} adds an argument to a parser that could not be told.`)
        continue
      }
      const param = readArgument(source, call, notes)
      if (param) parser.params.push(param)
    }
  }
  if (isOptparse) for (const parser of all) parser.params.push(...optparsePositionals(source, parser))
  return { by: isOptparse ? 'optparse' : 'argparse', ...described(source), commands: commandsOf(all), notes }
}

function described(source: PythonSource): { description?: string } {
  const description = firstParagraph(source.docstring)
  return description ? { description } : {}
}

/** `parser = ArgumentParser(…)`: which names each call is bound to. */
function bindingsOf(source: PythonSource): Map<PythonNode, string[]> {
  const bindings = new Map<PythonNode, string[]>()
  for (const node of source.nodes()) {
    if (node.name !== 'AssignStatement') continue
    const value = node.children.at(-1)!
    const names = node.children
      .slice(0, -1)
      .filter((part) => part.name === 'VariableName' || part.name === 'MemberExpression')
      .map((part) => source.sourceOf(part).replace(/^self\./, ''))
    bindings.set(value, names)
  }
  // `with` and walrus forms are rare enough to be left to --help.
  return bindings
}

/** `add_help=False` marks a parser that others take their arguments from. */
function isParentOnly(source: PythonSource, call: PythonCall): boolean {
  return source.valueOf(call.named.get('add_help')) === false && /\bparents\s*=/.test(source.text)
}

function parentsOf(
  source: PythonSource,
  call: PythonCall,
  parsers: ReadonlyMap<string, Parser>,
): ScriptParam[] {
  const parents = call.named.get('parents')
  if (!parents) return []
  return parents.children
    .filter((part) => part.name === 'VariableName')
    .flatMap((part) => parsers.get(source.sourceOf(part))?.params ?? [])
}

/** `ArgumentParser().add_argument(…)`. */
function chained(receiver: string, all: readonly Parser[]): Parser | undefined {
  return receiver.endsWith('()') ? all.at(-1) : undefined
}

function descriptionOf(node: PythonNode | undefined, source: PythonSource): { description?: string } {
  if (!node) return {}
  const isDoc = source.sourceOf(node).startsWith('__doc__')
  const description = firstParagraph(isDoc ? source.docstring : source.textOf(node))
  return description ? { description: description.replace(/^usage:\s*/i, '') } : {}
}

function commandsOf(all: readonly Parser[]): ScriptCommand[] {
  const parsers = all.filter(({ words }) => words[0] !== '\0parent')
  const root = parsers.find(({ words }) => words.length === 0)
  return parsers
    .filter((parser) => !parser.hasCommands && (parser.words.length > 0 || parser === root))
    .map(({ words, params, description }) => ({
      words,
      description: description || undefined,
      // Options of the parser above stand before the subcommand; they are kept for each, first.
      params: words.length > 0 ? withRoot(root, params) : params,
    }))
}

function withRoot(root: Parser | undefined, params: readonly ScriptParam[]): ScriptParam[] {
  const own = new Set(params.map(({ name }) => name))
  const above = (root?.params ?? []).filter(({ name, flag }) => flag !== undefined && !own.has(name))
  return [...above.map((param) => ({ ...param, isBefore: true })), ...params]
}

function readArgument(source: PythonSource, call: PythonCall, notes: string[]): ScriptParam | undefined {
  const flags = call.args.map((arg) => source.textOf(arg))
  if (flags.length === 0 || flags.includes(undefined)) {
    notes.push(`The argument in line ${lineOf(source, call.node)} has a name that only running it tells.`)
    return undefined
  }
  const written = flags as string[]
  const text = (name: string): string | undefined => source.textOf(call.named.get(name))
  const action = text('action') ?? sourceName(source, call.named.get('action')) ?? 'store'
  if (action === 'help' || action === 'version' || action.endsWith('VersionAction')) return undefined
  const isOption = written[0]!.startsWith('-')
  const flag = longest(written)
  const name = paramName(isOption ? (text('dest') ?? flag) : written[0]!)
  const choices = choicesOf(source, call.named.get('choices'))
  const type = typeOf(source, call.named.get('type'), choices)
  const fallback = source.valueOf(call.named.get('default'))
  const help = text('help')
    ?.replaceAll('%(default)s', String(fallback ?? ''))
    .replaceAll('%%', '%')
  const description = firstParagraph(help)
  const base = { name, type, description: description || undefined, choices }
  if (/^store_(true|false|const)$|BooleanOptionalAction$|^count$/.test(action)) {
    if (action === 'store_false')
      return { ...base, name: paramName(flag), flag, type: 'boolean', isRequired: false }
    const off = action.endsWith('BooleanOptionalAction') ? { off: flag.replace(/^--/, '--no-') } : {}
    return { ...base, flag, ...off, type: 'boolean', isRequired: false }
  }
  const list = listOf(source, call.named.get('nargs'), action)
  const isRequired = isOption
    ? source.valueOf(call.named.get('required')) === true
    : !/^[?*]$/.test(String(source.valueOf(call.named.get('nargs')) ?? '')) && fallback === undefined
  const usable = fallback !== undefined && fallback !== null && !isRequired && fits(fallback, type, list)
  return {
    ...base,
    ...(isOption ? { flag, joint: jointOf(flag, list) } : {}),
    ...(list ? { list: list.kind, count: list.count } : {}),
    isRequired,
    fallback: usable ? fallback : undefined,
  }
}

function jointOf(flag: string, list: List | undefined): '' | '=' {
  return flag.startsWith('--') && list?.kind !== 'together' ? '=' : ''
}

interface List {
  readonly kind: 'together' | 'repeated'
  readonly count: { min?: number; max?: number }
}

function listOf(source: PythonSource, nargs: PythonNode | undefined, action: string): List | undefined {
  if (action === 'append' || action === 'extend') return { kind: 'repeated', count: {} }
  const count = source.valueOf(nargs)
  if (count === '+') return { kind: 'together', count: { min: 1 } }
  if (count === '*') return { kind: 'together', count: {} }
  if (nargs && source.sourceOf(nargs).endsWith('REMAINDER')) return { kind: 'together', count: {} }
  if (typeof count === 'number' && count > 0) return { kind: 'together', count: { min: count, max: count } }
  return undefined
}

function choicesOf(source: PythonSource, node: PythonNode | undefined): readonly Json[] | undefined {
  if (!node) return undefined
  const value = source.valueOf(node)
  if (Array.isArray(value) && value.length > 0) return value as readonly Json[]
  const range = /^range\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?\)$/.exec(source.sourceOf(node))
  if (!range) return undefined
  const [from, to] = range[2] === undefined ? [0, Number(range[1])] : [Number(range[1]), Number(range[2])]
  return to - from > 100 ? undefined : Array.from({ length: to - from }, (_, i) => from + i)
}

const types: { readonly [name: string]: ScalarType } = { int: 'integer', float: 'number', bool: 'boolean' }

export function typeOf(
  source: PythonSource,
  node: PythonNode | undefined,
  choices: readonly Json[] | undefined,
): ScalarType {
  const name = node ? (source.textOf(node) ?? source.sourceOf(node)) : ''
  if (Object.hasOwn(types, name)) return types[name] === 'boolean' ? 'string' : types[name]!
  if (choices?.every((choice) => Number.isInteger(choice))) return 'integer'
  return 'string'
}

function fits(value: Json, type: ScalarType, list: List | undefined): boolean {
  if (list) return Array.isArray(value) && value.every((item: Json) => fits(item, type, undefined))
  if (type === 'string') return typeof value === 'string' || typeof value === 'number'
  return type === 'boolean' ? typeof value === 'boolean' : typeof value === 'number'
}

function sourceName(source: PythonSource, node: PythonNode | undefined): string | undefined {
  return node ? source.sourceOf(node) : undefined
}

function lineOf(source: PythonSource, node: PythonNode): number {
  return source.text.slice(0, node.from).split('\n').length
}

/** optparse names positional arguments in its usage line alone. */
function optparsePositionals(source: PythonSource, parser: Parser): ScriptParam[] {
  const usage = parser.description ?? ''
  const words = /%prog(.*)$/.exec(usage)?.[1]
  if (words === undefined) return []
  delete parser.description
  const description = firstParagraph(source.docstring)
  if (description) parser.description = description
  return positionalsOfUsage(words)
}
