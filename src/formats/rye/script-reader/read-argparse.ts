// argparse and optparse: parsers, their arguments, subparsers.
import type { Json } from '../../../tool/json.ts'
import type { PythonNode } from '../python-node.ts'
import { helpersOf, type ParserHelper, returnedName } from './parser-helpers.ts'
import type { PythonCall, PythonSource } from './python-source.ts'
import { itemsOf, sentenceOf } from './python-words.ts'
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
  /** As optparse is given it. */
  readonly usage?: string | undefined
  readonly params: ScriptParam[]
  hasCommands: boolean
}

export function readArgparse(source: PythonSource): ScriptInterface {
  const isOptparse = source.imports('optparse')
  const reader = new ArgparseReader(source, isOptparse)
  reader.walk(source.script)
  const { all, notes } = reader
  if (isOptparse) for (const parser of all) parser.params.push(...optparsePositionals(source, parser))
  return { by: isOptparse ? 'optparse' : 'argparse', ...described(source), commands: commandsOf(all), notes }
}

/** How deep functions that get a parser call each other. */
const maxCalls = 5

class ArgparseReader {
  readonly all: Parser[] = []
  readonly notes: string[] = []
  readonly #source: PythonSource
  readonly #isOptparse: boolean
  readonly #bindings: ReadonlyMap<PythonNode, readonly string[]>
  /** Several for the name of a loop over parsers. */
  readonly #parsers = new Map<string, readonly Parser[]>()
  /** Names of what `add_subparsers` gave, with the parser they belong to. */
  readonly #groups = new Map<string, Parser>()
  /** Functions that get a parser, or what takes subcommands: read where they are called. */
  readonly #helpers: ReadonlyMap<string, ParserHelper>

  constructor(source: PythonSource, isOptparse: boolean) {
    this.#source = source
    this.#isOptparse = isOptparse
    this.#bindings = bindingsOf(source)
    this.#helpers = helpersOf(source)
  }

