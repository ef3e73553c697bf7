// The context of a code skill's call, on the far side of the channel. Parts of a context are held by its id, so that
// every skill of this process that sees it sees the same objects; what changed in them is told to the host with
// whatever is asked of it, and when the call ends.
import { forgetValues, pack, unpack } from './skill-values.mjs'

/** Shared by every skill in this process, and by nobody else. */
const globals = { config: {}, tools: {}, cache: {} }
const contexts = new Map()
const runTexts = []
let lastNext = 0
let lastStop = 0

/** What a message says of the process as a whole. */
export function prepare({ forget, config, tools }) {
  if (forget) {
    forgetValues()
    contexts.clear()
  }
  if (config !== undefined) globals.config = JSON.parse(config)
  for (const [name, tool] of Object.entries(tools ?? {})) globals.tools[name] = Object.freeze(tool)
}

/** Texts of `run` are told once. */
export function noteRun({ run, runText }) {
  if (runText !== undefined) runTexts[run] = runText
}

/** `run`, `locals` and `nonlocals` of one call, with what the host knows of each. */
class Parts {
  run
  locals = Object.defineProperty({ result: undefined, error: undefined }, 'history', { enumerable: true, configurable: true, get: () => this.#history() })
  nonlocals = {}
  #marks = new Map()
  #frames
  #runText = ''
  #askNow
  #isRead = false

  constructor(id, askNow) {
    this.id = id
    this.#askNow = askNow
  }

  /** Takes what the host tells of the context with a call. */
  take({ parent, args, run, runText, changes }) {
    this.parent = parent
    if (!('args' in this)) this.args = unpack(args)
    else unpack(args)
    this.packedArgs = args.n === undefined ? undefined : markOf(pack(this.args, 'args'))
    noteRun({ run, runText })
    if (this.#runText !== runTexts[run]) this.#takeRun(runTexts[run])
    this.apply(changes)
    return this
  }

  /** Middleware inherits what its target has when its turn comes. */
  inherit(target) {
    this.nonlocals = { ...target.nonlocals }
    this.#isRead = true
  }

  /** Looked at: from here on somebody may hold and change what is in it. */
  read(part) {
    this.#isRead = true
    if (part === 'run' && !this.run) this.#parseRun()
    return this[part]
  }

  apply(changes) {
    for (const [id, part, key, packed] of changes ?? []) {
      if (id !== this.id) continue
      if (packed === null) {
        delete this[part][key]
        this.#marks.delete(`${part}.${key}`)
      } else {
        this[part][key] = unpack(packed)
        this.#marks.set(`${part}.${key}`, markOf(packed))
      }
    }
  }

  /** What changed on this side since the host was last told: `[id, part, key, value]`. */
  changes() {
    const changes = []
    if (this.packedArgs !== undefined) {
      const packed = pack(this.args, 'args')
      if (packed.v !== undefined) changes.push([this.id, 'args', '', packed])
    }
    if (!this.#isRead) return changes
    for (const part of this.run ? ['run', 'locals', 'nonlocals'] : ['locals', 'nonlocals']) this.#compare(part, changes)
    for (const at of this.#marks.keys()) {
      const dot = at.indexOf('.')
      const [part, key] = [at.slice(0, dot), at.slice(dot + 1)]
      if (Object.hasOwn(this[part], key)) continue
      this.#marks.delete(at)
      changes.push([this.id, part, key, null])
    }
    return changes
  }

  #compare(part, changes) {
    const values = this[part]
    for (const key of Object.keys(values)) {
      if (part === 'locals' && key === 'history') continue
      const at = `${part}.${key}`
      const packed = pack(values[key], at)
      const mark = markOf(packed)
      const known = this.#marks.get(at) ?? ''
      this.#marks.set(at, mark)
      if (known !== mark || (packed.n !== undefined && (packed.v ?? packed.e) !== undefined)) changes.push([this.id, part, key, packed])
    }
  }

  #takeRun(text) {
    this.#runText = text
    if (this.run) this.#parseRun()
  }

  /** What the host knows of it, key by key. */
  #parseRun() {
    this.run = Object.assign(this.run ?? {}, JSON.parse(this.#runText))
    for (const [key, value] of Object.entries(this.run)) this.#marks.set(`run.${key}`, markOf(pack(value, `run.${key}`)))
  }

  /** Append only: frames cannot be changed or removed. */
  #history() {
    if (!this.#frames) {
      this.#frames = []
      const frames = unpack(this.#askNow('history', [[], this.id]).value)
      for (const value of frames) Object.defineProperty(this.#frames, this.#frames.length, { value: Object.freeze(value), enumerable: true })
    }
    return this.#frames
  }
}

function markOf({ n, v }) {
  return n === undefined ? (v ?? '') : `#${n}`
}

/**
 * What a call has of the host: `send(op, args)` resolves to the answer's text, `sendNow` waits for it on the spot, `say`
 * sends a message.
 */
export function contextOf({ id, controller }, given, { send, sendNow, say, next, dissolve = () => {} }) {
  const askNow = (op, args) => {
    const answer = JSON.parse(sendNow(op, args))
    if (answer.error) throw unpack(answer.error)
    return answer
  }
  const partsOf = (told) => {
    if (told.isKnown) return contexts.get(told.id)
    let parts = contexts.get(told.id)
    if (!parts) contexts.set(told.id, (parts = new Parts(told.id, askNow)))
    return parts.take(told)
  }
  const own = partsOf(given.own)
  const target = given.target ? partsOf(given.target) : own
  const mine = [...new Set([own, target])]
  const changes = () => mine.flatMap((parts) => parts.changes())
  const ask = async (op, ...args) => {
    const answer = JSON.parse(await send(op, [changes(), ...args]))
    // In the order the host wrote them: the changes may name what was given or thrown by its number alone.
    const given = unpack(answer.error ?? answer.value ?? {})
    for (const parts of mine) parts.apply(answer.changes)
    if (answer.error) throw given
    return given
  }
  const managerOf = (which) =>
    Object.freeze({
      invoke: async (ref, args, options) => {
        const { signal, more, params } = takeOptions(args, options ?? {})
        if (!signal) return ask('invoke', which, String(ref), params, more)
        const stop = ++lastStop
        const onAbort = () => void send('stop', [[], stop, String(signal.reason?.message ?? signal.reason)])
        const pending = ask('invoke', which, String(ref), params, { ...more, stop })
        if (signal.aborted) onAbort()
        else signal.addEventListener('abort', onAbort, { once: true })
        try {
          return await pending
        } finally {
          signal.removeEventListener('abort', onAbort)
        }
      },
      next: (options) => next && which === 'target' ? next(options) : new Next((n) => ask('next', which, n, options?.again === true), (n) => void send('watch', [[], n])),
      async refresh() {
        dissolve()
        await ask('refresh', which)
      },
      inject(entry) {
        const { name, fn, args, before, after } = entry
        const label = fn?.name
        dissolve()
        askNow('inject', [changes(), which, { name, fn: fn === undefined ? undefined : pack(fn, 'inject.fn'), label, args: pack(args, 'inject.args'), before, after }])
      },
    })
  const tellers = {
    progress: (done, total, message) => say({ t: 'progress', id, done, total, message: message === undefined ? undefined : String(message).slice(0, 1000) }),
    log: (level, message) => say({ t: 'log', id, level: ['debug', 'info', 'warn', 'error'].includes(level) ? level : 'info', message: String(message).slice(0, 16000) }),
  }
  const targetContext = makeContext({ parts: target, manager: managerOf(target === own ? 'own' : 'target'), tellers })
  const context = target === own ? targetContext : makeContext({ parts: own, manager: managerOf('own'), tellers })
  for (const [one, parts] of [[targetContext, target], [context, own]]) {
    if (Object.isFrozen(one)) continue
    const parent = parts.parent !== target.id ? { get: () => outerContext(parts.parent, askNow, controller) } : { value: targetContext }
    one.envelope = Object.freeze(
      Object.defineProperties({}, {
        id: { enumerable: true, value: parts.id },
        parent: { enumerable: true, ...parent },
        target: { enumerable: true, value: targetContext },
        signal: { enumerable: true, value: controller.signal },
      }),
    )
    Object.freeze(one)
  }
  return { context, args: own.args, changes, target, own, rest: (again) => new Next((n) => ask('next', 'target', n, again), (n) => void send('watch', [[], n])) }
}

/** The context of a caller further out: read when somebody looks; nothing can be asked through it. */
function outerContext(id, askNow, controller) {
  if (id === null) return null
  const parts = () => {
    let known = contexts.get(id)
    if (!known) {
      known = new Parts(id, askNow).take(askNow('context', [[], id]).context)
      contexts.set(id, known)
    }
    return known
  }
  const refuse = () => {
    throw new TypeError('Only the context of a call itself and that of its target can be used to call or to go on.')
  }
  const manager = Object.freeze({ invoke: refuse, next: refuse, refresh: refuse, inject: refuse })
  const context = makeContext({ parts: null, partsOf: parts, manager, tellers: { progress() {}, log() {} } })
  context.envelope = Object.freeze(
    Object.defineProperties({}, {
      id: { enumerable: true, value: id },
      parent: { enumerable: true, get: () => outerContext(parts().parent, askNow, controller) },
      target: { enumerable: true, value: context },
      signal: { enumerable: true, value: controller.signal },
    }),
  )
  return Object.freeze(context)
}

function makeContext({ parts, partsOf = () => parts, manager, tellers }) {
  const context = Object.defineProperties(Object.create({ ...tellers, toJSON: () => jsonOf(context) }), {
    envelope: { enumerable: true, writable: true, value: null },
    args: parts ? { enumerable: true, value: parts.args } : { enumerable: true, get: () => partsOf().args },
    run: { enumerable: true, get: () => partsOf().read('run') },
    locals: { enumerable: true, get: () => partsOf().read('locals') },
    nonlocals: { enumerable: true, get: () => partsOf().read('nonlocals') },
    globals: { enumerable: true, value: globals },
    manager: { enumerable: true, value: manager },
  })
  made.add(context)
  return context
}

const made = new WeakSet()

function jsonOf({ envelope, args, run, locals, nonlocals }) {
  const { id, parent, target } = envelope
  const safe = (value) => jsonSafe(value, [])
  return { envelope: { id, parent: parent?.envelope.id ?? null, target: target.envelope.id }, args: safe(args), run: safe(run), locals: safe(locals), nonlocals: safe(nonlocals) }
}

/** What JSON can hold of a value: no functions, no circles, errors as data. */
function jsonSafe(value, path) {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  if (path.includes(value)) return undefined
  if (made.has(value)) return { id: value.envelope.id }
  if (value instanceof Error) return { code: value.code ?? 'TOOL_FAILED', message: value.message }
  const way = [...path, value]
  if (typeof value.toJSON === 'function') return jsonSafe(value.toJSON(), way)
  if (Array.isArray(value)) return value.map((item) => jsonSafe(item, way) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonSafe(item, way)]))
}

/** Takes out of arguments and options what crosses in a way of its own: a signal, and the values of a context one by one. */
function takeOptions(args, { signal: given, context }) {
  const isMap = typeof args === 'object' && args !== null && !Array.isArray(args)
  const { $signal, $context, ...rest } = isMap ? args : {}
  const isTaken = $signal !== undefined || $context !== undefined
  const more = {}
  if (context !== undefined) more.context = packParts(context)
  if ($context !== undefined) more.$context = packParts($context)
  return { signal: given ?? $signal, more, params: pack(isTaken ? rest : args, 'args') }
}

function packParts(context) {
  const packed = {}
  for (const [part, values] of Object.entries(context ?? {})) {
    if (typeof values !== 'object' || values === null) continue
    packed[part] = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, pack(value, `${part}.${key}`)]))
  }
  return packed
}

/** What `next()` gives: a promise that tells the host when somebody looks at it. */
export class Next {
  #source
  #watch
  constructor(start, watch) {
    const n = ++lastNext
    this.#source = start(n)
    this.#source.catch(() => {})
    this.#watch = () => {
      this.#watch = () => {}
      watch(n)
    }
  }
  then(...listeners) {
    this.#watch()
    return this.#source.then(...listeners)
  }
  catch(listener) {
    return this.then(undefined, listener)
  }
  finally(listener) {
    this.#watch()
    return this.#source.finally(listener)
  }
}
Object.setPrototypeOf(Next.prototype, Promise.prototype)

/** What a skill gave back or threw, as the host takes it; as JSON text. */
export function packed(value, path) {
  return JSON.stringify(pack(value, path))
}

/** Arguments, or a function of this process, by what the host says. */
export { pack, unpack }

/** `globals.tools`: every skill that was loaded here. */
export function noteLoaded(name, fn, module, { run }) {
  if (globals.tools[name]?.module === module) return
  const { uri, frontmatter } = run.origin
  globals.tools[name] = Object.freeze({ fn, module, frontmatter, src: uri })
}
