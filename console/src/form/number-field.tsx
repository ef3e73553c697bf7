// A number. What is typed stays as it is until it is a number; an empty field is left out.
import { useState } from 'preact/hooks'
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'

export function NumberField(props: FieldProps & { isWhole: boolean }) {
  const { value } = props
  const [draft, setDraft] = useState<string | null>(null)
  const shown = draft !== null && sameNumber(draft, value) ? draft : value === undefined ? '' : String(value)
  return (
    <FieldFrame field={props}>
      <input
        {...controlProps(props)}
        class="input number"
        type="text"
        inputMode={props.isWhole ? 'numeric' : 'decimal'}
        autocomplete="off"
        value={shown}
        onInput={(event) => {
          const text = event.currentTarget.value
          setDraft(text)
          const number = Number(text)
          // Text that is no number goes on as text, so that the check can say so beside the field.
          props.onChange(text.trim() === '' ? undefined : Number.isNaN(number) ? text : number)
        }}
      />
    </FieldFrame>
  )
}

function sameNumber(draft: string, value: unknown): boolean {
  return draft === value || (draft.trim() === '' ? value === undefined : Number(draft) === value)
}
