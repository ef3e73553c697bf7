// JSON with positions: what `JSON.parse` gives, plus repeated keys, bounds on size and depth, and the line and
// column of every key and value. Positions are worked out on the first question, so sound files cost one pass.
import { LineIndex, type Position } from '../tool/line-index.ts'
import { escapePointer } from '../tool/pointer.ts'

export interface JsonFault extends Position {
  readonly kind: 'syntax' | 'duplicate-key' | 'too-deep' | 'too-large'
  readonly message: string
  /** Pointer of the repeated key, for that kind. */
  readonly pointer?: string
}

export interface JsonBounds {
  readonly maxBytes: number
  readonly maxDepth: number
}

export interface JsonDocument {
  /** undefined when the text is not JSON or beyond the bounds; with repeated keys the last one counts. */
  readonly value: unknown
  readonly faults: readonly JsonFault[]
  /** Where a value begins; for a pointer that leads nowhere, the nearest existing parent. */
  valueAt(pointer: string): Position
  /** Where the key of a member begins; elements and the root have none and give their value. */
  keyAt(pointer: string): Position
}

const jsonBounds: JsonBounds = { maxBytes: 1_048_576, maxDepth: 64 }

/** Parses a whole document; never throws. A byte order mark at the start is allowed. */
export function parseJsonWithPositions(text: string, bounds: JsonBounds = jsonBounds): JsonDocument {
  const lines = lazy(() => new LineIndex(text))
  const faults: JsonFault[] = []
  let value: unknown
  if (text.length > bounds.maxBytes || Buffer.byteLength(text) > bounds.maxBytes) {
    const message = `the file is larger than ${bounds.maxBytes} bytes`
    faults.push({ kind: 'too-large', message, line: 1, column: 1 })
  } else {
    try {
      value = new Reader(text, bounds.maxDepth, {
        repeated: (key, offset, pointer) =>
          faults.push({
            kind: 'duplicate-key',
            message: `the key ${JSON.stringify(key)} appears twice in one object`,
            pointer,
            ...lines().at(offset),
          }),
      }).document()
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop
      faults.push({ kind: stop.kind, message: stop.message, ...lines().at(stop.offset) })
    }
  }
  const places = lazy(() =>
    value === undefined ? new Map<string, Place>() : placesOf(text, bounds.maxDepth),
  )
  const find = (pointer: string): Place | undefined => {
    for (let path = pointer; ; path = path.slice(0, path.lastIndexOf('/'))) {
      const place = places().get(path)
      if (place || path === '') return place
    }
  }
  return {
    value,
    faults,
    valueAt: (pointer) => lines().at(find(pointer)?.value ?? 0),
    keyAt: (pointer) => {
      const place = find(pointer)
      return lines().at(place?.key ?? place?.value ?? 0)
    },
  }
}

interface Place {
  readonly key: number | undefined
  readonly value: number
}

function placesOf(text: string, maxDepth: number): Map<string, Place> {
  const places = new Map<string, Place>()
  new Reader(text, maxDepth, {
    placed: (pointer, key, value) => places.set(pointer, { key, value }),
  }).document()
  return places
}

interface Listener {
  repeated?(key: string, offset: number, pointer: string): void
  placed?(pointer: string, key: number | undefined, value: number): void
}

class Stop extends Error {
  readonly kind: 'syntax' | 'too-deep'
  readonly offset: number

  constructor(kind: 'syntax' | 'too-deep', message: string, offset: number) {
    super(message)
    this.kind = kind
    this.offset = offset
  }
}

const numberShape = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// A run of characters a string may hold as they are.
const plainRun = /[^"\\\u0000-\u001f]*/y

class Reader {
  readonly #text: string
  readonly #maxDepth: number
  readonly #listener: Listener
  #at = 0

  constructor(text: string, maxDepth: number, listener: Listener) {
    this.#text = text
    this.#maxDepth = maxDepth
    this.#listener = listener
  }

  document(): unknown {
    if (this.#text.charCodeAt(0) === 0xfeff) this.#at = 1
    this.#space()
    const value = this.#value('', undefined, 0)
    this.#space()
    if (this.#at < this.#text.length) this.#unexpected('the end of the file')
    return value
  }

  #value(pointer: string, key: number | undefined, depth: number): unknown {
    this.#listener.placed?.(pointer, key, this.#at)
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(pointer, depth + 1)
      case '[':
        return this.#array(pointer, depth + 1)
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #object(pointer: string, depth: number): Record<string, unknown> {
    this.#enter(depth)
    const object: Record<string, unknown> = {}
    this.#space()
    if (this.#take('}')) return object
    for (;;) {
      const keyAt = this.#at
      if (this.#text[keyAt] !== '"') this.#unexpected('a key in double quotes')
      const key = this.#string()
      const path = `${pointer}/${escapePointer(key)}`
      if (Object.hasOwn(object, key)) this.#listener.repeated?.(key, keyAt, path)
      this.#space()
      if (!this.#take(':')) this.#unexpected('":"')
      this.#space()
      const value = this.#value(path, keyAt, depth)
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
      else object[key] = value
      this.#space()
      if (this.#take('}')) return object
      if (!this.#take(',')) this.#unexpected('"," or "}"')
      this.#space()
    }
  }

  #array(pointer: string, depth: number): unknown[] {
    this.#enter(depth)
    const array: unknown[] = []
    this.#space()
    if (this.#take(']')) return array
    for (;;) {
      array.push(this.#value(`${pointer}/${array.length}`, undefined, depth))
      this.#space()
      if (this.#take(']')) return array
      if (!this.#take(',')) this.#unexpected('"," or "]"')
      this.#space()
    }
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth)
      throw new Stop('too-deep', `nested deeper than ${this.#maxDepth} levels`, this.#at)
    this.#at++
  }

  #string(): string {
    const start = this.#at++
    for (;;) {
      plainRun.lastIndex = this.#at
      this.#at += plainRun.exec(this.#text)![0].length
      const char = this.#text[this.#at]
      if (char === '"') break
      if (char === undefined) throw new Stop('syntax', 'the text ends inside a string', start)
      if (char !== '\\')
        throw new Stop('syntax', 'a control character must be written as an escape', this.#at)
      if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.#text.slice(this.#at, this.#at + 6)))
        throw new Stop('syntax', 'an escape JSON does not know', this.#at)
      this.#at += 2
    }
    this.#at++
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  #number(): number {
    numberShape.lastIndex = this.#at
    const found = numberShape.exec(this.#text)
    if (!found) return this.#unexpected('a value')
    this.#at += found[0].length
    return Number(found[0])
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) return this.#unexpected('a value')
    this.#at += word.length
    return value
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #unexpected(wanted: string): never {
    const char = this.#text[this.#at]
    const found = char === undefined ? 'the end of the file' : JSON.stringify(char)
    throw new Stop('syntax', `expected ${wanted}, found ${found}`, this.#at)
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
