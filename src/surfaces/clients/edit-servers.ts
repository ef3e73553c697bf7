// Puts one server into a client's file, or takes it out; everything else of the text stays, comments too.
import { isDeepStrictEqual } from 'node:util'
import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { parseDocument } from 'yaml'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Client } from './clients.ts'
import { jsonWith } from './edit-json.ts'
import { yamlWith } from './edit-yaml.ts'

/** What the file says of each server; throws TOOL_INVALID when it cannot be read. */
export function serversIn(
  text: string,
  client: Client,
  file: string,
): { readonly [name: string]: JsonObject } {
  let at: unknown = contentOf(text, client, file)
  for (const key of client.path) at = isPlainObject(at) ? at[key] : undefined
  if (at === undefined || at === null) return {}
  if (!isPlainObject(at)) throw unreadable(file, `"${client.path.join('.')}" is no map`)
  return Object.fromEntries(Object.entries(at).filter(([, entry]) => isPlainObject(entry))) as {
    [name: string]: JsonObject
  }
}

/** The file says nothing: it is empty, or holds empty maps only. */
export function saysNothing(text: string, client: Client, file: string): boolean {
  const isBlank = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isBlank)
  return !/\/\/|\/\*|^\s*#/m.test(text) && isBlank(contentOf(text, client, file))
}

function contentOf(given: string, client: Client, file: string): unknown {
  const text = given.replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  if (client.syntax === 'toml') {
    try {
      return parseToml(text)
    } catch (error) {
      throw unreadable(file, `it is not TOML: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  if (client.syntax === 'yaml') {
    const document = parseDocument(text)
    if (document.errors.length > 0)
      throw unreadable(file, `it is not YAML: ${document.errors[0]!.message.split('\n')[0]}`)
    return document.toJS()
  }
  const errors: ParseError[] = []
  const content: unknown = parseJsonc(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length
    throw unreadable(file, `it is not JSON: ${printParseErrorCode(first.error)} in line ${line}`)
  }
  if (!isPlainObject(content)) throw unreadable(file, 'it holds no object')
  return content
}

function unreadable(file: string, why: string): ToolError {
  return new ToolError('TOOL_INVALID', `${file} cannot be changed: ${why}.`, {
    hint: 'Correct it first, or use --print and put the block in by hand.',
  })
}

/** The text with the entry; `undefined` takes it out. Throws TOOL_INVALID when the rest would not say what it said. */
export function withServer(
  text: string,
  client: Client,
  name: string,
  entry: JsonObject | undefined,
): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const path = [...client.path, name]
  const after = `${mark}${edits[client.syntax](text.slice(mark.length), path, entry)}`
  if (!saysOnly(after, { text, client, path, entry }))
    throw new ToolError(
      'TOOL_INVALID',
      `"${path.join('.')}" cannot be written: the servers in the file of ${client.title} stand in a way that is not changed here.`,
      { hint: 'Use --print and put the block in by hand.' },
    )
  return after
}

const edits = { json: jsonWith, yaml: yamlWith, toml: tomlWith }

interface Edit {
  readonly text: string
  readonly client: Client
  readonly path: readonly string[]
  readonly entry: JsonObject | undefined
}

/** The changed text says what the text said, and the entry. */
function saysOnly(after: string, { text, client, path, entry }: Edit): boolean {
  const file = `the file of ${client.title}`
  try {
    const written = contentOf(after, client, file)
    const found = serversIn(after, client, file)[path.at(-1)!]
    return (
      isDeepStrictEqual(asJson(found), asJson(entry)) &&
      isDeepStrictEqual(without(written, path), without(contentOf(text, client, file), path))
    )
  } catch {
    return false
  }
}

const asJson = (value: unknown): unknown => value && JSON.parse(JSON.stringify(value))

/** What is left beside the place of a path; a map that holds nothing else is as none. */
function without(content: unknown, [key, ...deeper]: readonly string[]): unknown {
  if (!isPlainObject(content)) return {}
  const { [key!]: inner, ...others } = asJson(content) as JsonObject
  const left = deeper.length > 0 ? without(inner, deeper) : {}
  return isDeepStrictEqual(left, {}) ? others : { ...others, [key!]: left }
}

/** TOML by its lines: a table ends where the next one begins. */
function tomlWith(text: string, path: readonly string[], entry: JsonObject | undefined): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const own = new RegExp(
    `^\\s*\\[\\s*${path.map(tomlKeyPattern).join('\\s*\\.\\s*')}(\\s*\\.[^\\]]*)?\\s*\\]`,
  )
  const lines = text.split(lineEnd)
  const kept: string[] = []
  let at = -1
  let isInside = false
  for (const line of lines) {
    if (/^\s*\[/.test(line)) isInside = own.test(line)
    if (!isInside) kept.push(line)
    else if (at < 0) at = kept.length
    // Comments and blank lines before the next table belong to that.
    else if (/^\s*(#|$)/.test(line)) kept.push(line)
  }
  const block = entry === undefined ? [] : tomlTable(path.map(tomlKey).join('.'), entry)
  if (at < 0) {
    const head = text.trimEnd()
    const gap = head === '' ? [] : [head, '']
    return block.length === 0 ? text : [...gap, ...block, ''].join(lineEnd)
  }
  // The last table takes the blank line before it along.
  if (entry === undefined && kept.slice(at).every((line) => line.trim() === '')) {
    const head = kept.join(lineEnd).trimEnd()
    return head === '' ? '' : `${head}${lineEnd}`
  }
  kept.splice(at, 0, ...block, ...(block.length > 0 && kept[at]?.trim() ? [''] : []))
  return kept.join(lineEnd)
}

const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** A key as it stands in the head of a table, bare or in quotes. */
function tomlKeyPattern(key: string): string {
  const escaped = key.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return `(?:"${escaped}"|'${escaped}'|${escaped})`
}

function tomlTable(table: string, entry: JsonObject): string[] {
  const inner = Object.entries(entry).filter(([, value]) => isPlainObject(value)) as [string, JsonObject][]
  return [
    `[${table}]`,
    ...Object.entries(entry)
      .filter(([, value]) => !isPlainObject(value))
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ...inner.flatMap(([key, value]) => [
      `[${table}.${key}]`,
      ...Object.entries(value).map(([name, text]) => `${tomlKey(name)} = ${JSON.stringify(text)}`),
    ]),
  ]
}
