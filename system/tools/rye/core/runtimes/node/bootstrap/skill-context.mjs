// The context of a code skill's call, on the far side of the channel: parts are read from a snapshot, what changed in
// them is told before anything is asked of the host and before the call ends.

/** Shared by every skill in this process; what the host has of it is carried, loaded tools and the cache are not. */
const globals = { config: {}, tools: {}, cache: {} }
const ownGlobals = ['tools', 'cache']
/** Errors the host told of, with the number it knows them by; and our own that it was told of. */
const foreignErrors = new WeakMap()
const ownErrors = new Map()
let lastError = 0
let lastNext = 0
const maxErrors = 1_000

/** One of `run`, `locals`, `nonlocals`: read when somebody looks, compared when something is told. */
class Part {
  constructor(name, text) {
    this.name = name
    this.text = text
    this.value = undefined
    this.told = undefined
  }

  read() {
    if (!this.value) {
      this.value = JSON.parse(this.text)
      if (this.name === 'locals') this.value = { result: undefined, error: undefined, prompt: undefined, ...this.value, history: framesOf(this.value) }
      this.told = textsOf(this.name, this.value)
    }
    return this.value
  }

  /** What changed since it was last told: `[part, key, JSON text or null]`. */
  changes() {
    if (!this.value) return []
    const now = textsOf(this.name, this.value)
    const changed = []
    for (const [key, text] of now) if (this.told.get(key) !== text) changed.push([this.name, key, text])
    for (const key of this.told.keys()) if (!now.has(key)) changed.push([this.name, key, null])
    this.told = now
    return changed
  }

  refresh(text) {
    if (!this.value) {
      this.text = text
      return
    }
    const fresh = JSON.parse(text)
    const texts = textsOf(this.name, fresh)
    for (const key of this.told.keys()) if (!texts.has(key)) delete this.value[key]
    for (const [key, given] of texts) if (this.told.get(key) !== given) this.value[key] = fresh[key]
    this.told = texts
  }
}

/** Append only: frames cannot be changed or removed. */
function framesOf({ history = [] }) {
  const frames = []
  for (const value of history) Object.defineProperty(frames, frames.length, { value: Object.freeze(value), enumerable: true })
  return frames
}

function textsOf(part, value) {
  const texts = new Map()
  for (const key of Object.keys(value)) {
    if (part === 'globals' && ownGlobals.includes(key)) continue
    const text = carry(value[key], `${part}.${key}`)
    if (text !== undefined) texts.set(key, text)
  }
  return texts
}

/** One for the process: whoever changed it, the next call that tells anything tells of it. */
const globalPart = new Part('globals', '{}')
globalPart.value = globals
globalPart.told = textsOf('globals', globals)

/** JSON text; what cannot be carried to other processes is refused by its name. */
function carry(value, path) {
  try {
    return textOf(value, path)
  } catch (error) {
    if (!/circular/.test(error.message)) throw error
    throw new TypeError(`${path} refers to itself, so it cannot be carried to other skills: put plain data there.`)
  }
}

function textOf(value, path) {
  return JSON.stringify(value, function (key, item) {
    const raw = this[key]
    const isLive =
      typeof raw === 'object' && raw !== null && typeof raw.toJSON !== 'function' && !Array.isArray(raw) &&
      ![Object.prototype, null].includes(Object.getPrototypeOf(raw))
    if (raw instanceof Error) return { code: raw.code, message: raw.message }
    if (typeof raw === 'function' || typeof raw === 'symbol' || typeof raw === 'bigint' || isLive)
      throw new TypeError(
        `${key === '' ? path : `${path}.${key}`} holds a ${isLive ? (raw.constructor?.name ?? 'live object') : typeof raw}, ` +
          'which cannot be carried to other skills: put plain data there.',
      )
    return item
  })
}

