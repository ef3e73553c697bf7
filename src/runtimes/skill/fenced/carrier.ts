// Values that travel between the host and one worker and stay the same object on either side (G13). An object crosses
// as a number with its JSON text; what both sides know already crosses as the number alone, and a change is written
// into the object that is there. What only lives in the worker (a function, a socket) has a number and no copy here.
import { isNestedDeeper, isPlainObject } from '../../../tool/json.ts'
import { errorData, isToolError, ToolError } from '../../../tool/tool-error.ts'
import { maxLevels } from '../../../workers/protocol.ts'

/** A value on the channel; `{}` is undefined. */
export interface Packed {
  readonly n?: number
  /** JSON text of a value. */
  readonly v?: string
  /** JSON text of what was thrown. */
  readonly e?: string
  /** What in it cannot leave the worker, by its key. */
  readonly live?: string
}

/** Values with a part that cannot leave their worker: which part, and whose they are. */
const liveValues = new WeakMap<object, { readonly what: string; readonly owner: Carrier }>()
let hasLiveValues = false

/** Whether there is anything that cannot leave its worker. */
export function hasLive(): boolean {
  return hasLiveValues
}

/** Refuses to hand on what cannot leave the worker it was made in; null: it may go anywhere. */
export function liveRefusal(value: unknown, to: Carrier | null): ToolError | null {
  if (!hasLiveValues || typeof value !== 'object' || value === null) return null
  const live = liveValues.get(value)
  if (!live || live.owner === to) return null
  return cannotBeCarried(live.what)
}

/** G22 */
export function tooMuch(what: string): ToolError {
  return new ToolError('OUTPUT_TOO_LARGE', `A skill behind the fence has its host ${what} more than fits.`, {
    hint: 'Keep less in ctx, write data to files, or raise limits.outputBytes.',
  })
}

function cannotBeCarried(what: string): ToolError {
  return new ToolError(
    'TOOL_FAILED',
    `${what}, which cannot be carried to a skill that runs in another process.`,
    {
      hint: 'Put plain data there, or let both skills run inside the host: sign or pin them (skills.host: vouched), or set skills.host to always where their code changes files.',
    },
  )
}

/** What all workers together may have the host keep of their values, and one of them, in characters of JSON. */
const maxInAll = 512 * 1024 * 1024
const maxInOne = maxInAll / 4
let keptInAll = 0

/** Stands for a function or another thing without a JSON text. */
class LiveValue {
  toJSON(): undefined {
    return undefined
  }
}

export class Carrier {
  #objects = new Map<number, object>()
  #numbers = new WeakMap<object, number>()
  /** Texts that both sides know. */
  #agreed = new Map<number, string>()
  /** What is not the worker's to write into any more. */
  readonly #handedOn = new WeakSet<object>()
  #last = 0
  #written: number[] = []
  /** Characters that the worker has the host keep. */
  #kept = 0
  /** Characters of one value, and of all values of a context: they are written anew with every question. */
  mostChars = Number.POSITIVE_INFINITY
  /** Characters written by `pack` since somebody set it back. */
  packed = 0

  /** How many objects both sides hold. */
  get size(): number {
    return this.#objects.size
  }

  /** Both sides forget when nothing runs in the worker. */
  forget(): void {
    this.#objects.clear()
    this.#agreed.clear()
    this.#numbers = new WeakMap()
    keptInAll -= this.#kept
    this.#kept = 0
  }

