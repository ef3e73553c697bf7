// What a function of a language gives back, where that can be told without running it.
import { type Applied, runAsCode } from './apply-rule.ts'
import { decoded } from './decode.ts'
import { fromNumbers, joinedPath, reversed } from './pure-methods.ts'
import type { Effect } from './rules.ts'
import {
  exact,
  given,
  inMemory,
  isExact,
  madeOf,
  originOf,
  type TextValue,
  textOf,
  unknown,
  type Value,
} from './value.ts'

type Giving = (call: Applied, more: string | undefined) => Value

const givings: { readonly [name: string]: Giving } = {
  downloaded: () => ({ ...unknown, origin: 'downloaded' }),
  decoded: ({ args }, how) => decodedValue(args[0] ?? unknown, how ?? 'base64'),
  codec: ({ args }) => (isExact(args[1]) ? decodedValue(args[0] ?? unknown, args[1].text) : madeOf(args)),
  given: () => given,
  memory: ({ args: [content] }) => ({ kind: 'api', name: inMemory, of: content }),
  home: () => exact('~'),
  here: () => exact('.'),
  tmp: () => exact('/tmp'),
  path: ({ args }) => joinedPath(args),
  char: ({ args }) => fromNumbers(args),
  reversed: ({ args }) => reversed(args[0] ?? unknown),
  buffer: ({ args: [first = unknown, how] }) => {
    if (isExact(how) && /^(?:base64|hex)/.test(how.text)) return decodedValue(first, how.text)
    return first.kind === 'list' ? fromNumbers(first.items) : first
  },
  mapped: (call) => mapped(call),
  words: ({ args: [line] }) =>
    isExact(line)
      ? { kind: 'list', items: line.text.split(/\s+/).map((word) => exact(word)) }
      : madeOf(line ? [line] : []),
  folder: ({ args }) => folderOf(textOf(args[0])),
  attribute: ({ args: [of = unknown, key = unknown, otherwise], at, interpreter }) => {
    const found = interpreter.member(of, key, at)
    return otherwise && found === unknown ? otherwise : found
  },
  globals: ({ args }) => (args[0]?.kind === 'api' ? args[0] : { kind: 'api', name: 'globals()' }),
  /** Something that will be called with these arguments. */
  call: ({ args, named, at, interpreter }) => {
    const target =
      named.get('target') ??
      named.get('function') ??
      args.find(({ kind }) => kind === 'api' || kind === 'function')
    const passed = named.get('args') ?? args[args.length - 1]
    const rest = passed?.kind === 'list' ? passed.items : args.slice(args.indexOf(target!) + 1)
    if (target) interpreter.call(target, { args: rest, named: new Map(), at })
    return target ?? unknown
  },
  connect: ({ args, at, interpreter: { findings } }) => {
    const [first, second] = args
    if (first?.kind === 'object') {
      if (first.entries.has('path')) return { ...unknown, origin: 'downloaded' }
      findings.host(
        first.entries.get('host') ?? first.entries.get('hostname') ?? exact('localhost'),
        at,
        first.entries.get('port'),
      )
    } else if (first?.kind === 'number')
      findings.host(second && second.kind !== 'function' ? second : exact('localhost'), at, first)
    else if (args.length === 0) return { kind: 'api', name: 'net.Socket()' }
    else findings.host(second, at)
    return { ...unknown, origin: 'downloaded' }
  },
  /** A file of code that is started beside this one. */
  fork: (call) => {
    const { args, at, interpreter } = call
    const [file, options] = args
    const isCode = options?.kind === 'object' && options.entries.has('eval')
    if (isCode) runAsCode(file, call)
    else if (!file || !/^[.{]/.test(textOf(file).text))
      interpreter.findings.add('code.dynamic', at, 'computed', textOf(file).certainty)
    return unknown
  },
  /** The last argument is the text of the function. */
  function: (call) => {
    runAsCode(call.args.at(-1) ?? exact(''), call)
    return unknown
  },
  timer: (call) => {
    const [first] = call.args
    if (first?.kind === 'text' && (first.certainty === 'exact' || first.origin)) runAsCode(first, call)
    return unknown
  },
  require: () => ({ kind: 'api', name: 'require' }),
  reflect: ({ args: [of = unknown, key = unknown], at, interpreter }) => interpreter.member(of, key, at),
  apply: ({ args: [target = unknown, , list], at, interpreter }) =>
    interpreter.call(target, { args: list?.kind === 'list' ? list.items : [], named: new Map(), at }),
  /** The parts of Node that its modules are made of. */
  binding: ({ args, at, interpreter: { findings } }) => {
    const { text } = textOf(args[0])
    if (/spawn|process_wrap/.test(text)) findings.add('shell.execute', at, undefined, 'unknown')
    else if (text.startsWith('fs')) findings.add('fs.read', at, undefined, 'unknown')
    else if (/tcp|udp|tls|cares/.test(text)) findings.add('net.call', at, undefined, 'unknown')
    else findings.add('code.unknown', at, `process.binding ${text}`.trim(), 'unknown')
    return unknown
  },
}

/** The value of a call by the name that its rule has for it; another name is that of an API. */
export function givenBack({ name, more }: Effect, call: Applied): Value {
  const giving = givings[name ?? '']
  return giving ? giving(call, more) : { kind: 'api', name: name ?? '', of: call.api.of }
}

function folderOf(value: TextValue): TextValue {
  const cut = value.text.lastIndexOf('/')
  return { ...value, text: cut <= 0 ? '.' : value.text.slice(0, cut) }
}

function mapped({ args: [from = unknown, list], interpreter, at }: Applied): Value {
  const items =
    list?.kind === 'list'
      ? list.items
      : list && isExact(list)
        ? [...list.text].map((char) => exact(char))
        : undefined
  if (!items) {
    interpreter.call(from, { args: [list ?? unknown], named: new Map(), at })
    return madeOf(list ? [list] : [])
  }
  return {
    kind: 'list',
    items: items
      .slice(0, 2_000)
      .map((item) => interpreter.call(from, { args: [item], named: new Map(), at })),
  }
}

function decodedValue(value: Value, how: string): Value {
  if (isExact(value)) return decoded(value.text, how) ?? { ...unknown, origin: 'decoded' }
  return { ...unknown, origin: originOf(value) === 'downloaded' ? 'downloaded' : 'decoded' }
}
