// An object: its properties as fields, other keys where the schema allows them. An optional object can be
// added and removed as a whole.
import { escaped } from './check-value.ts'
import { ExtraKeys } from './extra-keys.tsx'
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { labelOf, listOf, type Schema, settled } from './schema.ts'

export function ObjectField(props: FieldProps) {
  const { value, schema, root, isRequired, pointer } = props
  if (pointer === '') return <Members {...props} />
  const isThere = value !== undefined
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
            {isThere ? 'Remove' : 'Add'}
            <span class="unseen"> {props.label}</span>
          </button>
        )
      }
    >
      {(isThere || isRequired) && (
        <div class="nested">
          <Members {...props} />
        </div>
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
  const names = Object.keys(properties).sort(
    (a, b) => Number(required.includes(b)) - Number(required.includes(a)),
  )
  return (
    <div class="fields">
      {names.map((key) => (
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
      ))}
      {schema['additionalProperties'] !== false &&
        (names.length === 0 || schema['additionalProperties'] !== undefined) && (
          <ExtraKeys {...props} known={names} value={value} onSet={set} />
        )}
    </div>
  )
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
