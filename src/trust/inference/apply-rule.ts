// What a call does, by the rule of what is called.
import type { Findings } from './findings.ts'
import type { Given } from './given.ts'
import { givenBack } from './given-back.ts'
import type { Interpreter } from './interpreter.ts'
import type { Effect, Rule } from './rules.ts'
import { followCommand } from './shell/follow-command.ts'
import { followShell } from './shell/follow-shell.ts'
import {
  eachOf,
  exact,
  given,
  hole,
  isExact,
  madeOf,
  originOf,
  textOf,
  unknown,
  type Value,
} from './value.ts'

export interface Applied extends Given {
  readonly api: Value & { readonly kind: 'api' }
  readonly interpreter: Interpreter
}

export function applyRule(rule: Rule, call: Applied): Value {
  let result: Value | undefined
  for (const effect of rule) result = apply(effect, call) ?? result
  return result ?? madeOf(call.api.of ? [call.api.of, ...call.args] : call.args)
}

function argumentOf({ index, name }: Effect, { api, args, named }: Applied): Value | undefined {
  if (index === -1) return api.of
  return (name === undefined ? undefined : named.get(name)) ?? args[index]
}

function apply(effect: Effect, call: Applied): Value | undefined {
  const { findings } = call.interpreter
  const { at } = call
  const value = argumentOf(effect, call)
  switch (effect.verb) {
    case 'read':
      return void findings.path('fs.read', value, at)
    case 'write':
      return void findings.path('fs.write', value, at)
    case 'open':
      return void openFile(effect, value, call)
    case 'address':
      return void address(value, findings, at)
    case 'host':
      return void findings.host(value, at, call.args[effect.index + 1])
    case 'pair':
      return void (value?.kind === 'list'
        ? findings.host(value.items[0], at, value.items[1])
        : findings.host(value && madeOf([value]), at))
    case 'settings':
      return void settings(value, findings, at)
    case 'shell':
      return void shell(value, call)
    case 'argv':
      return void startProgram(effect, value, call)
    case 'code':
      return void runAsCode(value, call)
    case 'import':
      return imported(value, call)
    case 'variable':
      return void findings.variable(value ?? unknown, at)
    case 'environment':
      return void findings.variable(undefined, at)
    case 'secret':
      return void named('secrets.read', value, call)
    case 'tool':
      return void named('rye.execute', value, call)
    case 'persist':
      return void findings.add('host.persist', at, effect.name, 'exact')
    case 'dynamic':
      return void findings.add('code.dynamic', at, effect.name, 'unknown')
    case 'unknown':
      return void unread(value, call)
    case 'gives':
      return effect.index >= 0 ? (call.args[effect.index] ?? unknown) : givenBack(effect, call)
  }
}

function named(
  capability: 'secrets.read' | 'rye.execute',
  value: Value | undefined,
  { interpreter, at }: Applied,
): void {
  const { text, certainty } = textOf(value)
  interpreter.findings.add(capability, at, text.includes(hole) ? undefined : text, certainty)
}

function openFile(
  { index }: Effect,
  value: Value | undefined,
  { args, named, at, interpreter }: Applied,
): void {
  if (named.has('fileobj')) return
  const mode = named.get('mode') ?? named.get('flags') ?? args[index + 1]
  const { findings } = interpreter
  for (const one of mode === undefined ? [exact('r')] : eachOf(mode)) {
    const text = isExact(one) ? one.text : one.kind === 'object' ? 'r' : '?'
    const isWriting = /[wax+]/.test(text)
    if (!isWriting || text.includes('+')) findings.path('fs.read', value, at)
    if (isWriting || text === '?') findings.path('fs.write', value, at)
  }
}

/** An address as text, or an object with its parts. */
function address(value: Value | undefined, findings: Findings, at: number): void {
  if (value?.kind !== 'object')
    return findings.address(value?.kind === 'list' ? madeOf(value.items) : value, at)
  const url = value.entries.get('url') ?? value.entries.get('uri') ?? value.entries.get('href')
  if (url) findings.address(url, at)
  else settings(value, findings, at)
}

