// Yes or no; an optional one can also be left out.
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'

export function BooleanField(props: FieldProps) {
  const { value, isRequired, schema } = props
  const text = value === true ? 'true' : value === false ? 'false' : ''
  return (
    <FieldFrame field={props}>
      <select
        {...controlProps(props)}
        class="input short"
        value={text}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          props.onChange(chosen === '' ? undefined : chosen === 'true')
        }}
      >
        {(!isRequired || text === '') && (
          <option value="">
            {schema['default'] === undefined ? 'not set' : `default (${String(schema['default'])})`}
          </option>
        )}
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    </FieldFrame>
  )
}
