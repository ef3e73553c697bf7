// A schema of an OpenAPI document as JSON Schema that stands for itself: what it refers to comes along under `$defs`, so
// that a shape that contains itself stays a reference. Each schema has a budget; what lies beyond it may be anything.
import type { JsonSchema } from '../../tool/tool.ts'
import { breakCircles } from './break-circles.ts'
import { isClosedTo, propertiesOf } from './closed-parts.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'

export interface ConvertOptions {
  /** A value that is sent or one that comes back: properties for the other way are not demanded. */
  readonly way: 'request' | 'response'
  /** Parts of a schema that are followed. */
  readonly budget: number
}

const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const single = new Set([
  ...['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'],
  ...['contains', 'not', 'if', 'then', 'else'],
])
/** Keywords of OpenAPI that say nothing to a validator or a model. */
const dropped = new Set([
  ...['xml', 'discriminator', 'externalDocs', 'example', 'nullable', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$comment'],
])

/** Several schemas of one tool, with what they refer to in common. */
export class Conversion {
  /** Shapes that were closed to what they are part of, and were opened. */
  readonly opened: Located[] = []
  readonly #document: ApiDocument
  readonly #options: ConvertOptions
  readonly #names = new Map<string, string>()
  readonly #waiting: { readonly name: string; readonly target: Located }[] = []
  #left: number

  constructor(document: ApiDocument, options: ConvertOptions) {
    this.#document = document
    this.#options = options
    this.#left = options.budget
  }

  /** A schema with all that the converted ones refer to; nearest first, so that what is cut off lies deepest. */
  finish(schema: Node | boolean): JsonSchema {
    const defs: { [name: string]: unknown } = {}
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      defs[next.name] = this.convert(next.target)
    breakCircles(defs)
    const root = typeof schema === 'boolean' ? {} : schema
    return (Object.keys(defs).length > 0 ? { ...root, $defs: defs } : root) as JsonSchema
  }

  convert(given: Located): Node | boolean {
    const { value } = given
    if (value === true || value === false) return value
    if (!isNode(value) || --this.#left < 0) return {}
    if (typeof value['$ref'] === 'string') return this.#reference(given, value['$ref'])
    return this.#object(given, value)
  }

  #reference(given: Located, ref: string): Node {
    const target = this.#document.target(ref, given.path)
    const words = given.value as Node
    const notes = typeof words['description'] === 'string' ? { description: words['description'] } : {}
    if (!target) return notes
    const key = `${target.path}#${target.pointer}`
    let name = this.#names.get(key)
    if (name === undefined) {
      name = this.#freeName(target)
      this.#names.set(key, name)
      this.#waiting.push({ name, target })
    }
    return { ...notes, $ref: `#/$defs/${name}` }
  }

  #freeName({ pointer, path }: Located): string {
    const last = pointer.split('/').at(-1) || path.split('/').at(-1)!
    const clean = last.replace(/[^A-Za-z0-9_.-]+/g, '_') || 'shape'
    const taken = new Set(this.#names.values())
    let name = clean
    for (let n = 2; taken.has(name); n++) name = `${clean}_${n}`
    return name
  }

  #object(given: Located, node: Node): Node {
    const schema: { [keyword: string]: unknown } = {}
    const names = Array.isArray(node['allOf']) ? propertiesOf(this.#document, given) : []
    for (const [keyword, value] of Object.entries(this.#open(given, node, names))) {
      if (dropped.has(keyword) || keyword.startsWith('x-')) continue
      const at = this.#document.at(given, keyword)
      if (maps.has(keyword)) {
        if (isNode(value)) schema[keyword] = this.#map(at, value)
      } else if (lists.has(keyword)) {
        if (Array.isArray(value) && value.length > 0)
          schema[keyword] = value.map((_, index) => {
            const part = this.#document.at(at, String(index))
            return keyword === 'allOf' ? this.#part(part, names) : this.convert(part)
          })
      } else if (single.has(keyword)) {
        if (isNode(value) || typeof value === 'boolean') schema[keyword] = this.convert(at)
      } else schema[keyword] = value
    }
    return this.#finish(schema, node)
  }

  /** A part of a whole with properties of these names; one that is closed to them stands for itself, opened. */
  #part(part: Located, names: readonly string[]): Node | boolean {
    const target = this.#document.resolve(part)
    if (!target || !isNode(target.value)) return this.convert(part)
    const value = this.#open(target, target.value, names)
    return this.convert(value === target.value ? part : { ...target, value })
  }

  #open(given: Located, node: Node, names: readonly string[]): Node {
    if (!isClosedTo(names, node)) return node
    this.opened.push(given)
    const { additionalProperties: _closed, ...open } = node
    return open
  }

  #map(at: Located, value: Node): Node {
    const converted: { [key: string]: unknown } = {}
    for (const key of Object.keys(value))
      Object.defineProperty(converted, key, {
        value: this.convert(this.#document.at(at, key)),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return converted
  }

  /** What OpenAPI 3.0 and Swagger 2.0 say in words of their own. */
  #finish(schema: { [keyword: string]: unknown }, node: Node): Node {
    if (node['example'] !== undefined && schema['examples'] === undefined)
      schema['examples'] = [node['example']]
    else if (schema['examples'] !== undefined && !Array.isArray(schema['examples'])) delete schema['examples']
    if (schema['type'] === 'file') Object.assign(schema, { type: 'string', format: 'binary' })
    if (Array.isArray(schema['enum'])) {
      const values: unknown[] = schema['enum']
      const { type } = schema
      const fitting =
        type === 'array' ? values.filter(Array.isArray) : values.map((value) => asType(value, type))
      if (fitting.length > 0) schema['enum'] = [...new Set(fitting)]
      else delete schema['enum']
    }
    for (const side of ['minimum', 'maximum']) {
      const exclusive = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
      if (typeof schema[exclusive] !== 'boolean') continue
      if (schema[exclusive] === true && typeof schema[side] === 'number') {
        schema[exclusive] = schema[side]
        delete schema[side]
      } else delete schema[exclusive]
    }
    if (Array.isArray(schema['required'])) this.#dropOtherWay(schema, node)
    else delete schema['required']
    if (this.#options.way === 'response') delete schema['format']
    return node['nullable'] === true ? orNull(schema) : schema
  }

  /** A property that only the other side writes cannot be demanded of this one. */
  #dropOtherWay(schema: { [keyword: string]: unknown }, node: Node): void {
    const mark = this.#options.way === 'request' ? 'readOnly' : 'writeOnly'
    const properties = isNode(node['properties']) ? node['properties'] : {}
    const required = (schema['required'] as unknown[]).filter((name) => {
      const property = properties[String(name)]
      return typeof name === 'string' && !(isNode(property) && property[mark] === true)
    })
    if (required.length > 0) schema['required'] = required
    else delete schema['required']
  }
}

/** Documents write `"true"` for a boolean, `"1"` for a number and `1` for a text: a value that no call could have otherwise. */
function asType(value: unknown, type: unknown): unknown {
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  const isNumber = (type === 'number' || type === 'integer') && typeof value === 'string' && /\d/.test(value)
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : value
}

function orNull(schema: { [keyword: string]: unknown }): Node {
  if (typeof schema['type'] === 'string') {
    const values = Array.isArray(schema['enum']) ? { enum: [...new Set([...schema['enum'], null])] } : {}
    return { ...schema, type: [schema['type'], 'null'], ...values }
  }
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}