function settings(value: Value | undefined, findings: Findings, at: number): void {
  if (value?.kind === 'object') {
    const host = value.entries.get('hostname') ?? value.entries.get('host')
    const { text, certainty } = textOf(host)
    return findings.add('net.http', at, text.includes(hole) ? undefined : text, host ? certainty : 'unknown')
  }
  findings.address(value, at)
}

function shell(value: Value | undefined, { interpreter, at }: Applied): void {
  const { findings, level } = interpreter
  for (const one of value ? eachOf(value) : [unknown]) {
    if (one.kind === 'list') followCommand(one.items.map(textOf), { findings, at, level, countsAll: true })
    else {
      const known = textOf(one)
      if (known.text.startsWith(hole)) {
        findings.program(known, at)
        if (known.origin) findings.add('code.dynamic', at, known.origin, 'exact')
      } else
        findings.within(at, () => followShell(known.text, { findings, level: level + 1, countsAll: true }))
    }
  }
}

function startProgram({ index }: Effect, value: Value | undefined, call: Applied): void {
  const { interpreter, at, args } = call
  const { findings, level } = interpreter
  if (
    isTrue(call.named.get('shell')) ||
    args.some((arg) => arg.kind === 'object' && isTrue(arg.entries.get('shell')))
  )
    return shell(value, call)
  for (const one of value ? eachOf(value) : [unknown]) {
    const rest = args[index + 1]
    const words = one.kind === 'list' ? one.items : [one, ...(rest?.kind === 'list' ? rest.items : [])]
    const known = words.map(textOf)
    if (known.length === 0) findings.program(unknown, at)
    else if (known[0]!.origin) findings.add('code.dynamic', at, known[0]!.origin, 'exact')
    if (known.length > 0)
      findings.within(at, () => followCommand(known, { findings, at, level, countsAll: true }))
  }
}

function isTrue(value: Value | undefined): boolean {
  return value?.kind === 'number' ? value.value !== 0 : value?.kind === 'text'
}

export function runAsCode(value: Value | undefined, { interpreter, at }: Applied): void {
  const { findings, level, language } = interpreter
  for (const one of value ? eachOf(value) : [unknown]) {
    if (one.kind === 'function') {
      interpreter.call(one, { args: [], named: new Map(), at })
      continue
    }
    if (one.kind === 'number' || one.kind === 'object') continue
    const known = textOf(one)
    const origin = originOf(one)
    findings.add('code.dynamic', at, origin, origin ? 'exact' : known.certainty)
    if (known.certainty === 'exact' && level < 3)
      findings.within(at, () => language.follow(known.text, findings, level + 1))
  }
}

/** Code that is not read; where it was decoded or downloaded, that is told. */
function unread(value: Value | undefined, { api, interpreter: { findings }, at }: Applied): void {
  const origin = value && originOf(value)
  if (origin) findings.add('code.dynamic', at, origin, 'exact')
  else findings.add('code.unknown', at, api.name, 'unknown')
}

function imported(value: Value | undefined, { interpreter, at }: Applied): Value {
  const { language, findings } = interpreter
  if (value?.kind === 'text' && isExact(value)) {
    if (/^(?:https?:|data:)/i.test(value.text)) {
      findings.address(value, at)
      findings.add('code.dynamic', at, value.text.startsWith('data:') ? 'decoded' : 'downloaded', 'exact')
      return unknown
    }
    const name = language.moduleName(value.text)
    if (name === null) return unknown
    interpreter.notePackage(name, at)
    return { kind: 'api', name }
  }
  // What stands before the first unknown part may tell that it is a file of the project.
  const known = textOf(value)
  if (!/^\.{0,2}\//.test(known.text))
    findings.add('code.dynamic', at, known.origin ?? 'computed', known.certainty)
  return known.certainty === 'bounded' ? given : unknown
}
