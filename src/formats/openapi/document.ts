// An OpenAPI document and the files beside it, read as data. A quick parse first; positions are looked up by a slower
// one, and only when there is something to report. References lead inside the document or to the files of its unit.
import { posix } from 'node:path'
import type { LineCounter, ParsedNode } from 'yaml'
import { unfoldsTooFar } from '../../tool/budget.ts'
import { isPlainObject, maxValues } from '../../tool/json.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import type { Position } from '../../tool/line-index.ts'
import { escapePointer, pointerKeys, resolvePointer } from '../../tool/pointer.ts'
import { messageOf } from '../../tool/tool-error.ts'
import type { SourceFile } from '../format.ts'
import { type JsonDocument, parseJsonWithPositions } from '../json-with-positions.ts'

const yaml = lazyModule<typeof import('yaml')>('yaml')
const quickYaml = lazyModule<typeof import('js-yaml')>('js-yaml')
const maxHops = 32

export type Node = { readonly [key: string]: unknown }

/** A value with the place it stands at: the file, and the pointer into it. */
export interface Located {
  readonly value: unknown
  readonly path: string
  readonly pointer: string
}

export interface DocumentFault extends Position {
  readonly message: string
}

export class ApiDocument {
  readonly main: SourceFile
  /** The parsed main file; undefined when it has a fault. */
  readonly value: unknown
  readonly fault: DocumentFault | undefined
  readonly #sourceOf: (path: string) => SourceFile | undefined
  readonly #values = new Map<string, unknown>()
  readonly #positions = new Map<string, (pointer: string) => Position>()

  /** `sourceOf` reads a file of the unit by its path under the place. */
  constructor(main: SourceFile, sourceOf: (path: string) => SourceFile | undefined) {
    this.main = main
    this.#sourceOf = sourceOf
    try {
      this.value = parse(main)
      this.#values.set(main.path, this.value)
    } catch (error) {
      this.fault = faultOf(main, error)
    }
  }

  /** The files that references have led to, the main one first. */
  get files(): string[] {
    return [...this.#values.keys()].map((path) => this.#sourceOf(path)?.file ?? this.main.file)
  }

  get root(): Located {
    return { value: this.value, path: this.main.path, pointer: '' }
  }

  /** A member of a value. */
  at(from: Located, key: string): Located {
    const value = isNode(from.value) || Array.isArray(from.value) ? (from.value as Node)[key] : undefined
    return { value, path: from.path, pointer: `${from.pointer}/${escapePointer(key)}` }
  }

  /** What a value refers to, through any number of references; undefined where that leads nowhere or in a circle. */
  resolve(given: Located): Located | undefined {
    let at = given
    for (let hops = 0; hops < maxHops; hops++) {
      if (!isNode(at.value) || typeof at.value['$ref'] !== 'string') return at
      const target = this.target(at.value['$ref'], at.path)
      if (!target) return undefined
      at = target
    }
    return undefined
  }

  /** The place that a reference of a file means. */
  target(ref: string, from: string): Located | undefined {
    const hash = ref.indexOf('#')
    const file = hash < 0 ? ref : ref.slice(0, hash)
    if (/^[a-z][a-z0-9+.-]*:/i.test(file)) return undefined
    const path = file === '' ? from : posix.join(posix.dirname(from), decoded(file))
    const pointer = hash < 0 ? '' : decoded(ref.slice(hash + 1))
    if (pointer !== '' && !pointer.startsWith('/')) return undefined
    const value = resolvePointer(this.#valueOf(path), pointer)
    return value === undefined ? undefined : { value, path, pointer }
  }

  /** Where a value stands, with the absolute path of its file. */
  placeOf({ path, pointer }: Pick<Located, 'path' | 'pointer'>): Position & { readonly file: string } {
    const source = path === this.main.path ? this.main : (this.#sourceOf(path) ?? this.main)
    let find = this.#positions.get(path)
    if (!find) {
      find = positionsOf(source)
      this.#positions.set(path, find)
    }
    return { file: source.file, ...find(pointer) }
  }

  #valueOf(path: string): unknown {
    if (!this.#values.has(path)) {
      let value: unknown
      try {
        const source = this.#sourceOf(path)
        value = source && parse(source)
      } catch {
        value = undefined
      }
      if (value === undefined) return undefined
      this.#values.set(path, value)
    }
    return this.#values.get(path)
  }
}

export function isNode(value: unknown): value is Node {
  return isPlainObject(value)
}

function parse({ path, text }: SourceFile): unknown {
  const value: unknown = path.endsWith('.json')
    ? JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
    : quickYaml().load(text, { schema: quickYaml().CORE_SCHEMA })
  // Without aliases of aliases there are no more values than characters.
  if (unfoldsTooFar(value, maxValues + text.length))
    throw new Error('it is nested too deeply, or its aliases unfold to too many values')
  return value
}

function faultOf(source: SourceFile, error: unknown): DocumentFault {
  if (source.path.endsWith('.json')) {
    const [fault] = parseJsonWithPositions(source.text).faults
    if (fault) return { message: fault.message, line: fault.line, column: fault.column }
  }
  const mark = (error as { mark?: { line: number; column: number } }).mark
  const message = (error as { reason?: string }).reason ?? messageOf(error)
  return { message, line: (mark?.line ?? 0) + 1, column: (mark?.column ?? 0) + 1 }
}

function positionsOf({ path, text }: SourceFile): (pointer: string) => Position {
  if (path.endsWith('.json')) {
    const document: JsonDocument = parseJsonWithPositions(text)
    return (pointer) => document.keyAt(pointer)
  }
  const lines: LineCounter = new (yaml().LineCounter)()
  const document = yaml().parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  return (pointer) => {
    for (let keys = pointerKeys(pointer); ; keys = keys.slice(0, -1)) {
      const offset = keyOffset(document.contents, keys)
      if (offset === undefined && keys.length > 0) continue
      const { line, col } = lines.linePos(offset ?? 0)
      return { line, column: col }
    }
  }
}

/** Where the key of the last step stands; of a list's element, its value. */
function keyOffset(root: ParsedNode | null, keys: readonly string[]): number | undefined {
  let node: unknown = root
  let offset: number | undefined = 0
  for (const key of keys) {
    if (yaml().isMap(node)) {
      const pair = node.items.find(
        ({ key: own }) => String((own as { value?: unknown })?.value ?? own) === key,
      )
      offset = (pair?.key as { range?: [number] } | undefined)?.range?.[0]
      node = pair?.value
    } else if (yaml().isSeq(node)) {
      node = node.items[Number(key)]
      offset = (node as { range?: [number] } | undefined)?.range?.[0]
    } else return undefined
    if (offset === undefined) return undefined
  }
  return offset
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
