// One of a few values.
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'
import type { Choice } from './schema.ts'

interface ChoiceFieldProps extends FieldProps {
  readonly choices: readonly Choice[]
  readonly isNullable: boolean
}

export function ChoiceField({ choices, isNullable, ...props }: ChoiceFieldProps) {
  const at = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(props.value))
  const shown = at >= 0 ? String(at) : props.value === null && isNullable ? 'null' : ''
  const chosen = choices[at]
  return (
    <FieldFrame field={props}>
      <select
        {...controlProps(props)}
        class="input"
        value={shown}
        onChange={(event) => {
          const key = event.currentTarget.value
          props.onChange(key === '' ? undefined : key === 'null' ? null : choices[Number(key)]!.value)
        }}
      >
        {(!props.isRequired || shown === '') && (
          <option value="">{props.isRequired ? 'choose' : 'not set'}</option>
        )}
        {isNullable && <option value="null">none (null)</option>}
        {choices.map((choice, index) => (
          <option key={index} value={String(index)}>
            {choice.label}
          </option>
        ))}
      </select>
      {chosen?.description && <p class="field-help">{chosen.description}</p>}
    </FieldFrame>
  )
}
