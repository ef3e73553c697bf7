// An object: its properties as fields, other keys where the schema allows them. An optional object can be
// added and removed as a whole.
import { useState } from 'preact/hooks'
import { say, sayMany } from '../words/say.ts'
import { escaped } from './check-value.ts'
import { ExtraKeys } from './extra-keys.tsx'
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { labelOf, listOf, type Schema, settled } from './schema.ts'

const mostOpen = 2
const mostOpenAlone = 6

export function ObjectField(props: FieldProps) {
  const { value, schema, root, isRequired, pointer } = props
  if (pointer === '') return <Members {...props} />
  const isThere = value !== undefined
  // One that comes filled in is told in a line; one that was just added, or is wrong, is open.
  const [isFolded] = useState(() => Object.keys(asRecord(value)).length > 2)
  return (
    <FieldFrame
      field={props}
      isGroup
      aside={
        !isRequired && (
          <button
            type="button"
            class="button small quiet"
            onClick={() =>
              props.onChange(
                isThere ? undefined : (initialValue({ ...schema, default: undefined }, root, true) ?? {}),
              )
            }
          >
            {isThere ? say('Remove') : say('Add')}
            <span class="unseen"> {props.label}</span>
          </button>
        )
      }
    >
      {(isThere || isRequired) && (
        <details class="nested-object" open={!isFolded}>
          <summary>{summaryOf(value)}</summary>
          <div class="nested">
            <Members {...props} />
          </div>
        </details>
      )}
    </FieldFrame>
  )
}

function Members(props: FieldProps) {
  const { schema, root, pointer } = props
  const value = asRecord(props.value)
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = listOf(schema['required'])
  const set = (key: string, inner: unknown) => {
    const next = { ...value }
    if (inner === undefined) delete next[key]
    else next[key] = inner
    props.onChange(next)
  }
  const names = Object.keys(properties)
  const needed = names.filter((key) => required.includes(key))
  const optional = names.filter((key) => !required.includes(key))
  const fieldOf = (key: string) => (
    <Field
      key={key}
      schema={properties[key]!}
      root={root}
      label={labelOf(settled(properties[key], root), key)}
      pointer={`${pointer}/${escaped(key)}`}
      isRequired={required.includes(key)}
      value={value[key]}
      onChange={(inner) => set(key, inner)}
      faults={props.faults}
      form={props.form}
    />
  )
  // A few optional fields are no burden; many are folded, unless one of them is filled in or wrong.
  const isFolded = optional.length > (needed.length === 0 ? mostOpenAlone : mostOpen)
  const isUsed = optional.some((key) => value[key] !== undefined)
  const isFaulty = optional.some((key) =>
    [...props.faults.keys()].some((fault) => fault.startsWith(`${pointer}/${escaped(key)}`)),
  )
  return (
    <div class="fields">
      {needed.map(fieldOf)}
      {isFolded ? (
        <details class="optional" open={isUsed || isFaulty}>
          <summary>{sayMany(optional.length, 'Optional ({n})', 'Optional ({n})')}</summary>
          <div class="fields">{optional.map(fieldOf)}</div>
        </details>
      ) : (
        optional.map(fieldOf)
      )}
      {schema['additionalProperties'] !== false &&
        (names.length === 0 || schema['additionalProperties'] !== undefined) && (
          <ExtraKeys {...props} known={names} value={value} onSet={set} />
        )}
    </div>
  )
}

/** `city London, zip 123`: what an object holds, in a line. */
function summaryOf(value: unknown): string {
  const entries = Object.entries(asRecord(value))
  if (entries.length === 0) return say('empty')
  const text = entries
    .slice(0, 4)
    .map(([key, inner]) => `${key} ${typeof inner === 'object' ? '…' : String(inner).slice(0, 24)}`)
    .join(', ')
  return entries.length > 4 ? `${text}, …` : text
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
