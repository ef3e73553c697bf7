// Yes or no, as a switch; an optional one can also be left out.
import { say } from '../words/say.ts'
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'

export function BooleanField(props: FieldProps) {
  const { value, isRequired, schema } = props
  const { 'aria-required': _, ...control } = controlProps(props)
  return (
    <FieldFrame field={props}>
      <span class="row">
        <button
          {...control}
          type="button"
          class="switch"
          role="switch"
          aria-checked={value === true}
          data-unset={value === undefined || undefined}
          onClick={() => props.onChange(value !== true)}
        />
        <span class="muted">
          {value === undefined
            ? schema['default'] === undefined
              ? say('not set')
              : say('default: {value}', { value: schema['default'] === true ? say('yes') : say('no') })
            : value === true
              ? say('yes')
              : say('no')}
        </span>
        {!isRequired && value !== undefined && (
          <button type="button" class="button small quiet" onClick={() => props.onChange(undefined)}>
            {say('Leave out')}
            <span class="unseen"> {props.label}</span>
          </button>
        )}
      </span>
    </FieldFrame>
  )
}
