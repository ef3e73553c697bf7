// JSON with positions: what `JSON.parse` gives, plus repeated keys, bounds on size and depth, and the line and
// column of every key and value. A sound file is parsed once, by `JSON.parse`; jsonc-parser reads it again for the
// place of a fault or when somebody asks where something stands.
import type { Node, ParseErrorCode } from 'jsonc-parser'
import { lazyModule } from '../tool/lazy-module.ts'
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
const jsonc = lazyModule<typeof import('jsonc-parser')>('jsonc-parser')
const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** Comments and commas before a closing bracket become blanks, so that every place in the text stays. */
export function withoutComments(text: string): string {
  if (text.length > jsonBounds.maxBytes) return text
  const plain = /\/[/*]/.test(text) ? jsonc().stripComments(text, ' ') : text
  return plain.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part))
}

/** Parses a whole document; never throws. A byte order mark at the start is allowed. */
export function parseJsonWithPositions(given: string, bounds: JsonBounds = jsonBounds): JsonDocument {
  // A blank instead of the mark keeps every offset.
  const text = given.charCodeAt(0) === 0xfeff ? ` ${given.slice(1)}` : given
  const lines = lazy(() => new LineIndex(given))
  const { value, faults } = read(text, bounds, lines)
  const spans = lazy(() => (value === undefined ? new Map<string, Span>() : spansOf(text)))
  const find = (pointer: string): Span | undefined => {
    for (let path = pointer; ; path = path.slice(0, path.lastIndexOf('/'))) {
      const place = spans().get(path)
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

function read(
  text: string,
  { maxBytes, maxDepth }: JsonBounds,
  lines: () => LineIndex,
): Pick<JsonDocument, 'value' | 'faults'> {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    const message = `the file is larger than ${maxBytes} bytes`
    return { value: undefined, faults: [{ kind: 'too-large', message, line: 1, column: 1 }] }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
    // A key that is written twice is there once.
    if (keysIn(value, maxDepth) === keysWritten(text)) return { value, faults: [] }
  } catch {
    // The reason and its place come from the second reading.
  }
  const faults = faultsIn(text, maxDepth).map(({ offset, ...fault }) => ({ ...fault, ...lines().at(offset) }))
  return faults.every(({ kind }) => kind === 'duplicate-key')
    ? { value, faults }
    : { value: undefined, faults }
}

/** How many members all objects of a value have; NaN when it is nested deeper than it may be. */
function keysIn(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === 0) return Number.NaN
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += keysIn(item, depth - 1)
  else
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue
      count += 1 + keysIn((value as Record<string, unknown>)[key], depth - 1)
    }
  return count
}

const stringAndColon = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** How many keys a sound JSON text writes. */
function keysWritten(text: string): number {
  let count = 0
  for (const match of text.matchAll(stringAndColon)) if (match[1] !== undefined) count++
  return count
}

const aValue = 'a value'
const aKey = 'a key in double quotes'

type Fault = Omit<JsonFault, keyof Position> & { readonly offset: number }

/** Ends the reading at the first fault that leaves no document. */
class Stop extends Error {}

/** Every repeated key, up to the first fault of another kind. */
function faultsIn(text: string, maxDepth: number): Fault[] {
  const faults: Fault[] = []
  const open: { readonly closer: string; readonly keys: Set<string> }[] = []
  let wanted = aValue
  const stop = (fault: Fault): never => {
    faults.push(fault)
    throw new Stop()
  }
  const begin = (offset: number, closer: '}' | ']') => {
    if (open.length >= maxDepth)
      stop({ kind: 'too-deep', message: `nested deeper than ${maxDepth} levels`, offset })
    open.push({ closer, keys: new Set() })
    wanted = closer === '}' ? aKey : aValue
  }
  const valueEnds = () => {
    const closer = open.at(-1)?.closer
    wanted = closer ? `"," or "${closer}"` : 'the end of the file'
  }
  // Also called for one that nothing closes, just before the error.
  const containerEnds = (offset: number) => {
    if (text[offset] !== open.at(-1)?.closer) return
    open.pop()
    valueEnds()
  }
  try {
    jsonc().visit(
      text,
      {
        onObjectBegin: (offset) => begin(offset, '}'),
        onArrayBegin: (offset) => begin(offset, ']'),
        onObjectEnd: containerEnds,
        onArrayEnd: containerEnds,
        onLiteralValue: valueEnds,
        onObjectProperty: (key, offset, _length, _line, _column, path) => {
          const { keys } = open.at(-1)!
          if (keys.has(key))
            faults.push({
              kind: 'duplicate-key',
              message: `the key ${JSON.stringify(key)} appears twice in one object`,
              pointer: [...path(), key].map((part) => `/${escapePointer(String(part))}`).join(''),
              offset,
            })
          keys.add(key)
          wanted = '":"'
        },
        onSeparator: (character) => {
          const isNextKey = character === ',' && open.at(-1)?.closer === '}'
          wanted = isNextKey ? aKey : aValue
        },
        onError: (code, offset) => stop(syntaxFault(text, code, offset, wanted)),
      },
      strict,
    )
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
  if (faults.length > 0) return faults
  // Never without a fault, should the two parsers disagree.
  return [{ kind: 'syntax', message: 'this is not JSON', offset: 0 }]
}

const soundString = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y
const soundNumber = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function syntaxFault(text: string, code: ParseErrorCode, offset: number, wanted: string): Fault {
  const fault = (message: string, at = offset): Fault => ({ kind: 'syntax', message, offset: at })
  const start = text[offset]
  if (start === '"' && (wanted === aValue || wanted === aKey)) {
    const end = endOf(soundString, text, offset)
    if (end >= text.length) return fault('the text ends inside a string')
    if (text[end] === '\\') return fault('an escape JSON does not know', end)
    if (text[end] !== '"') return fault('a control character must be written as an escape', end)
  }
  if (/Number/.test(jsonc().printParseErrorCode(code)))
    return fault('a number JSON does not know', endOf(soundNumber, text, offset))
  const found = start === undefined ? 'the end of the file' : JSON.stringify(start)
  return fault(`expected ${wanted}, found ${found}`)
}

function endOf(shape: RegExp, text: string, offset: number): number {
  shape.lastIndex = offset
  return offset + (shape.exec(text)?.[0].length ?? 0)
}

interface Span {
  readonly key: number | undefined
  readonly value: number
}

function spansOf(text: string): Map<string, Span> {
  const spans = new Map<string, Span>()
  const place = (node: Node, pointer: string, key: number | undefined): void => {
    spans.set(pointer, { key, value: node.offset })
    node.children?.forEach((child, index) => {
      if (node.type === 'array') place(child, `${pointer}/${index}`, undefined)
      else {
        const [name, value] = child.children!
        place(value!, `${pointer}/${escapePointer(name!.value)}`, name!.offset)
      }
    })
  }
  place(jsonc().parseTree(text, [], strict)!, '', undefined)
  return spans
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
