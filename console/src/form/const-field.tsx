// A value that cannot be anything else. When it is optional it can be put in or left out.
import { controlProps, FieldFrame, type FieldProps, fieldId } from './field-frame.tsx'

export function ConstField({ constant, ...props }: FieldProps & { constant: unknown }) {
  const text = typeof constant === 'string' ? constant : JSON.stringify(constant)
  return (
    <FieldFrame field={props}>
      {props.isRequired ? (
        <output id={fieldId(props)} class="mono">
          {text}
        </output>
      ) : (
        <span class="row">
          <input
            {...controlProps(props)}
            type="checkbox"
            checked={props.value !== undefined}
            onChange={(event) => props.onChange(event.currentTarget.checked ? constant : undefined)}
          />
          <code>{text}</code>
        </span>
      )}
    </FieldFrame>
  )
}
