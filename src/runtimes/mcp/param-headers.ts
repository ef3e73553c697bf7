// Arguments that a tool wants as headers too, `Mcp-Param-<name>`, so that what stands between can route by them
// (SEP-2243). Only properties reached through `properties` alone count; everything else sends no header.
import { isPlainObject } from '../../tool/json.ts'
import type { JsonSchema } from '../../tool/tool.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const maxDepth = 16

export interface HeaderedCall {
  readonly params?: JsonSchema | null
  readonly args: unknown
}

/** The headers of one call; undefined when there are none. */
export function paramHeaders(call: HeaderedCall): { [name: string]: string } | undefined {
  const wanted = headeredValues(call)
  if (wanted.size === 0) return undefined
  return Object.fromEntries([...wanted].map(([name, value]) => [name, encoded(String(value))]))
}

/** What the headers of a request say otherwise than its arguments; undefined when they agree. */
export function headerMismatch(
  call: HeaderedCall,
  headerOf: (name: string) => string | null,
): string | undefined {
  for (const [name, value] of headeredValues(call)) {
    const given = headerOf(name)
    if (given === null) return `There is no header ${name}, and the argument is ${JSON.stringify(value)}.`
    const said = decoded(given)
    if (said === undefined) return `The header ${name} is no valid base64.`
    const isSame = typeof value === 'number' ? Number(said) === value : said === String(value)
    if (!isSame)
      return `The header ${name} says ${JSON.stringify(said)}, and the argument is ${JSON.stringify(value)}.`
  }
  return undefined
}

const headerTypes = ['string', 'integer', 'boolean']

/** Why a tool must not be used over HTTP: its schema asks for headers that cannot be; undefined when it may. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>()
  return visit(schema, 0)

  function visit(node: unknown, depth: number): string | undefined {
    if (!isPlainObject(node) || depth > maxDepth) return undefined
    if ('x-mcp-header' in node) {
      const { 'x-mcp-header': name, type } = node
      if (typeof name !== 'string' || !token.test(name))
        return `${JSON.stringify(name)} is no name of a header`
      if (!headerTypes.includes(type as string))
        return `${name} is asked for from a property that is no text, whole number or boolean`
      if (names.has(name.toLowerCase())) return `two properties ask for ${name}`
      names.add(name.toLowerCase())
    }
    const { properties } = node
    for (const property of isPlainObject(properties) ? Object.values(properties) : []) {
      const fault = visit(property, depth + 1)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

type Primitive = string | number | boolean

/** The arguments that are sent as headers too, by header. */
function headeredValues({ params, args }: HeaderedCall): Map<string, Primitive> {
  const values = new Map<string, Primitive>()
  if (params) collect(params, args, values, 0)
  return values
}

function collect(schema: unknown, value: unknown, values: Map<string, Primitive>, depth: number): void {
  if (!isPlainObject(schema) || depth > maxDepth) return
  const name = schema['x-mcp-header']
  if (depth > 0 && typeof name === 'string' && token.test(name) && isSendable(value))
    values.set(`Mcp-Param-${name}`, value)
  if (!isPlainObject(schema['properties']) || !isPlainObject(value)) return
  for (const [key, property] of Object.entries(schema['properties']))
    if (Object.hasOwn(value, key)) collect(property, value[key], values, depth + 1)
}

function isSendable(value: unknown): value is Primitive {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
}

/** What a header cannot hold as it is stands in base64 between marks. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** What a header says; undefined for marks around what is no base64. */
function decoded(header: string): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(header)?.[1]
  if (base64 === undefined) return header
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes.toString() : undefined
}
