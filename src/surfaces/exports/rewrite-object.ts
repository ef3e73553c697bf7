// Objects in a dialect: closed where it must be, names it takes, open maps as lists of entries.
import { defined } from '../../tool/defined.ts'
import { isPlainObject } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import {
  described,
  inside,
  jsonText,
  orNull,
  type Part,
  type Place,
  put,
  type Rewriting,
  type Schema,
  same,
} from './rewriting.ts'

interface Property {
  readonly name: string
  /** Its name in the dialect. */
  readonly key: string
  readonly part: Part
  readonly isRequired: boolean
}

const counted = ['minProperties', 'maxProperties', 'propertyNames'] as const

export function rewriteObject(rewriting: Rewriting, node: Schema, place: Place): Part {
  const names = namesOf(node)
  return names.length === 0
    ? rewriteOpen(rewriting, node, place)
    : rewriteClosed(rewriting, node, names, place)
}

/** Names that may or must be given; one that must be absent is no name. */
export function namesOf(node: Schema): string[] {
  const properties = isPlainObject(node['properties']) ? node['properties'] : {}
  const required = Array.isArray(node['required']) ? node['required'].map(String) : []
  const all = new Set([...Object.keys(properties), ...required])
  return [...all].filter((name) => own(properties, name) !== false)
}

function own(object: Schema, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function rewriteClosed(rewriting: Rewriting, node: Schema, names: readonly string[], place: Place): Part {
  const { dialect } = rewriting
  const notes: string[] = []
  reportExtras(rewriting, node, place)
  for (const keyword of counted) notes.push(...lost(rewriting, node, place, keyword))
  const properties = propertiesOf(rewriting, node, names, place)
  const required = properties.filter((property) => dialect.isClosed || property.isRequired)
  const schema: Schema = defined({
    type: 'object',
    ...described(node, notes, dialect),
    properties: Object.fromEntries(properties.map(({ key, part }) => [key, part.schema])),
    required: required.length > 0 ? required.map(({ key }) => key) : undefined,
    additionalProperties: dialect.isClosed ? false : undefined,
  })
  return { schema, restore: restorer(properties, dialect.isClosed) }
}

function propertiesOf(
  rewriting: Rewriting,
  node: Schema,
  names: readonly string[],
  place: Place,
): Property[] {
  const { dialect } = rewriting
  const given = isPlainObject(node['properties']) ? node['properties'] : {}
  const required = new Set(Array.isArray(node['required']) ? node['required'] : [])
  const taken = new Set(names.filter((name) => dialect.propertyName.test(name)))
  return names.map((name) => {
    const at = inside(place, `/properties/${escapePointer(name)}`)
    const isRequired = required.has(name)
    let part = rewriting.rewrite(own(given, name) ?? {}, at)
    if (dialect.isClosed && !isRequired) {
      if (part.takesNull) rewriting.report(at, 'type', 'narrower', 'null is taken as "not given"')
      else part = orNull(part, dialect)
    }
    const key = taken.has(name) ? name : freeName(name, taken)
    if (key !== name) rewriting.report(at, 'properties', 'encoded', `"${name}" is called "${key}"`)
    return { name, key, part, isRequired }
  })
}

/** A name every provider takes, not yet used here. */
export function freeName(name: string, taken: Set<string>): string {
  const clean = name
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(?=\d|$)/, '_')
    .slice(0, 60)
  let free = clean
  for (let n = 2; taken.has(free) || free === '__proto__'; n++) free = `${clean}_${n}`
  taken.add(free)
  return free
}

function restorer(properties: readonly Property[], isClosed: boolean): (value: unknown) => unknown {
  const known = new Map(properties.map((property) => [property.key, property]))
  if (!isClosed && properties.every(({ name, key, part }) => name === key && part.restore === same))
    return same
  return (value) => {
    if (!isPlainObject(value)) return value
    const restored: Schema = {}
    for (const [key, item] of Object.entries(value)) {
      const property = known.get(key)
      if (!property) put(restored, key, item)
      else if (item !== null || property.isRequired || !isClosed)
        put(restored, property.name, property.part.restore(item))
    }
    return restored
  }
}

function reportExtras(rewriting: Rewriting, node: Schema, place: Place): void {
  if (rewriting.dialect.hasOpenObjects) return
  for (const keyword of ['additionalProperties', 'patternProperties', 'unevaluatedProperties']) {
    const rule = node[keyword]
    if (rule !== undefined && rule !== false)
      rewriting.report(place, keyword, 'narrower', 'only the named properties can be given')
  }
}

/** An object without named properties: a map, or anything. */
function rewriteOpen(rewriting: Rewriting, node: Schema, place: Place): Part {
  const { dialect } = rewriting
  const rule = valueRule(node)
  if (dialect.hasOpenObjects) {
    const notes = counted.flatMap((keyword) => lost(rewriting, node, place, keyword))
    if (isPlainObject(rule)) {
      rewriting.report(place, 'additionalProperties', 'wider', 'the rule for values is said in words only')
      notes.push(`Each value fits ${JSON.stringify(rule)}.`)
    }
    return { schema: { type: 'object', ...described(node, notes, dialect) }, restore: same }
  }
  if (rule === false && dialect.isClosed)
    return {
      schema: {
        type: 'object',
        ...described(node, [], dialect),
        properties: {},
        required: [],
        additionalProperties: false,
      },
      restore: same,
    }
  if (!isPlainObject(rule)) return jsonText(rewriting, node, place, 'an object with any properties')
  return entries(rewriting, node, rule, place)
}

function valueRule(node: Schema): unknown {
  const patterns = isPlainObject(node['patternProperties']) ? Object.values(node['patternProperties']) : []
  return patterns.length === 1 && node['additionalProperties'] === false
    ? patterns[0]
    : node['additionalProperties']
}

function entries(rewriting: Rewriting, node: Schema, rule: Schema, place: Place): Part {
  const { dialect } = rewriting
  const notes = counted.flatMap((keyword) => lost(rewriting, node, place, keyword))
  if (isPlainObject(node['patternProperties']))
    notes.push(
      ...lost(
        rewriting,
        { patternProperties: Object.keys(node['patternProperties']) },
        place,
        'patternProperties',
      ),
    )
  const value = rewriting.rewrite(rule, inside(place, '/additionalProperties'))
  rewriting.report(
    place,
    'additionalProperties',
    'encoded',
    'a map is sent as a list of entries with key and value',
  )
  const item: Schema = defined({
    type: 'object',
    properties: { key: { type: 'string' }, value: value.schema },
    required: ['key', 'value'],
    additionalProperties: dialect.isClosed ? false : undefined,
  })
  return {
    schema: { type: 'array', ...described(node, ['As a list of entries.', ...notes], dialect), items: item },
    restore: (list) => {
      if (!Array.isArray(list)) return list
      const restored: Schema = {}
      for (const entry of list) {
        if (!isPlainObject(entry) || typeof entry['key'] !== 'string') return list
        put(restored, entry['key'], value.restore(entry['value']))
      }
      return restored
    },
  }
}

/** Reports a keyword the dialect lacks and gives it in words. */
export function lost(rewriting: Rewriting, node: Schema, place: Place, keyword: string): string[] {
  if (node[keyword] === undefined) return []
  rewriting.report(place, keyword, 'wider', `${keyword} is said in words only`)
  return [`${keyword}: ${JSON.stringify(node[keyword])}.`]
}
