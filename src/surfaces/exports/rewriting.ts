// One schema on its way into a dialect: what is shared by the parts of the rewriting, and the small steps all of
// them take. Each rewritten part knows how to turn a value back.

import { defined } from '../../tool/defined.ts'
import type { LossEffect } from '../../tool/exporter.ts'
import { isPlainObject } from '../../tool/json.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import type { Dialect } from './dialect.ts'

export type Schema = Record<string, unknown>

/** A part in the dialect, and the way back for its values. */
export interface Part {
  readonly schema: Schema
  readonly restore: (value: unknown) => unknown
  /** True when the tool's own schema takes null here. */
  readonly takesNull?: boolean
}

/** Where the rewriting stands. */
export interface Place {
  readonly pointer: string
  readonly depth: number
  /** Pointers of the references it went through. */
  readonly refs: readonly string[]
}

export interface Rewriting {
  readonly dialect: Dialect
  readonly root: Schema
  /** Parts that references lead to, by name, in the dialect. */
  readonly defs: Schema
  rewrite(node: unknown, place: Place): Part
  report(place: Place, keyword: string, effect: LossEffect, message: string): void
  /** Whether a value fits a part of the dialect. */
  fits(part: Part, value: unknown): boolean
}

export const same = (value: unknown): unknown => value

export function inside(place: Place, pointer: string): Place {
  return { ...place, pointer: `${place.pointer}${pointer}`, depth: place.depth + 1 }
}

/** `description` with what the dialect cannot say added in words. */
export function described(node: Schema, notes: readonly string[], dialect: Dialect): Schema {
  const own = typeof node['description'] === 'string' ? node['description'].trim() : ''
  const said = [...notes, ...defaultNote(node, dialect)]
  const text =
    said.length > 0 ? `${own}${own && !/[.!?]$/.test(own) ? '.' : ''} ${said.join(' ')}`.trim() : own
  return defined({
    title: dialect.keywords.has('title') && typeof node['title'] === 'string' ? node['title'] : undefined,
    description: text || undefined,
  })
}

function defaultNote(node: Schema, dialect: Dialect): string[] {
  if (node['default'] === undefined || dialect.keywords.has('default')) return []
  return [`Default: ${JSON.stringify(node['default'])}.`]
}

/** A value that the dialect cannot describe, sent as JSON text. */
export function jsonText(rewriting: Rewriting, node: unknown, place: Place, why: string): Part {
  const schema = isPlainObject(node) ? node : {}
  const { dialect } = rewriting
  const { title: _t, description: _d, default: _default, ...rules } = schema
  const isAnything = Object.keys(rules).length === 0
  if (isAnything && dialect.hasOpenObjects) return { schema: described(schema, [], dialect), restore: same }
  rewriting.report(
    place,
    'type',
    isAnything ? 'encoded' : 'wider',
    isAnything ? `${why}; sent as JSON text` : `${why}; sent as JSON text that the model must shape itself`,
  )
  const shape = JSON.stringify(rules)
  const note = isAnything || shape.length > 500 ? 'As JSON text.' : `As JSON text that fits ${shape}.`
  return { schema: { type: 'string', ...described(schema, [note], dialect) }, restore: parsed }
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The same part, null allowed. */
export function orNull(part: Part, dialect: Dialect): Part {
  const { schema } = part
  const restore =
    part.restore === same ? same : (value: unknown) => (value === null ? null : part.restore(value))
  if (dialect.nullBy === 'keyword') return { schema: { ...schema, nullable: true }, restore, takesNull: true }
  const { description, ...rest } = schema
  const note = description === undefined ? {} : { description }
  if (typeof schema['type'] === 'string' && !('enum' in schema))
    return { schema: { ...schema, type: [schema['type'], 'null'] }, restore, takesNull: true }
  const branches = Array.isArray(rest['anyOf']) && Object.keys(rest).length === 1 ? rest['anyOf'] : [rest]
  return { schema: { ...note, anyOf: [...branches, { type: 'null' }] }, restore, takesNull: true }
}

/** One of several parts; going back takes the first that the value fits. */
export function oneOfParts(rewriting: Rewriting, parts: readonly Part[], note: Schema): Part {
  if (parts.length === 1) {
    const [only] = parts
    return { ...only!, schema: { ...only!.schema, ...note } }
  }
  const takesNull = parts.some((part) => part.takesNull)
  return defined({
    schema: { ...note, anyOf: parts.map((part) => part.schema) },
    restore: parts.every((part) => part.restore === same)
      ? same
      : (value: unknown) => (parts.find((part) => rewriting.fits(part, value))?.restore ?? same)(value),
    takesNull: takesNull || undefined,
  })
}

/** A schema of a dialect as JSON Schema: `nullable` of OpenAPI said in full. */
export function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema)
  if (!isPlainObject(schema)) return schema
  const { nullable, ...rest } = schema
  const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, asJsonSchema(value)]))
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain
}

export function fitsSchema(schema: unknown, defs: Schema, value: unknown): boolean {
  const whole = asJsonSchema(
    defined({
      ...(schema as Schema),
      $defs: Object.keys(defs).length > 0 ? defs : undefined,
    }),
  )
  return compileSchema(whole as JsonSchema, { fillDefaults: false }).violations(value).length === 0
}

/** Sets an own property, whatever its name. */
export function put(target: Schema, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
