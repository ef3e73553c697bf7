// Metadata written as tags in comments: `@version 1.0.0`, `@param {string} name - text`. JSDoc blocks and the head
// of shell scripts share it.
import type { Json } from '../../tool/json.ts'
import { put } from './plain-json.ts'
import type { Field, ReadingNote } from './reading.ts'
import { fieldNames } from './shapes.ts'

export interface CommentLine {
  readonly text: string
  readonly line: number
}

export interface Tags {
  readonly fields: Map<string, Field>
  readonly notes: ReadingNote[]
  /** The text above the first tag. */
  readonly text: string | null
  /** Line of each parameter, by its position. */
  readonly paramLines: readonly number[]
}

const textTags = new Set(['version', 'tool_type', 'executor_id', 'category', 'description', 'tool_id'])
const jsdocTags = new Set([...textTags, 'requires', 'param'])

/** `allFields` also takes every other field as a one-line JSON value, as shell scripts do. */
export function readTags(lines: readonly CommentLine[], allFields = false): Tags {
  const fields = new Map<string, Field>()
  const notes: ReadingNote[] = []
  const text: string[] = []
  const params: Json[] = []
  const paramLines: number[] = []
  let sawTag = false
  for (const { text: content, line } of lines) {
    const tag = /^\s*@([A-Za-z_]+)(?:\s+(.*))?$/.exec(content)
    if (!tag) {
      if (!sawTag && content.trim()) text.push(content.trim())
      continue
    }
    sawTag = true
    const name = tag[1]!
    const given = (tag[2] ?? '').trim()
    if (name === 'param') {
      const param = readParam(given, line, notes)
      if (param) {
        params.push(param)
        paramLines.push(line)
      }
    } else if (name === 'requires') {
      const listed = given.split(/[\s,]+/).filter(Boolean)
      const before = fields.get('requires')
      fields.set('requires', {
        name: '@requires',
        line: before?.line ?? line,
        value: [...((before?.value as string[] | undefined) ?? []), ...listed],
      })
    } else if (textTags.has(name)) {
      const value = name === 'executor_id' && given === 'null' ? null : given
      fields.set(name, { name: `@${name}`, line, value })
    } else if (allFields && !jsdocTags.has(name)) {
      readJsonTag(name, given, { line, fields, notes })
    }
  }
  if (params.length > 0) fields.set('parameters', { name: '@param', line: paramLines[0]!, value: params })
  return { fields, notes, text: text.join('\n') || null, paramLines }
}

function readJsonTag(
  tag: string,
  given: string,
  {
    line,
    fields,
    notes,
  }: { readonly line: number; readonly fields: Map<string, Field>; readonly notes: ReadingNote[] },
): void {
  const name = tag === 'CONFIG_SCHEMA' || tag === 'CONFIG_RESOLVE' ? tag.toLowerCase() : tag
  if (!(fieldNames as readonly string[]).includes(name)) return
  try {
    fields.set(name, { name: `@${tag}`, line, value: JSON.parse(given) as Json })
  } catch {
    notes.push({
      code: 'metadata-parse',
      message: `The value of @${tag} is not JSON: ${given.slice(0, 60)}`,
      hint: `Write one line of JSON after @${tag}, with text in double quotes.`,
      line,
    })
  }
}

const types: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['float', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
  ['object', 'object'],
  ['array', 'array'],
])

function readParam(given: string, line: number, notes: ReadingNote[]): Json | null {
  const match =
    /^(?:\{([^}]*)\}\s*)?(\[[^\]=]*(?:=(?:\[[^\]]*\]|[^\]])*)?\]|[^\s[\]-][^\s[\]]*)\s*(?:-\s*)?(.*)$/.exec(
      given,
    )
  if (!match) {
    notes.push({
      code: 'metadata-parse',
      message: `"@param ${given}" cannot be read.`,
      hint: 'Write @param {type} name - text, with [name] or [name=value] for an optional one.',
      line,
    })
    return null
  }
  const [, writtenType, target, text] = match
  const param: { [key: string]: Json } = {}
  const optional = target!.startsWith('[')
  const inner = optional ? target!.slice(1, -1) : target!
  const equals = inner.indexOf('=')
  const name = (equals === -1 ? inner : inner.slice(0, equals)).trim()
  put(param, 'name', name)
  Object.assign(param, paramType(writtenType?.trim(), name, line, notes))
  param['required'] = !optional
  if (text) param['description'] = text
  if (equals !== -1) param['default'] = paramDefault(inner.slice(equals + 1).trim(), param['type'])
  return param
}

function paramType(
  written: string | undefined,
  name: string,
  line: number,
  notes: ReadingNote[],
): { [key: string]: Json } {
  const list = written?.endsWith('[]') ? written.slice(0, -2) : null
  const type = types.get(list ?? written ?? '')
  if (type !== undefined) return list === null ? { type } : { type: 'array', items: { type } }
  notes.push({
    code: 'param-type-unknown',
    message:
      written === undefined
        ? `Parameter ${name} has no type.`
        : `Parameter ${name} has the unknown type {${written}}.`,
    hint: `Use one of ${[...types.keys()].join(', ')} or X[]; until then any value passes.`,
    line,
  })
  return { type: anyType }
}

/** Every type there is: what a parameter of an unknown type gets. */
export const anyType: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null']

function paramDefault(text: string, type: Json | undefined): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return text
  }
  return fits(value, type) ? value : text
}

function fits(value: Json, type: Json | undefined): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return true
  }
}
