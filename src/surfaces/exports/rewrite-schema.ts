// A tool's parameter schema in the words of a provider, with what that loses and the way back for arguments.

import type { Loss, RewrittenSchema } from '../../tool/exporter.ts'
import { isPlainObject } from '../../tool/json.ts'
import { resolvePointer } from '../../tool/pointer.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { areDisjoint } from './are-disjoint.ts'
import type { Dialect } from './dialect.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { freeName, lost, namesOf, rewriteObject } from './rewrite-object.ts'
import { rewriteArray, rewriteEnum, rewritePlain } from './rewrite-values.ts'
import {
  described,
  fitsSchema,
  inside,
  jsonText,
  oneOfParts,
  orNull,
  type Part,
  type Place,
  type Rewriting,
  type Schema,
  same,
} from './rewriting.ts'

const maxParts = 5_000
const composite = ['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies']
const hints: readonly (readonly [string, readonly string[]])[] = [
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'minProperties',
      'maxProperties',
      'propertyNames',
    ],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

export function rewriteSchema(schema: JsonSchema, dialect: Dialect): RewrittenSchema {
  const losses: Omit<Loss, 'tool'>[] = []
  const defs: Schema = {}
  const named = new Map<string, { readonly name: string; part: Part | undefined }>()
  const names = new Set<string>()
  let parts = 0

  const rewriting: Rewriting = {
    dialect,
    root: schema as Schema,
    defs,
    rewrite,
    report: ({ pointer }, keyword, effect, message) => losses.push({ pointer, keyword, effect, message }),
    fits: (part, value) => fitsSchema(part.schema, defs, value),
  }

  function rewrite(node: unknown, place: Place): Part {
    if (!isPlainObject(node)) {
      if (node === false) rewriting.report(place, 'false', 'wider', 'nothing is valid here')
      return jsonText(rewriting, {}, place, 'any value')
    }
    if (++parts > maxParts) return jsonText(rewriting, node, place, 'the schema is too large')
    if (place.depth > dialect.maxDepth) return jsonText(rewriting, node, place, 'nested too deep')
    if (typeof node['$ref'] === 'string') return rewriteRef(node, node['$ref'], place)
    if ('$dynamicRef' in node) return jsonText(rewriting, node, place, '$dynamicRef')
    const whole = withoutAllOf(rewriting, node, place)
    const notes = composite.flatMap((keyword) => lost(rewriting, whole, place, keyword))
    const {
      not: _n,
      if: _i,
      then: _t,
      else: _e,
      dependentRequired: _r,
      dependentSchemas: _s,
      dependencies: _d,
      ...rest
    } = whole
    return rewriteTyped(notes.length > 0 ? { ...rest, ...described(rest, notes, withDefault) } : rest, place)
  }

  function rewriteTyped(node: Schema, place: Place): Part {
    if (Array.isArray(node['enum'])) return rewriteEnum(rewriting, node, node['enum'], place)
    if ('const' in node) return rewriteEnum(rewriting, node, [node['const']], place)
    for (const keyword of ['anyOf', 'oneOf'])
      if (Array.isArray(node[keyword])) return rewriteUnion(node, keyword, node[keyword], place)
    const types = typesOf(node, place)
    if (types.length === 0) return jsonText(rewriting, node, place, 'any value')
    const others = types.filter((type) => type !== 'null')
    if (others.length === 0) return rewritePlain(rewriting, node, 'null', place)
    const { description: _d, ...bare } = node
    const note = described(node, [], dialect)
    const part =
      others.length === 1
        ? rewriteType(node, others[0]!, place)
        : oneOfParts(
            rewriting,
            others.map((type) => rewriteType(bare, type, place)),
            note,
          )
    return others.length < types.length ? orNull(part, dialect) : part
  }

  function rewriteType(node: Schema, type: string, place: Place): Part {
    if (type === 'object') return rewriteObject(rewriting, node, place)
    if (type === 'array') return rewriteArray(rewriting, node, place)
    return rewritePlain(rewriting, node, type, place)
  }

  function typesOf(node: Schema, place: Place): string[] {
    if (node['type'] !== undefined) {
      const types = [node['type']].flat().map(String)
      return types.includes('number') ? types.filter((type) => type !== 'integer') : types
    }
    const hinted = hints.filter(([, keywords]) => keywords.some((keyword) => node[keyword] !== undefined))
    if (hinted.length > 0)
      rewriting.report(
        place,
        'type',
        'narrower',
        `no type is stated; ${hinted.map(([type]) => type).join(' or ')} is taken`,
      )
    return hinted.map(([type]) => type)
  }

  function rewriteUnion(node: Schema, keyword: string, branches: readonly unknown[], place: Place): Part {
    const { [keyword]: _branches, title, description, default: _default, ...rules } = node
    const merged = branches.map((branch) =>
      isPlainObject(branch) ? mergeSchemas(rules, branch) : branch === true ? rules : undefined,
    )
    if (merged.some((branch) => branch === undefined) && Object.keys(rules).length > 0) {
      rewriting.report(place, keyword, 'wider', `${keyword} is left out`)
      return rewriteTyped(
        { ...rules, ...described(node, [`${keyword}: ${JSON.stringify(branches)}.`], withDefault) },
        place,
      )
    }
    if (keyword === 'oneOf' && !areDisjoint(merged))
      rewriting.report(place, 'oneOf', 'wider', 'a value may fit more than one alternative')
    const note = described({ title, description, default: node['default'] }, [], dialect)
    const all = branches.map((branch, index) =>
      rewrite(merged[index] ?? branch, { ...inside(place, `/${keyword}/${index}`), depth: place.depth }),
    )
    const isNull = (part: Part) => part.schema['type'] === 'null'
    const others = all.filter((part) => !isNull(part))
    if (others.length === 0) return { ...all[0]!, schema: { ...all[0]!.schema, ...note } }
    const part = oneOfParts(rewriting, others, note)
    return others.length < all.length ? orNull(part, dialect) : part
  }

  function rewriteRef(node: Schema, ref: string, place: Place): Part {
    const pointer = ref.startsWith('#') ? decodeURIComponent(ref.slice(1)) : undefined
    const target =
      pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))
        ? undefined
        : resolvePointer(schema, pointer)
    if (pointer === undefined || target === undefined)
      return jsonText(rewriting, node, place, `the reference ${ref}`)
    const { $ref: _ref, $defs: _defs, definitions: _definitions, ...siblings } = node
    const { title: _t, description: _d, default: _default, ...rules } = siblings
    if (dialect.hasRefs && Object.keys(rules).length === 0) return namedPart(pointer, target, place)
    if (place.refs.filter((seen) => seen === pointer).length > 1)
      return jsonText(rewriting, target, place, 'a shape that contains itself')
    const merged = isPlainObject(target) ? mergeSchemas(siblings, target) : target
    if (merged === undefined) rewriting.report(place, '$ref', 'wider', 'what stands beside $ref is left out')
    return rewrite(merged ?? target, { pointer, depth: place.depth, refs: [...place.refs, pointer] })
  }

  function namedPart(pointer: string, target: unknown, place: Place): Part {
    let entry = named.get(pointer)
    if (!entry) {
      entry = { name: freeName(pointer.split('/').at(-1) || 'root', names), part: undefined }
      named.set(pointer, entry)
      entry.part = rewrite(target, { pointer, depth: 1, refs: [...place.refs, pointer] })
      defs[entry.name] = entry.part.schema
    }
    const { name } = entry
    return { schema: { $ref: `#/$defs/${name}` }, restore: (value) => (entry.part?.restore ?? same)(value) }
  }

  const part = rewriteRoot(rewriting, schema as Schema)
  const whole = part && { ...part.schema, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) }
  return {
    schema: (whole ?? { ...schema, type: 'object' }) as JsonSchema,
    restore: part?.restore ?? same,
    losses,
    isInDialect: part !== undefined,
  }
}

