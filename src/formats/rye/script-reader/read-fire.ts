// fire: what is handed to `fire.Fire` says by its signature what it takes.
import type { PythonNode } from '../python-node.ts'
import { type SignaturePart, signatureOf } from './python-signature.ts'
import type { PythonSource } from './python-source.ts'
import {
  firstParagraph,
  paramName,
  type ScalarType,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'

/** Undefined when `Fire` gets something that is neither a function nor a class of the file. */
export function readFire(source: PythonSource): ScriptInterface | undefined {
  const call = [...source.calls()].find(({ name }) => /^(?:fire\.)?Fire$/.test(name))
  if (!call) return undefined
  const given = call.args[0] ?? call.named.get('component')
  const commands = given ? commandsOf(source, source.sourceOf(given)) : functionsOf(source)
  if (commands.length === 0) return undefined
  return { by: 'fire', description: firstParagraph(source.docstring), commands, notes: [] }
}

function commandsOf(source: PythonSource, name: string): ScriptCommand[] {
  const one = source.functionNamed(name)
  if (one) return [commandOf(source, one, [])]
  const made = source.classNamed(name.replace(/\(\)$/, ''))
  if (!made) return []
  const methods = definitionsIn(made.children.at(-1)!)
  const init = methods.find((method) => nameOf(source, method) === '__init__')
  const before = init ? paramsOf(source, init).map((param) => ({ ...param, isBefore: true })) : []
  return methods
    .filter((method) => !nameOf(source, method).startsWith('_'))
    .map((method) => {
      const command = commandOf(source, method, [nameOf(source, method)])
      return { ...command, params: [...before, ...command.params] }
    })
}

/** `fire.Fire()` offers every function of the file. */
function functionsOf(source: PythonSource): ScriptCommand[] {
  return definitionsIn(source.script)
    .filter((each) => !nameOf(source, each).startsWith('_'))
    .map((each) => commandOf(source, each, [nameOf(source, each)]))
}

function definitionsIn(body: PythonNode): PythonNode[] {
  return body.children.flatMap((part) => {
    if (part.name === 'DecoratedStatement') return definitionsIn(part)
    return part.name === 'FunctionDefinition' ? [part] : []
  })
}

function nameOf(source: PythonSource, definition: PythonNode): string {
  return source.sourceOf(definition.children.find((part) => part.name === 'VariableName')!)
}

function commandOf(source: PythonSource, definition: PythonNode, words: readonly string[]): ScriptCommand {
  const doc = source.docOf(definition.children.at(-1)!.children)
  return { words, description: firstParagraph(doc), params: paramsOf(source, definition) }
}

function paramsOf(source: PythonSource, definition: PythonNode): ScriptParam[] {
  const doc = source.docOf(definition.children.at(-1)!.children) ?? ''
  return signatureOf(source, definition)
    .filter(({ name, stars }) => stars !== '**' && !/^(self|cls)$/.test(name))
    .map((part) => paramOf(source, part, described(doc, part.name)))
}

const types: { readonly [annotation: string]: ScalarType } = {
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  str: 'string',
}

function paramOf(
  source: PythonSource,
  { name, stars, written, value }: SignaturePart,
  description: string | undefined,
): ScriptParam {
  const facts = { name: paramName(name), description }
  if (stars === '*') return { ...facts, type: 'string', list: 'together', count: {}, isRequired: false }
  const fallback = source.valueOf(value)
  const type = types[written.replace(/^Optional\[(.*)\]$/, '$1')] ?? typeOfValue(fallback)
  const flag = `--${name}`
  if (type === 'boolean')
    return {
      ...facts,
      type,
      flag,
      off: `--no${name}`,
      isRequired: false,
      fallback: fallback === true || undefined,
    }
  const isUsable = typeof fallback === 'string' || typeof fallback === 'number'
  return {
    ...facts,
    type,
    flag,
    joint: '=',
    isRequired: value === undefined,
    fallback: isUsable ? fallback : undefined,
  }
}

function typeOfValue(value: unknown): ScalarType {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}

/** `name: what it is` below `Args:`. */
function described(doc: string, name: string): string | undefined {
  const list = /^\s*(?:Args|Arguments|Parameters):\s*\n([\s\S]*)$/m.exec(doc)?.[1] ?? ''
  return new RegExp(`^\\s*${name}(?:\\s*\\([^)]*\\))?:\\s*(\\S.*)$`, 'm').exec(list)?.[1]?.trim()
}
