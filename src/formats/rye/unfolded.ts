// A value that could not be told without running the file. It stands in the folded data where it was found and
// is taken out again by rules that keep as much of the rest as possible, never silently.
import type { Json } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import { put } from './plain-json.ts'

export class Unfolded {
  readonly from: number
  constructor(from: number) {
    this.from = from
  }
}

export interface Loss {
  readonly pointer: string
  readonly from: number
}

/** Where a map keeps the loss of a key or an unpacking that cannot be told: a loss of the map itself. */
export const lostKey = '\u0000'

export type Folded = Json | Unfolded | readonly Folded[] | { readonly [key: string]: Folded }

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const schemaKeys = new Set([
  'items',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
])
const openLists = new Set(['allOf', 'anyOf', 'prefixItems'])

/** Takes the unfolded parts out of a plain value: keys and list elements are left out. Undefined: nothing is left. */
export function settleValue(value: Folded, losses: Loss[], pointer = ''): Json | undefined {
  if (value instanceof Unfolded) {
    losses.push({ pointer, from: value.from })
    return undefined
  }
  if (Array.isArray(value)) {
    return (value as readonly Folded[]).flatMap((item, index) => {
      const settled = settleValue(item, losses, `${pointer}/${index}`)
      return settled === undefined ? [] : [settled]
    })
  }
  if (typeof value !== 'object' || value === null) return value as Json
  const kept: { [key: string]: Json } = {}
  for (const [key, item] of entries(value as { [key: string]: Folded }, losses, pointer)) {
    const settled = settleValue(item, losses, `${pointer}/${escapePointer(key)}`)
    if (settled !== undefined) put(kept, key, settled)
  }
  return kept
}

/** The same for a JSON Schema, where a lost part must not make the schema refuse more than it was meant to. */
export function settleSchema(value: Folded, losses: Loss[], pointer = ''): Json {
  if (value instanceof Unfolded) {
    losses.push({ pointer, from: value.from })
    return pointer === '' ? { type: 'object' } : {}
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return settleValue(value, losses, pointer) ?? {}
  }
  const kept: { [key: string]: Json } = {}
  for (const [key, item] of entries(value as { [key: string]: Folded }, losses, pointer)) {
    const at = `${pointer}/${escapePointer(key)}`
    const settled = settleKeyword(key, item, losses, at)
    if (settled !== undefined) put(kept, key, settled)
  }
  return kept
}

function settleKeyword(key: string, item: Folded, losses: Loss[], at: string): Json | undefined {
  if (item instanceof Unfolded) {
    losses.push({ pointer: at, from: item.from })
    return undefined
  }
  if (schemaMaps.has(key) && isMap(item)) {
    const kept: { [name: string]: Json } = {}
    for (const [name, schema] of entries(item, losses, at))
      put(kept, name, settleSchema(schema, losses, `${at}/${escapePointer(name)}`))
    return kept
  }
  if (schemaKeys.has(key)) return settleSchema(item, losses, at)
  if (openLists.has(key) && Array.isArray(item))
    return (item as readonly Folded[]).map((schema, index) => settleSchema(schema, losses, `${at}/${index}`))
  const before = losses.length
  const settled = settleValue(item, losses, at)
  // `enum` and its like with one value missing would refuse what the author allows.
  return losses.length > before && key !== 'required' ? undefined : settled
}

function isMap(value: Folded): value is { readonly [key: string]: Folded } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unfolded)
}

function entries(
  map: { readonly [key: string]: Folded },
  losses: Loss[],
  pointer: string,
): [string, Folded][] {
  return Object.entries(map).filter(([key, item]) => {
    if (key !== lostKey || !(item instanceof Unfolded)) return true
    losses.push({ pointer, from: item.from })
    return false
  })
}
