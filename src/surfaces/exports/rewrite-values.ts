// Lists, plain values and enumerations in a dialect.

import { defined } from '../../tool/defined.ts'
import { isPlainObject } from '../../tool/json.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { lost } from './rewrite-object.ts'
import {
  described,
  inside,
  jsonText,
  oneOfParts,
  orNull,
  type Part,
  type Place,
  put,
  type Rewriting,
  type Schema,
  same,
} from './rewriting.ts'

const arrayRules = [
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
]
const textRules = ['minLength', 'maxLength', 'pattern', 'format']
const numberRules = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/** Keeps the rules the dialect knows; the others are reported and put into words. */
function rules(rewriting: Rewriting, node: Schema, place: Place, keywords: readonly string[]) {
  const { dialect } = rewriting
  const kept: Schema = {}
  const notes: string[] = []
  for (const keyword of keywords) {
    const value = node[keyword]
    if (value === undefined) continue
    const isKnown = keyword === 'format' ? dialect.formats.has(String(value)) : dialect.keywords.has(keyword)
    if (isKnown) kept[keyword] = value
    else if (keyword !== 'uniqueItems' || value === true) notes.push(...lost(rewriting, node, place, keyword))
  }
  if (dialect.keywords.has('default') && node['default'] !== undefined) kept['default'] = node['default']
  return { kept, notes }
}

export function rewritePlain(rewriting: Rewriting, node: Schema, type: string, place: Place): Part {
  const keywords = type === 'string' ? textRules : type === 'boolean' || type === 'null' ? [] : numberRules
  const { kept, notes } = rules(rewriting, node, place, keywords)
  return defined({
    schema: { type, ...described(node, notes, rewriting.dialect), ...kept },
    restore: same,
    takesNull: type === 'null' ? true : undefined,
  })
}

export function rewriteArray(rewriting: Rewriting, node: Schema, place: Place): Part {
  const tuple = Array.isArray(node['prefixItems'])
    ? node['prefixItems']
    : Array.isArray(node['items'])
      ? node['items']
      : undefined
  if (tuple) return rewriteTuple(rewriting, node, tuple, place)
  const { kept, notes } = rules(rewriting, node, place, arrayRules)
  const items = rewriting.rewrite(node['items'] ?? true, inside(place, '/items'))
  return {
    schema: { type: 'array', ...described(node, notes, rewriting.dialect), items: items.schema, ...kept },
    restore:
      items.restore === same
        ? same
        : (list) => (Array.isArray(list) ? list.map((item) => items.restore(item)) : list),
  }
}

/** A list of fixed length becomes an object with one property per place; any other takes items of every kind. */
function rewriteTuple(rewriting: Rewriting, node: Schema, tuple: readonly unknown[], place: Place): Part {
  const { dialect } = rewriting
  const rest = Array.isArray(node['prefixItems']) ? node['items'] : node['additionalItems']
  const isFixed =
    Number(node['minItems'] ?? 0) >= tuple.length &&
    (rest === false || Number(node['maxItems'] ?? Infinity) <= tuple.length)
  const parts = tuple.map((item, index) => rewriting.rewrite(item, inside(place, `/prefixItems/${index}`)))
  if (!isFixed) {
    const { kept, notes } = rules(rewriting, node, place, arrayRules)
    rewriting.report(place, 'prefixItems', 'wider', 'the places of a list are said in words only')
    const all =
      rest === undefined || rest === true || isPlainObject(rest)
        ? [...parts, rewriting.rewrite(rest ?? true, inside(place, '/items'))]
        : parts
    const items = oneOfParts(rewriting, all, {})
    return {
      schema: {
        type: 'array',
        ...described(node, ['The places have rules of their own.', ...notes], dialect),
        items: items.schema,
        ...kept,
      },
      restore: (list) =>
        Array.isArray(list) ? list.map((item, index) => (parts[index] ?? items).restore(item)) : list,
    }
  }
  rewriting.report(
    place,
    'prefixItems',
    'encoded',
    'a list of fixed length is sent as an object, one property per place',
  )
  const notes = ['uniqueItems', 'contains'].flatMap((keyword) =>
    node[keyword] ? lost(rewriting, node, place, keyword) : [],
  )
  const keys = parts.map((_, index) => `item_${index + 1}`)
  return {
    schema: defined({
      type: 'object',
      ...described(node, notes, dialect),
      properties: Object.fromEntries(parts.map((part, index) => [keys[index]!, part.schema])),
      required: keys,
      additionalProperties: dialect.isClosed ? false : undefined,
    }),
    restore: (value) =>
      isPlainObject(value) ? parts.map((part, index) => part.restore(value[keys[index]!])) : value,
  }
}

/** `enum` and `const`: the values that the rest of the schema allows, grouped by type. */
export function rewriteEnum(
  rewriting: Rewriting,
  node: Schema,
  values: readonly unknown[],
  place: Place,
): Part {
  const { dialect } = rewriting
  const allowed = values.filter((value) => isAllowed(node, value))
  if (allowed.length === 0) return jsonText(rewriting, node, place, 'no value of the enumeration is valid')
  const note = described(node, [], dialect)
  const others = allowed.filter((value) => value !== null)
  if (others.length === 0) return { schema: { type: 'null', ...note }, restore: same, takesNull: true }
  const texts = others.filter((value) => typeof value === 'string')
  const plain = dialect.hasTextEnumsOnly
    ? []
    : others.filter((value) => typeof value === 'number' || typeof value === 'boolean')
  const rest = others.filter(
    (value) => !texts.includes(value as string) && !plain.some((one) => one === value),
  )
  const parts: Part[] = []
  for (const type of ['number', 'boolean']) {
    const group = plain.filter((value) => typeof value === type)
    if (group.length > 0) parts.push({ schema: { type, enum: group }, restore: same })
  }
  if (texts.length + rest.length > 0) parts.push(textEnum(rewriting, texts as string[], rest, place))
  const part = oneOfParts(rewriting, parts, note)
  return others.length < allowed.length ? orNull(part, dialect) : part
}

/** Values that are no texts are sent as their JSON text. */
function textEnum(
  rewriting: Rewriting,
  texts: readonly string[],
  rest: readonly unknown[],
  place: Place,
): Part {
  const byText: Schema = {}
  for (const value of rest)
    if (!texts.includes(JSON.stringify(value))) put(byText, JSON.stringify(value), value)
  if (rest.length > 0)
    rewriting.report(place, 'enum', 'encoded', 'values of the enumeration are sent as texts')
  return {
    schema: { type: 'string', enum: [...new Set([...texts, ...Object.keys(byText)])] },
    restore:
      rest.length === 0
        ? same
        : (value) => (typeof value === 'string' && Object.hasOwn(byText, value) ? byText[value] : value),
  }
}

function isAllowed(node: Schema, value: unknown): boolean {
  const { default: _default, ...rules } = node
  if (JSON.stringify(rules).includes('"$ref"')) return true
  try {
    return compileSchema(rules as JsonSchema, { fillDefaults: false }).violations(value).length === 0
  } catch {
    return true
  }
}
