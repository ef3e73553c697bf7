// click and typer: functions whose decorators or signatures say what they take.
import type { Json } from '../../../tool/json.ts'
import type { PythonNode } from '../python-node.ts'
import { type SignaturePart, signatureOf } from './python-signature.ts'
import type { PythonCall, PythonSource } from './python-source.ts'
import { enumMembers, itemsOf, sentenceOf } from './python-words.ts'
import { typeOf } from './read-argparse.ts'
import {
  firstParagraph,
  paramName,
  type ScalarType,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'

interface Entry {
  readonly name: string
  readonly isGroup: boolean
  /** The name of the group it was added to. */
  readonly parent: string | undefined
  readonly command: Omit<ScriptCommand, 'words'>
  readonly word: string
}

export function readClick(source: PythonSource): ScriptInterface {
  const isTyper = source.imports('typer')
  const notes: string[] = []
  const entries = new Map<string, Entry>()
  for (const node of source.nodes()) {
    if (node.name !== 'DecoratedStatement') continue
    const entry = readFunction(source, node, isTyper, notes)
    if (entry) entries.set(entry.name, entry)
  }
  const joined = addedCommands(source)
  if (isTyper)
    for (const call of source.calls()) {
      const name = call.name === 'typer.run' ? source.sourceOf(call.args[0]!) : undefined
      const found = name && source.functionNamed(name)
      if (found) entries.set(name, { ...typerEntry(source, found, notes), name, parent: undefined, word: '' })
    }
  const description = firstParagraph(source.docstring)
  return {
    by: isTyper ? 'typer' : 'click',
    description: description || undefined,
    commands: commandsOf([...entries.values()], joined, isTyper),
    notes,
  }
}

function commandsOf(
  entries: readonly Entry[],
  joined: ReadonlyMap<string, { parent: string; word?: string }>,
  isTyper: boolean,
): ScriptCommand[] {
  const leaves = entries.filter(({ isGroup }) => !isGroup)
  // Typer leaves the word out when there is one command and no callback.
  const hasGroup = entries.some(({ isGroup }) => isGroup)
  if (leaves.length === 1 && (isTyper ? !hasGroup : !leaves[0]!.parent && !joined.has(leaves[0]!.name)))
    return [{ ...leaves[0]!.command, words: [] }]
  const groups = new Map(entries.filter(({ isGroup }) => isGroup).map((entry) => [entry.name, entry]))
  return leaves.map((leaf) => {
    const words: string[] = []
    let params = [...leaf.command.params]
    const seen = new Set<string>()
    for (let at: Entry | undefined = leaf; at && !seen.has(at.name); ) {
      seen.add(at.name)
      const link = joined.get(at.name)
      const parent: string | undefined = at.parent ?? link?.parent
      if (parent !== undefined || (isTyper && at === leaf)) words.unshift(link?.word ?? at.word)
      at = parent === undefined ? undefined : groups.get(parent)
      if (at) params = [...at.command.params.map((param) => ({ ...param, isBefore: true })), ...params]
    }
    return { ...leaf.command, params, words: words.filter((word) => word !== '') }
  })
}

/** `cli.add_command(build)`, `app.add_typer(users, name="users")`. */
function addedCommands(source: PythonSource): Map<string, { parent: string; word?: string }> {
  const added = new Map<string, { parent: string; word?: string }>()
  for (const call of source.calls()) {
    const at = /^(\w+)\.(add_command|add_typer)$/.exec(call.name)
    if (!at || !call.args[0]) continue
    const word = source.textOf(call.named.get('name') ?? call.args[1])
    added.set(source.sourceOf(call.args[0]), { parent: at[1]!, word: word || undefined })
  }
  return added
}

function readFunction(
  source: PythonSource,
  node: PythonNode,
  isTyper: boolean,
  notes: string[],
): Entry | undefined {
  const definition = node.children.find((part) => part.name === 'FunctionDefinition')
  const decorators = node.children.filter((part) => part.name === 'Decorator')
  const named = definition?.children.find((part) => part.name === 'VariableName')
  if (!definition || !named) return undefined
  const name = source.sourceOf(named)
  const calls = decorators.map((part) => source.callOf(part) ?? plainDecorator(source, part))
  const marker = calls.find((call) => /(?:^|\.)(command|group|callback)$/.test(call.name))
  if (!marker) return undefined
  const kind = marker.name.slice(marker.name.lastIndexOf('.') + 1)
  const receiver = marker.name.slice(0, Math.max(0, marker.name.lastIndexOf('.')))
  const parent = receiver === '' || receiver === 'click' || receiver === 'typer' ? undefined : receiver
  const given = source.textOf(marker.args[0] ?? marker.named.get('name'))
  const word = given ?? name.replace(/_(command|cmd|group)$/, '').replaceAll('_', '-')
  if (isTyper && kind !== 'group') {
    const entry = typerEntry(source, definition, notes)
    // A callback stands for the app it belongs to.
    if (kind === 'callback')
      return { ...entry, name: parent ?? name, isGroup: true, parent: undefined, word: '' }
    return { ...entry, name, parent, word }
  }
  const params = calls.flatMap((call) => readDecorator(source, call))
  const doc = source.docOf(definition.children.at(-1)!.children)
  const help = firstParagraph(sentenceOf(source, marker.named.get('help')) ?? doc)
  return {
    name,
    isGroup: kind === 'group',
    parent,
    word,
    command: { description: help || undefined, params },
  }
}

function plainDecorator(source: PythonSource, node: PythonNode): PythonCall {
  return { name: source.sourceOf(node).slice(1).trim(), args: [], named: new Map(), node }
}

function readDecorator(source: PythonSource, call: PythonCall): ScriptParam[] {
  const kind = /(?:^|\.)(option|argument|confirmation_option|password_option)$/.exec(call.name)?.[1]
  if (!kind) return []
  if (kind.endsWith('_option')) return [readReady(source, call, kind)]
  const names = call.args.map((arg) => source.textOf(arg)).filter((text) => text !== undefined)
  if (names.length === 0) return []
  return [kind === 'option' ? readOption(source, call, names) : readArgument(source, call, names[0]!)]
}

/** Options that click has ready: nobody can answer a question here, so what it would ask for must be given. */
function readReady(source: PythonSource, call: PythonCall, kind: string): ScriptParam {
  const flag = call.args.map((arg) => source.textOf(arg)).find((text) => text?.startsWith('--'))
  if (kind === 'confirmation_option')
    return {
      name: paramName(flag ?? 'yes'),
      flag: flag ?? '--yes',
      type: 'boolean',
      isRequired: true,
      description: 'Confirm the action without prompting.',
    }
  return {
    name: paramName(flag ?? 'password'),
    flag: flag ?? '--password',
    joint: '=',
    type: 'string',
    isRequired: true,
  }
}

function readOption(source: PythonSource, call: PythonCall, names: readonly string[]): ScriptParam {
  const flags = names.filter((name) => name.startsWith('-'))
  const [flag, off] = (flags.find((name) => name.startsWith('--')) ?? flags[0] ?? names[0]!).split('/')
  const name = paramName(names.find((text) => !text.startsWith('-')) ?? flag!)
  const value = (key: string): Json | undefined => source.valueOf(call.named.get(key))
  const described = firstParagraph(sentenceOf(source, call.named.get('help')))
  const facts = { name, description: described || undefined }
  const fallback = value('default')
  if (off !== undefined || value('is_flag') === true || value('count') === true)
    return {
      ...facts,
      flag: flag!,
      off: off || undefined,
      type: 'boolean',
      isRequired: false,
      fallback: typeof fallback === 'boolean' && off ? fallback : undefined,
    }
  const typed = clickType(source, call.named.get('type'), fallback)
  const nargs = value('nargs')
  const isRepeated = value('multiple') === true
  const isTogether = typeof nargs === 'number' && nargs > 1
  const isRequired = value('required') === true || value('prompt') !== undefined
  return {
    ...facts,
    ...typed,
    flag: flag!,
    joint: flag!.startsWith('--') && !isTogether ? '=' : '',
    ...(isRepeated ? { list: 'repeated' as const, count: isRequired ? { min: 1 } : {} } : {}),
    ...(isTogether ? { list: 'together' as const, count: { min: nargs, max: nargs } } : {}),
    isRequired,
    fallback: isScalar(fallback) && !isRequired ? fallback : undefined,
  }
}

function readArgument(source: PythonSource, call: PythonCall, written: string): ScriptParam {
  const nargs = source.valueOf(call.named.get('nargs'))
  const fallback = source.valueOf(call.named.get('default'))
  const required = source.valueOf(call.named.get('required'))
  const isList = nargs === -1 || (typeof nargs === 'number' && nargs > 1)
  const isRequired = required === true || (required !== false && fallback === undefined && nargs !== -1)
  const count = nargs === -1 ? (isRequired ? { min: 1 } : {}) : { min: Number(nargs), max: Number(nargs) }
  return {
    name: paramName(written),
    ...clickType(source, call.named.get('type'), fallback),
    ...(isList ? { list: 'together' as const, count } : {}),
    isRequired,
    fallback: isScalar(fallback) && !isRequired ? fallback : undefined,
  }
}

interface Typed {
  readonly type: ScalarType
  readonly choices?: readonly Json[]
  readonly minimum?: number
  readonly maximum?: number
}

function clickType(source: PythonSource, node: PythonNode | undefined, fallback: Json | undefined): Typed {
  const call = node && source.callOf(node)
  const name = call?.name ?? (node ? source.sourceOf(node) : '')
  if (call && /(^|\.)Choice$/.test(name)) {
    return { type: 'string', choices: itemsOf(source, call.args[0])?.map(String) }
  }
  const range = call && /(Int|Float)Range$/.exec(name)
  if (call && range) {
    const [minimum, maximum] = (['min', 'max'] as const).map((key, i) =>
      source.valueOf(call.named.get(key) ?? call.args[i]),
    )
    return {
      type: range[1] === 'Int' ? 'integer' : 'number',
      minimum: typeof minimum === 'number' ? minimum : undefined,
      maximum: typeof maximum === 'number' ? maximum : undefined,
    }
  }
  if (/(^|\.)INT$/.test(name)) return { type: 'integer' }
  if (/(^|\.)FLOAT$/.test(name)) return { type: 'number' }
  if (!node && typeof fallback === 'number')
    return { type: Number.isInteger(fallback) ? 'integer' : 'number' }
  return { type: typeOf(source, node, undefined) }
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function typerEntry(
  source: PythonSource,
  node: PythonNode,
  notes: string[],
): Omit<Entry, 'name' | 'parent' | 'word'> {
  const help = firstParagraph(source.docOf(node.children.at(-1)!.children))
  const params = signatureOf(source, node)
    .filter(({ written }) => !/\bContext\b/.test(written))
    .map((part) => typerParam(source, part, notes))
  return { isGroup: false, command: { description: help || undefined, params } }
}

function typerParam(
  source: PythonSource,
  { name, annotation, written, value }: SignaturePart,
  notes: string[],
): ScriptParam {
  const calls = [...(annotation ? source.calls(annotation) : []), ...(value ? source.calls(value) : [])]
  const call = calls.find((each) => /(^|\.)(Option|Argument)$/.test(each.name))
  const isInValue = call !== undefined && value !== undefined && call.node.from >= value.from
  const fallbackNode = isInValue ? (call.named.get('default') ?? call.args[0]) : value
  const fallback =
    fallbackNode && source.sourceOf(fallbackNode) !== '...' ? source.valueOf(fallbackNode) : undefined
  const isRequired = fallbackNode === undefined || source.sourceOf(fallbackNode) === '...'
  const isOption = call ? call.name.endsWith('Option') : value !== undefined
  const core = /^Annotated\[\s*([^,]+),/.exec(written)?.[1] ?? written
  const bare = itemOf(core)
  const isList = /\b(?:List|list|Sequence)\[/.test(core)
  const members = enumMembers(source, bare)
  const choices = members.length > 0 ? members.map(([, value]) => value) : undefined
  const type: ScalarType =
    ({ int: 'integer', float: 'number', bool: 'boolean' }[bare] as ScalarType) ?? 'string'
  const help = firstParagraph(call && sentenceOf(source, call.named.get('help')))
  const flags = (call?.args ?? [])
    .map((arg) => source.textOf(arg))
    .filter((text) => text?.startsWith('-')) as string[]
  const [flag, off] = (
    flags.find((text) => text.startsWith('--')) ??
    flags[0] ??
    `--${name.replaceAll('_', '-')}`
  ).split('/')
  if (written === '') notes.push(`${name} has no type; it is taken for a text.`)
  const minimum = call && source.valueOf(call.named.get('min'))
  const maximum = call && source.valueOf(call.named.get('max'))
  const facts = {
    name: paramName(name),
    type,
    description: help || undefined,
    choices,
    minimum: typeof minimum === 'number' ? minimum : undefined,
    maximum: typeof maximum === 'number' ? maximum : undefined,
  }
  if (type === 'boolean' && isOption)
    return {
      ...facts,
      flag: flag!,
      ...offOf(flag!, off, flags.length > 0),
      isRequired: false,
      fallback: typeof fallback === 'boolean' ? fallback : undefined,
    }
  const settled = choices && !isScalar(fallback) ? enumDefault(source, fallbackNode, bare) : fallback
  return {
    ...facts,
    ...(isOption ? { flag: flag!, joint: flag!.startsWith('--') ? ('=' as const) : ('' as const) } : {}),
    ...(isList
      ? {
          list: isOption ? ('repeated' as const) : ('together' as const),
          count: isRequired ? { min: 1 } : {},
        }
      : {}),
    isRequired,
    fallback: isScalar(settled) && !isRequired ? settled : undefined,
  }
}

/** `Optional[List[Format]]` and `list[Format] | None` take `Format`. */
function itemOf(written: string): string {
  const inner = written
    .replace(/\s*\|\s*None$/, '')
    .replace(/^(?:\w+\.)?(?:Optional|List|list|Sequence)\[(.*)\]$/, '$1')
  return inner === written ? inner : itemOf(inner)
}

/** Typer makes a flag for false where none is given. */
function offOf(flag: string, off: string | undefined, isNamed: boolean): { off?: string } {
  if (off !== undefined) return { off }
  return isNamed ? {} : { off: `--no-${flag.slice(2)}` }
}

function enumDefault(source: PythonSource, node: PythonNode | undefined, name: string): Json | undefined {
  const member = node && new RegExp(`^${name}\\.(\\w+)(?:\\.value)?$`).exec(source.sourceOf(node))?.[1]
  return enumMembers(source, name).find(([key]) => key === member)?.[1]
}