  walk(from: PythonNode, depth = 0): void {
    const bodies = new Set([...this.#helpers.values()].map(({ body }) => body))
    const left = [from]
    for (let node = left.pop(); node; node = left.pop()) {
      if (node !== from && bodies.has(node)) continue
      if (node.name === 'ForStatement') this.#bindLoop(node)
      const call = node.name === 'CallExpression' ? this.#source.callOf(node) : undefined
      left.push(...node.children.toReversed())
      if (call) this.#read(call, depth)
    }
  }

  /** `for each in (first, second):` with parsers in it. */
  #bindLoop({ children }: PythonNode): void {
    const at = children.findIndex((part) => part.name === 'in')
    const over = children[at + 1]
    const names = (over?.children ?? []).filter((part) => part.name === 'VariableName')
    const parsers = names.flatMap((part) => this.#parsersOf(this.#source.sourceOf(part)))
    if (at === 2 && parsers.length > 0) this.#parsers.set(this.#source.sourceOf(children[1]!), parsers)
  }

  #parsersOf(name: string): readonly Parser[] {
    return this.#parsers.get(name.replace(/^self\./, '')) ?? []
  }

  #bind(call: PythonCall, parser: Parser): void {
    this.all.push(parser)
    for (const name of this.#bindings.get(call.node) ?? []) this.#parsers.set(name, [parser])
  }

  #read(call: PythonCall, depth: number): void {
    const source = this.#source
    const at = call.name.lastIndexOf('.')
    const receiver = at < 0 ? '' : call.name.slice(0, at).replace(/^self\./, '')
    const method = call.name.slice(at + 1)
    if (method === 'ArgumentParser' || method === 'OptionParser') {
      if (isParentOnly(source, call)) {
        this.#bind(call, { words: ['\0parent'], params: [], hasCommands: false })
        return
      }
      this.#bind(call, {
        words: [],
        params: this.#parentsOf(call),
        hasCommands: false,
        ...descriptionOf(call.named.get('description'), source),
        usage: this.#isOptparse ? source.textOf(call.named.get('usage') ?? call.args[0]) : undefined,
      })
    } else if (method === 'add_subparsers') {
      const [parser] = this.#parsersOf(receiver)
      if (!parser) return
      parser.hasCommands = true
      for (const name of this.#bindings.get(call.node) ?? []) this.#groups.set(name, parser)
    } else if (method === 'add_parser') this.#addCommand(call, receiver)
    else if (/^(add_argument_group|add_mutually_exclusive_group|OptionGroup)$/.test(method)) {
      const parsers = this.#parsersOf(
        method === 'OptionGroup' && call.args[0] ? source.sourceOf(call.args[0]) : receiver,
      )
      for (const name of this.#bindings.get(call.node) ?? []) this.#parsers.set(name, parsers)
    } else if (method === 'add_argument' || method === 'add_option') {
      const known = this.#parsersOf(receiver)
      const parsers = known.length > 0 || !receiver.endsWith('()') ? known : this.all.slice(-1)
      if (parsers.length === 0) {
        this.notes.push(
          `Line ${lineOf(source, call.node)} adds an argument to a parser that could not be told.`,
        )
        return
      }
      const param = readArgument(source, call, this.notes)
      if (param) for (const parser of parsers) parser.params.push(param)
    } else this.#readHelper(call, method, depth)
  }

  #addCommand(call: PythonCall, receiver: string): void {
    const group = this.#groups.get(receiver)
    const word = this.#source.textOf(call.args[0])
    if (!group || word === undefined) {
      const line = lineOf(this.#source, call.node)
      this.notes.push(`A subcommand in line ${line} has a name that only running it tells.`)
      return
    }
    this.#bind(call, {
      words: [...group.words, word],
      params: this.#parentsOf(call),
      hasCommands: false,
      ...descriptionOf(call.named.get('description') ?? call.named.get('help'), this.#source),
    })
  }

  #parentsOf(call: PythonCall): ScriptParam[] {
    return (call.named.get('parents')?.children ?? [])
      .filter((part) => part.name === 'VariableName')
      .flatMap((part) => this.#parsersOf(this.#source.sourceOf(part)).flatMap(({ params }) => params))
  }

  /** `add_common(parser)`: what the function does with it; `make_parser()`: what it returns. */
  #readHelper(call: PythonCall, name: string, depth: number): void {
    const helper = this.#helpers.get(name)
    if (helper && depth < maxCalls) {
      const given = new Map([...call.args.entries()].map(([i, arg]) => [helper.params[i] ?? '', arg]))
      for (const [param, arg] of [...given, ...call.named]) {
        const written = this.#source.sourceOf(arg)
        const group = this.#groups.get(written.replace(/^self\./, ''))
        this.#parsers.set(param, this.#parsersOf(written))
        if (group) this.#groups.set(param, group)
      }
      this.walk(helper.body, depth + 1)
    }
    const made = this.#source.functionNamed(name)
    const names = made ? (this.#bindings.get(call.node) ?? []) : []
    const returned = names.length > 0 ? returnedName(this.#source, made!) : undefined
    const parsers = returned === undefined ? [] : this.#parsersOf(returned)
    if (parsers.length > 0) for (const each of names) this.#parsers.set(each, parsers)
  }
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

function descriptionOf(node: PythonNode | undefined, source: PythonSource): { description?: string } {
  if (!node) return {}
  const description = firstParagraph(sentenceOf(source, node))
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
  const choices = itemsOf(source, call.named.get('choices'))
  const type = typeOf(source, call.named.get('type'), choices)
  const fallback = source.valueOf(call.named.get('default'))
  const help = sentenceOf(source, call.named.get('help'))
    ?.replaceAll('%default', '%(default)s')
    .replace(/\s*[[(]default:?\s*%\(default\)s[\])]/gi, (words) => (fallback === undefined ? '' : words))
    .replaceAll('%(default)s', String(fallback ?? ''))
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
    : !isOptional(source, call.named.get('nargs')) && fallback === undefined
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

function isOptional(source: PythonSource, nargs: PythonNode | undefined): boolean {
  return nargs !== undefined && /^[?*]$|REMAINDER$/.test(source.textOf(nargs) ?? source.sourceOf(nargs))
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

/** optparse names positional arguments in its usage line alone; without one, what is left over is a list. */
function optparsePositionals(source: PythonSource, { usage }: Parser): ScriptParam[] {
  if (usage !== undefined) return positionalsOfUsage(usage.replace(/^usage:\s*/i, '').replace(/^\S+\s*/, ''))
  const rest = /\(?\s*\w+\s*,\s*(\w+)\s*\)?\s*=\s*\w+\.parse_args\(/.exec(source.text)?.[1]
  const isUsed = rest !== undefined && source.text.split(new RegExp(`\\b${rest}\\b`)).length > 2
  return isUsed ? [{ name: 'args', type: 'string', list: 'together', count: {}, isRequired: false }] : []
}
