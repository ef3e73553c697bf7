// A JSON Schema to be read: names, types, what is required, limits, and the same for what lies inside.

import { listOf, type Schema, settled, shapeOf, variantLabel } from '../../form/schema.ts'
import { Badge } from '../../parts/badge.tsx'
import { say, sayKnown, type Text } from '../../words/say.ts'

const deepest = 6

export function SchemaView({ schema }: { schema: Schema }) {
  return (
    <ul class="schema">
      <Members schema={settled(schema, schema)} root={schema} depth={0} />
    </ul>
  )
}

function Members({ schema, root, depth }: { schema: Schema; root: Schema; depth: number }) {
  const required = listOf(schema['required'])
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  if (properties.length === 0 && depth === 0)
    return <Node name="value" schema={schema} root={root} depth={depth} />
  return (
    <>
      {properties.map(([name, property]) => (
        <Node
          key={name}
          name={name}
          schema={property}
          root={root}
          depth={depth}
          isRequired={required.includes(name)}
        />
      ))}
    </>
  )
}

interface NodeProps {
  readonly name: string
  readonly schema: Schema
  readonly root: Schema
  readonly depth: number
  readonly isRequired?: boolean
}

function Node({ name, schema, root, depth, isRequired = false }: NodeProps) {
  const shape = shapeOf(schema, root)
  const inner = shape.schema
  const limits = limitsOf(inner)
  return (
    <li>
      <div class="row wrap">
        <code class="schema-name">{name}</code>
        <span class="muted">{typeText(schema, root)}</span>
        {isRequired && <Badge tone="accent">{say('required')}</Badge>}
        {shape.isNullable && <Badge>{say('nullable')}</Badge>}
        {limits.map((limit) => (
          <Badge key={limit}>{limit}</Badge>
        ))}
      </div>
      {typeof inner['description'] === 'string' && <p class="muted">{inner['description']}</p>}
      {depth < deepest && <Inside schema={schema} root={root} depth={depth + 1} />}
    </li>
  )
}

function Inside({ schema, root, depth }: { schema: Schema; root: Schema; depth: number }) {
  const shape = shapeOf(schema, root)
  if (shape.kind === 'object' && shape.schema['properties'])
    return (
      <ul class="schema">
        <Members schema={shape.schema} root={root} depth={depth} />
      </ul>
    )
  if (shape.kind === 'union')
    return (
      <ul class="schema">
        {shape.variants.map((variant, index) => (
          <Node
            key={index}
            name={variantLabel(variant, index, root)}
            schema={variant}
            root={root}
            depth={depth}
          />
        ))}
      </ul>
    )
  if (shape.kind !== 'array' || !shape.schema['items']) return null
  const items = shapeOf(shape.schema['items'], root)
  return items.kind === 'object' || items.kind === 'union' ? (
    <Inside schema={shape.schema['items'] as Schema} root={root} depth={depth} />
  ) : null
}

function typeText(schema: Schema, root: Schema): string {
  const shape = shapeOf(schema, root)
  if (shape.kind === 'choice') return shape.choices.map((choice) => choice.label).join(' | ')
  if (shape.kind === 'const') return JSON.stringify(shape.value)
  if (shape.kind === 'union') return say('one of')
  if (shape.kind === 'array' && shape.schema['items'])
    return say('list of {what}', { what: typeText(shape.schema['items'] as Schema, root) })
  return typeof shape.schema['format'] === 'string' ? `${shape.kind}, ${shape.schema['format']}` : shape.kind
}

const limitNames: { readonly [keyword: string]: Text | '≥' | '≤' | '>' | '<' } = {
  minimum: '≥',
  maximum: '≤',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
  minLength: 'length ≥',
  maxLength: 'length ≤',
  minItems: 'entries ≥',
  maxItems: 'entries ≤',
  pattern: 'matches',
  multipleOf: 'multiple of',
  default: 'default',
}

function limitsOf(schema: Schema): string[] {
  return Object.entries(limitNames).flatMap(([keyword, words]) =>
    schema[keyword] === undefined
      ? []
      : [
          `${sayKnown(words)} ${typeof schema[keyword] === 'string' ? schema[keyword] : JSON.stringify(schema[keyword])}`,
        ],
  )
}
