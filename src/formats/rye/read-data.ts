// Reads a tool that is data: YAML, JSON or TOML with the fields as top-level keys. Lines are looked up only when
// somebody asks, by a slower parse that keeps positions.
import type { LineCounter, Node } from 'yaml'
import { isPlainObject, type Json } from '../../tool/json.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import { LineIndex } from '../../tool/line-index.ts'
import { pointerKeys } from '../../tool/pointer.ts'
import { dataField } from './field-names.ts'
import { extensionOf } from './file-kinds.ts'
import { plainJson, put } from './plain-json.ts'
import type { Field, Reading, ReadingNote } from './reading.ts'
import { type DataFault, parseYaml } from './yaml-values.ts'

const toml = lazyModule<typeof import('smol-toml')>('smol-toml')
const yaml = lazyModule<typeof import('yaml')>('yaml')

type DataKind = 'YAML' | 'JSON' | 'TOML'
type ParsedData = { readonly value: Json } | { readonly fault: DataFault }

export function dataKind(path: string): DataKind {
  const extension = extensionOf(path)
  return extension === '.json' ? 'JSON' : extension === '.toml' ? 'TOML' : 'YAML'
}

export function parseData(kind: DataKind, text: string): ParsedData {
  return kind === 'YAML' ? parseYaml(text) : kind === 'JSON' ? parseJson(text) : parseTomlText(text)
}

export function readData(path: string, text: string): Reading {
  const kind = dataKind(path)
  const parsed = parseData(kind, text)
  const notes: ReadingNote[] = []
  const fields = new Map<string, Field>()
  const unknown: { [key: string]: Json } = {}
  const positions = new Positions(kind, text)
  if ('fault' in parsed) {
    notes.push({
      code: 'metadata-parse',
      message: `This is not valid ${kind}: ${parsed.fault.message.replace(/\.$/, '')}.`,
      hint: `Correct the ${kind} on this line.`,
      line: parsed.fault.line,
      column: parsed.fault.column || undefined,
    })
  } else if (isPlainObject(parsed.value)) {
    for (const [key, value] of Object.entries(parsed.value as { [key: string]: Json })) {
      const field = dataField(key)
      if (field === undefined) put(unknown, key, value)
      else if (!fields.has(field) || key === key.toUpperCase())
        fields.set(field, {
          value,
          name: key,
          get line() {
            return positions.lineOf([key])
          },
        })
    }
  }
  return {
    fields,
    unknown,
    notes,
    docstring: null,
    code: null,
    locate: (field, pointer) => {
      const known = fields.get(field)
      return known ? positions.lineOf([known.name, ...pointerKeys(pointer)]) : 1
    },
  }
}

function parseJson(text: string): ParsedData {
  const source = text.replace(/^\uFEFF/, '')
  try {
    return { value: plainJson(JSON.parse(source)) }
  } catch (error) {
    const message = (error as Error).message
    const offset = /at position (\d+)/.exec(message)?.[1]
    const atEnd = /end of JSON/i.test(message)
    const { line, column } = new LineIndex(source).at(offset ? Number(offset) : atEnd ? source.length : 0)
    return { fault: { message: message.replace(/ in JSON at position.*$| \(line.*$/, ''), line, column } }
  }
}

function parseTomlText(text: string): ParsedData {
  const { parse, TomlDate, TomlError } = toml()
  try {
    const value = parse(text.replace(/^\uFEFF/, ''))
    return {
      value: plainJson(value, (object) => (object instanceof TomlDate ? object.toISOString() : undefined)),
    }
  } catch (error) {
    const isToml = error instanceof TomlError
    const message = (error as Error).message.split('\n')[0]!.replace(/^Invalid TOML document: /, '')
    return { fault: { message, line: isToml ? error.line : 1, column: isToml ? error.column : undefined } }
  }
}

/** Where keys stand; parses again, with positions, on the first question. */
class Positions {
  readonly #kind: DataKind
  readonly #text: string
  #document: { readonly contents: unknown; readonly lines: LineCounter } | null = null

  constructor(kind: DataKind, text: string) {
    this.#kind = kind
    this.#text = text
  }

  /** The line of a key, or of the deepest part of the way to it that can be found. */
  lineOf(keys: readonly string[]): number {
    if (this.#kind === 'TOML') return this.#tomlLine(keys)
    const { isMap, isScalar, isSeq } = yaml()
    const { contents, lines } = this.#parsed()
    let node: unknown = contents
    let line = 1
    for (const key of keys) {
      if (isMap(node)) {
        const pair = node.items.find(
          (item) => isScalar(item.key) && String(item.key.source ?? item.key.value) === key,
        )
        const at = (pair?.key as Node | undefined)?.range?.[0]
        if (!pair || at === undefined) break
        line = lines.linePos(at).line
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(key)]
        const at = (node as Node | undefined)?.range?.[0]
        if (at === undefined) break
        line = lines.linePos(at).line
      } else break
    }
    return line
  }

  #parsed(): { readonly contents: unknown; readonly lines: LineCounter } {
    if (!this.#document) {
      const { LineCounter, parseDocument } = yaml()
      const lines = new LineCounter()
      let contents: unknown = null
      try {
        contents = parseDocument(this.#text, {
          lineCounter: lines,
          uniqueKeys: false,
          logLevel: 'silent',
        }).contents
      } catch {
        // Nesting that only the fast parser bears: everything is then said of line 1.
      }
      this.#document = { contents, lines }
    }
    return this.#document
  }

  #tomlLine(keys: readonly string[]): number {
    const lines = this.#text.split('\n')
    let at = 0
    let found = 1
    for (const key of keys) {
      const quoted = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const wanted = new RegExp(`^\\s*(?:\\[{1,2}\\s*(?:[^\\]]*\\.)?)?["']?${quoted}["']?\\s*(?:[=.\\]])`)
      const next = lines.findIndex((line, index) => index >= at && wanted.test(line))
      if (next === -1) break
      at = next
      found = next + 1
    }
    return found
  }
}