const withDefault = { keywords: new Set(['title', 'default']) } as unknown as Dialect

/** The root must be a plain object; an open one stays as it is where the dialect has another way to take it. */
function rewriteRoot(rewriting: Rewriting, given: Schema): Part | undefined {
  const place: Place = { pointer: '', depth: 0, refs: [] }
  const { dialect } = rewriting
  let node = given
  for (let hops = 0; typeof node['$ref'] === 'string' && hops < 16; hops++) {
    const { $ref, ...siblings } = node
    const target = resolvePointer(given, decodeURIComponent(String($ref).slice(1)))
    node =
      (isPlainObject(target) && mergeSchemas(siblings, target)) || (isPlainObject(target) ? target : siblings)
  }
  node = withoutAllOf(rewriting, node, place)
  const notes = [...composite, 'anyOf', 'oneOf', 'enum', 'const'].flatMap((keyword) =>
    lost(rewriting, node, place, keyword),
  )
  const root: Schema = { ...node, ...described(node, notes, withDefault) }
  if (namesOf(root).length > 0 || dialect.hasOpenObjects || root['additionalProperties'] === false)
    return rewriteObject(rewriting, root, place)
  if (dialect.isClosed) {
    rewriting.report(
      place,
      'additionalProperties',
      'wider',
      'any parameters are taken, so strict mode is off',
    )
    return undefined
  }
  // T20: where the list of parameters is there and empty, there are none.
  const isOpen = ['additionalProperties', 'patternProperties'].some((keyword) => root[keyword] !== undefined)
  if (isPlainObject(root['properties']) && !isOpen)
    return rewriteObject(rewriting, { ...root, additionalProperties: false }, place)
  rewriting.report(place, 'additionalProperties', 'wider', 'all parameters are sent as one JSON text')
  return {
    schema: {
      type: 'object',
      properties: {
        arguments_json: { type: 'string', description: 'All parameters as the JSON text of an object.' },
      },
      required: ['arguments_json'],
    },
    restore: (value) => {
      const text = isPlainObject(value) ? value['arguments_json'] : undefined
      try {
        return typeof text === 'string' ? JSON.parse(text) : value
      } catch {
        return value
      }
    },
  }
}

/** Joins `allOf` into the schema around it; a member that cannot be joined is reported and left out. */
function withoutAllOf(rewriting: Rewriting, node: Schema, place: Place): Schema {
  if (!Array.isArray(node['allOf'])) return node
  let { allOf: _members, ...whole } = node
  for (const [index, member] of node['allOf'].entries()) {
    const target =
      isPlainObject(member) && typeof member['$ref'] === 'string'
        ? resolved(rewriting.root, member, 0)
        : member
    const inner = isPlainObject(target)
      ? withoutAllOf(rewriting, target, inside(place, `/allOf/${index}`))
      : undefined
    const merged = inner && mergeSchemas(whole, inner)
    if (merged) whole = merged
    else if (member !== true)
      rewriting.report(inside(place, `/allOf/${index}`), 'allOf', 'wider', 'this part of allOf is left out')
  }
  return whole
}

function resolved(root: Schema, node: Schema, hops: number): unknown {
  const { $ref, ...siblings } = node
  if (typeof $ref !== 'string' || !$ref.startsWith('#') || hops > 8) return undefined
  const target = resolvePointer(root, decodeURIComponent($ref.slice(1)))
  if (!isPlainObject(target)) return undefined
  const merged = mergeSchemas(siblings, target)
  return merged && typeof merged['$ref'] === 'string' ? resolved(root, merged, hops + 1) : merged
}
