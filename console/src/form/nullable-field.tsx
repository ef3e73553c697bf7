// A field that may also hold null: a switch puts null in, the field itself shows while it is off.
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps, fieldId } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import type { Schema, Shape } from './schema.ts'

export function NullableField({ inner, ...props }: FieldProps & { inner: Shape }) {
  const schema = withoutNull(inner)
  const isNull = props.value === null
  const nullSwitch = (
    <label class="field-switch">
      <input
        type="checkbox"
        checked={isNull}
        onChange={(event) =>
          props.onChange(
            event.currentTarget.checked ? null : initialValue(schema, props.root, props.isRequired),
          )
        }
      />
      null
    </label>
  )
  // The switch stays the same element, so that the focus stays on it.
  return (
    <div class="nullable">
      {isNull ? (
        <FieldFrame field={{ ...props, schema }} isGroup>
          <output id={fieldId(props)} class="mono muted">
            null
          </output>
        </FieldFrame>
      ) : (
        <Field {...props} schema={schema} />
      )}
      {nullSwitch}
    </div>
  )
}

function withoutNull(shape: Shape): Schema {
  if (shape.kind === 'union') {
    const { type: _, ...rest } = shape.schema
    return { ...rest, anyOf: shape.variants }
  }
  return shape.kind === 'any' ? shape.schema : { ...shape.schema, type: shape.kind }
}
