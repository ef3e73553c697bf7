// Puts one server into a client's file, or takes it out; everything else of the text stays, comments too.
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

function contentOf(text: string, client: Client, file: string): unknown {
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

/** The text with the entry; `undefined` takes it out. */
export function withServer(
  text: string,
  client: Client,
  name: string,
  entry: JsonObject | undefined,
): string {
  if (client.syntax === 'json') return jsonWith(text, [...client.path, name], entry)
  return client.syntax === 'yaml'
    ? yamlWith(text, [...client.path, name], entry)
    : tomlWith(text, [...client.path, name].join('.'), entry)
}

/** TOML by its lines: a table ends where the next one begins. */
function tomlWith(text: string, table: string, entry: JsonObject | undefined): string {
  const own = new RegExp(`^\\s*\\[\\s*${table.replaceAll('.', '\\s*\\.\\s*')}(\\s*\\.[^\\]]*)?\\s*\\]`)
  const lines = text.split('\n')
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
  const block = entry === undefined ? [] : tomlTable(table, entry)
  if (at < 0) {
    const head = text.trimEnd()
    return block.length === 0 ? text : `${head === '' ? '' : `${head}\n\n`}${block.join('\n')}\n`
  }
  // The last table takes the blank line before it along.
  if (entry === undefined && kept.slice(at).every((line) => line.trim() === ''))
    return kept.join('\n').trimEnd() === '' ? '' : `${kept.join('\n').trimEnd()}\n`
  kept.splice(at, 0, ...block, ...(block.length > 0 && kept[at]?.trim() ? [''] : []))
  return kept.join('\n')
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
      ...Object.entries(value).map(([name, text]) => `${name} = ${JSON.stringify(text)}`),
    ]),
  ]
}