  /** What `make` gives; where it throws, nothing of what it packed was sent, so the other side knows none of it. */
  sending<Text>(make: () => Text): Text {
    this.#written = []
    try {
      return make()
    } catch (error) {
      for (const n of this.#written) this.#agreed.delete(n)
      throw error
    }
  }

  /** `path`: where the value stands, for the refusal. */
  pack(value: unknown, path: string): Packed {
    if (value === undefined) return {}
    if (typeof value !== 'object' || value === null) {
      const text = textOf(value, path)
      this.packed += text.length
      return { v: text }
    }
    const refusal = liveRefusal(value, this)
    if (refusal) throw refusal
    const known = this.#numbers.get(value)
    if (known !== undefined && liveValues.has(value)) return { n: known }
    const isError = value instanceof Error
    const text = isError ? errorText(value) : textOf(value, path)
    this.packed += text.length
    if (known !== undefined && this.#agreed.get(known) === text) return { n: known }
    const n = known ?? --this.#last
    this.#know(n, value, text)
    return isError ? { n, e: text } : { n, v: text }
  }

  /** A value that is the receiver's own: what it changes there is not heard of. */
  packCopy(value: unknown, path: string): Packed {
    return value === undefined ? {} : { v: textOf(value, path) }
  }

  /**
   * A value that now belongs to another call: it is checked and runs as it is, whatever the worker makes of its own
   * object. Where the other call runs in the same worker, it gets an object of its own there.
   */
  handOn(value: unknown): unknown {
    if (typeof value === 'object' && value !== null && !liveValues.has(value)) {
      this.#handedOn.add(value)
      this.#numbers.delete(value)
    }
    return value
  }

  /** `own`: what the value is written into where it is that very object, handed on or not. */
  unpack(packed: unknown, own?: unknown): unknown {
    if (!isPlainObject(packed)) return undefined
    const { n, v, e, live } = packed
    if (typeof n !== 'number') return typeof v === 'string' ? parse(this.#bounded(v)) : undefined
    const isOwn = typeof own === 'object' && own !== null && this.#numbers.get(own) === n
    const last = isOwn ? own : this.#objects.get(n)
    const text = e ?? v
    if (typeof text !== 'string') return last
    this.keep(this.#bounded(text).length - (this.#agreed.get(n)?.length ?? 0))
    const known = last && !isOwn && this.#handedOn.has(last) ? undefined : last
    const value = this.#take(known, parse(text), typeof e === 'string')
    this.#know(n, value, text)
    if (typeof live === 'string') {
      hasLiveValues = true
      liveValues.set(value, { what: live.slice(0, 500), owner: this })
    } else if (hasLiveValues) liveValues.delete(value)
    return value
  }

  /** Counts what the worker has the host keep, and refuses more than there is room for (G22). */
  keep(chars: number): void {
    if (chars > 0 && (this.#kept + chars > maxInOne || keptInAll + chars > maxInAll)) throw tooMuch('keep')
    this.#kept += chars
    keptInAll += chars
  }

  #bounded(text: string): string {
    if (text.length > this.mostChars) throw tooMuch('take in one value')
    return text
  }

  /** Writes what came into the object that is there, where both are of a kind. */
  #take(known: object | undefined, given: unknown, isError: boolean): object {
    if (isError) return amendError(known instanceof Error ? known : new Error(), given)
    if (typeof given !== 'object' || given === null) return new LiveValue()
    if (Array.isArray(known) && Array.isArray(given)) {
      known.length = 0
      for (const item of given) known.push(item)
    } else if (isPlainObject(known) && isPlainObject(given)) overwrite(known, given)
    else return given
    return known
  }

  #know(n: number, value: object, text: string): void {
    this.#objects.set(n, value)
    this.#numbers.set(value, n)
    this.#agreed.set(n, text)
    this.#written.push(n)
  }
}

function overwrite(known: object, given: { readonly [key: string]: unknown }): void {
  for (const key of Object.keys(known)) if (!Object.hasOwn(given, key)) Reflect.deleteProperty(known, key)
  for (const [key, value] of Object.entries(given)) if (key !== '__proto__') Reflect.set(known, key, value)
}

/** What a tool sends may be nested deeper than whoever goes through it can follow. */
function parse(text: string): unknown {
  if (isNestedDeeper(text, maxLevels))
    throw new ToolError('TOOL_FAILED', `A value is nested deeper than ${maxLevels} levels.`)
  return JSON.parse(text)
}

/** An error that a skill threw in its worker: an ordinary one, whatever it says of itself. */
function amendError(error: Error, given: unknown): Error {
  if (isToolError(error) || !isPlainObject(given)) return error
  const { message, name, stack, ...rest } = given
  for (const [key, value] of Object.entries({ message, name, stack }))
    if (typeof value === 'string')
      Object.defineProperty(error, key, { value, writable: true, configurable: true })
  for (const key of ['code', 'hint', 'details']) if (key in rest) Reflect.set(error, key, rest[key])
  return error
}

function errorText(error: Error): string {
  const { code, message, hint, details } = errorData(error)
  const { code: ownCode, hint: ownHint, details: ownDetails } = error as { [key: string]: unknown } & Error
  const facts = isToolError(error)
    ? { message, code, hint, details }
    : { message, name: error.name, code: ownCode, hint: ownHint, details: ownDetails }
  try {
    return JSON.stringify(facts)
  } catch {
    return JSON.stringify({ message })
  }
}

/** JSON text of what the host or a skill inside it put there; functions and live objects are refused by their key. */
function textOf(value: unknown, path: string): string {
  try {
    return (
      JSON.stringify(value, function (this: { [key: string]: unknown }, key, item: unknown) {
        const raw = this[key]
        const at = key === '' ? path : `${path}.${key}`
        if (raw instanceof Error) return { code: errorData(raw).code, message: raw.message }
        if (typeof raw === 'function' || typeof raw === 'symbol' || typeof raw === 'bigint')
          throw cannotBeCarried(`${at} holds a ${typeof raw}`)
        if (isLiveObject(raw))
          throw cannotBeCarried(`${at} holds a ${raw.constructor?.name || 'live object'}`)
        return item
      }) ?? 'null'
    )
  } catch (error) {
    if (isToolError(error) || !/circular/.test(String(error))) throw error
    throw cannotBeCarried(`${path} refers to itself`)
  }
}

function isLiveObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function' && !isPlainObject(value)
}