/** What a call has of the host: `send(op, args)` resolves to the answer, `say` sends a message. */
export function contextOf({ id, controller }, given, { send, say }) {
  globalPart.refresh(given.globals)
  const parts = [{ which: 'own', part: globalPart }]
  const nexts = { own: given.own, target: given.target }
  const tell = () => {
    const changes = parts.flatMap(({ which, part }) => part.changes().map((change) => [which, ...change]))
    if (changes.length > 0) send('change', [changes])
  }
  const ask = async (op, args) => {
    tell()
    const answer = JSON.parse(await send(op, args))
    for (const { which, part } of parts) {
      const text = answer.state?.[which]?.[part.name]
      if (text !== undefined) part.refresh(text)
    }
    if (answer.error) throw errorOf(answer)
    return answer.value
  }
  const make = (which) => {
    const texts = nexts[which]
    const [run, locals, nonlocals] = ['run', 'locals', 'nonlocals'].map((name) => {
      const part = new Part(name, texts[name])
      parts.push({ which, part })
      return part
    })
    const args = texts.args === null ? undefined : JSON.parse(texts.args)
    const manager = Object.freeze({
      invoke: async (ref, given, options = {}) => {
        const { signal, ...rest } = options
        const params = given === undefined ? null : carry(given, 'args')
        return ask('invoke', [which, String(ref), params, carry(rest, 'options')])
      },
      next: (options) => new Next(++lastNext, (n) => ask('next', [which, n, options?.again === true]), (n) => void send('watch', [n])),
      refresh: () => ask('refresh', [which]),
      inject(entry) {
        tell()
        void send('inject', [which, carry(entry, 'inject')])
      },
    })
    const methods = {
      progress: (done, total, message) => say({ t: 'progress', id, done, total, message: message === undefined ? undefined : String(message).slice(0, 1000) }),
      log: (level, message) => say({ t: 'log', id, level: ['debug', 'info', 'warn', 'error'].includes(level) ? level : 'info', message: String(message).slice(0, 16000) }),
      toJSON: () => ({ envelope: { id: texts.id, parent: texts.parent, target: (given.target ?? given.own).id }, args, run: run.read(), locals: locals.read(), nonlocals: nonlocals.read() }),
    }
    const context = Object.defineProperties(Object.create(methods), {
      envelope: { enumerable: true, writable: true, value: null },
      args: { enumerable: true, value: args },
      run: { enumerable: true, get: () => run.read() },
      locals: { enumerable: true, get: () => locals.read() },
      nonlocals: { enumerable: true, get: () => nonlocals.read() },
      globals: { enumerable: true, value: globals },
      manager: { enumerable: true, value: manager },
    })
    return { context, texts }
  }
  const own = make('own')
  const target = given.target ? make('target') : own
  for (const one of new Set([own, target])) {
    const parent = one.texts.parent === null ? null : one !== target && one.texts.parent === target.texts.id ? target.context : Object.freeze({ envelope: Object.freeze({ id: one.texts.parent }) })
    one.context.envelope = Object.freeze({ id: one.texts.id, parent, target: target.context, signal: controller.signal })
    Object.freeze(one.context)
  }
  return { context: own.context, tell }
}

/** What `next()` gives: a promise that tells the host when somebody looks at it. */
class Next {
  #source
  #watch
  constructor(n, start, watch) {
    this.#source = start(n)
    this.#source.catch(() => {})
    this.#watch = () => {
      watch(n)
      this.#watch = () => {}
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

/** The error of an answer; one that was thrown in this process is the same object again. */
function errorOf({ error, ref, own }) {
  if (ownErrors.has(own)) return ownErrors.get(own)
  const { message, ...rest } = error
  const made = Object.assign(new Error(message), rest)
  foreignErrors.set(made, ref)
  return made
}

/** How the host finds what was thrown again: by its own number, or by ours. */
export function marksOf(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return {}
  const ref = foreignErrors.get(thrown)
  if (ref !== undefined) return { ref }
  ownErrors.set(++lastError, thrown)
  ownErrors.delete(lastError - maxErrors)
  return { own: lastError }
}

/** `globals.tools`: every skill that was loaded here. */
export function noteLoaded(name, fn, module, src) {
  if (globals.tools[name]?.module !== module) globals.tools[name] = Object.freeze({ fn, module, frontmatter: module.frontmatter, src })
}

export function frontmatterOf(name) {
  return globals.tools[name].module.frontmatter
}
