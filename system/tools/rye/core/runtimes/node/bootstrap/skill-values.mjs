// Values that travel between this process and its host and stay the same object on either side: an object crosses as a
// number with its JSON text, and what both sides know already as the number alone. What has no text (a function, a
// socket) stays here and is known to the host by its number.
const objects = new Map()
/** Texts that both sides know. */
const agreed = new Map()
let numbers = new WeakMap()
let last = 0

/** The host forgets at the same moment: when nothing runs here. */
export function forgetValues() {
  objects.clear()
  agreed.clear()
  numbers = new WeakMap()
}

/** `{ n, v, e, live }`: number, JSON text, text of what was thrown, what of it cannot leave this process; `{}` is undefined. */
export function pack(value, path) {
  if (value === undefined) return {}
  const kind = typeof value
  if (value === null || kind === 'string' || kind === 'number' || kind === 'boolean') return { v: JSON.stringify(value) }
  if (kind === 'symbol' || kind === 'bigint') {
    objects.set(++last, value)
    return { n: last, v: 'null', live: `${path} holds a ${kind}` }
  }
  const isError = value instanceof Error
  const { text, live } = isError ? { text: errorText(value) } : write(value, path)
  const known = numbers.get(value)
  const mark = `${live ?? ''}\n${text}`
  if (known !== undefined && agreed.get(known) === mark) return { n: known }
  const n = known ?? ++last
  know(n, value, mark)
  return isError ? { n, e: text } : live === undefined ? { n, v: text } : { n, v: text, live }
}

export function unpack({ n, v, e }) {
  if (n === undefined) return v === undefined ? undefined : JSON.parse(v)
  const known = objects.get(n)
  const text = e ?? v
  if (text === undefined) return known
  const value = e === undefined ? take(known, JSON.parse(v)) : amend(known instanceof Error ? known : new Error(), JSON.parse(e))
  know(n, value, `\n${text}`)
  return value
}

function know(n, value, mark) {
  objects.set(n, value)
  numbers.set(value, n)
  agreed.set(n, mark)
}

/** Writes what came into the object that is there, where both are of a kind. */
function take(known, given) {
  if (Array.isArray(known) && Array.isArray(given)) {
    known.length = 0
    for (const item of given) known.push(item)
    return known
  }
  if (!isPlain(known) || !isPlain(given)) return given
  for (const key of Object.keys(known)) if (!Object.hasOwn(given, key)) delete known[key]
  for (const key of Object.keys(given)) if (key !== '__proto__') known[key] = given[key]
  return known
}

function amend(error, { message, name, ...rest }) {
  Object.defineProperty(error, 'message', { value: message, writable: true, configurable: true })
  if (name !== undefined) Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true })
  return Object.assign(error, rest)
}

function errorText(error) {
  const { message, name, code, hint, details, stack } = error
  try {
    return JSON.stringify({ message: String(message).slice(0, 8000), name: String(name), code, hint, details, stack: String(stack ?? '').slice(0, 8000) })
  } catch {
    return JSON.stringify({ message: String(message).slice(0, 8000) })
  }
}

/** JSON text, and the first thing in it that has none. */
function write(value, path) {
  if (typeof value === 'function') return { text: 'null', live: `${path} holds a function` }
  let live
  try {
    const text = JSON.stringify(value, function (key, item) {
      const raw = this[key]
      const kind = typeof raw
      if (kind === 'string' || kind === 'number' || kind === 'boolean' || raw === null) return item
      if (raw instanceof Error) return { code: raw.code, message: raw.message }
      const isLive = kind === 'object' && typeof raw.toJSON !== 'function' && !Array.isArray(raw) && !isPlain(raw)
      if (isLive || kind === 'function' || kind === 'symbol' || kind === 'bigint') {
        live ??= `${key === '' ? path : `${path}.${key}`} holds a ${isLive ? raw.constructor?.name || 'live object' : kind}`
        return isLive ? {} : undefined
      }
      return item
    })
    return { text: text ?? 'null', live }
  } catch (error) {
    if (!/circular/.test(error?.message)) throw error
    return { text: '{}', live: `${path} refers to itself` }
  }
}

function isPlain(value) {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}
