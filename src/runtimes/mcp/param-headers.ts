// Arguments that a tool wants as headers too, `Mcp-Param-<name>`, so that what stands between can route by them
// (SEP-2243). Only properties reached through `properties` alone count; everything else sends no header.
import { isPlainObject } from '../../tool/json.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const maxDepth = 16

/** The headers of one call; undefined when there are none. */
export function paramHeaders(call: {
  readonly params?: JsonSchema | null
  readonly args: unknown
}): { [name: string]: string } | undefined {
  const headers: { [name: string]: string } = {}
  if (call.params) collect(call.params, call.args, headers, 0)
  return Object.keys(headers).length > 0 ? headers : undefined
}

function collect(schema: unknown, value: unknown, headers: { [name: string]: string }, depth: number): void {
  if (!isPlainObject(schema) || depth > maxDepth) return
  const name = schema['x-mcp-header']
  if (depth > 0 && typeof name === 'string' && token.test(name)) {
    const text = textOf(value)
    if (text !== undefined) headers[`Mcp-Param-${name}`] = encoded(text)
  }
  if (!isPlainObject(schema['properties']) || !isPlainObject(value)) return
  for (const [key, property] of Object.entries(schema['properties']))
    if (Object.hasOwn(value, key)) collect(property, value[key], headers, depth + 1)
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** What a header cannot hold as it is stands in base64 between marks. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
