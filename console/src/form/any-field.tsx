// A value of any shape, written as JSON. Text that is not JSON stays in the field and says so.
import { useState } from 'preact/hooks'
import { say } from '../words/say.ts'
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'

export function AnyField(props: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const written = props.value === undefined ? '' : JSON.stringify(props.value, null, 2)
  const text = draft ?? written
  const isWrong = draft !== null && draft.trim() !== '' && parsed(draft) === undefined
  const faults = isWrong
    ? new Map([...props.faults, [props.pointer, ['is not JSON: texts need quotes']]])
    : props.faults
  return (
    <FieldFrame field={{ ...props, faults }}>
      <textarea
        {...controlProps({ ...props, faults })}
        class="input code"
        rows={2}
        spellcheck={false}
        placeholder={say('any JSON')}
        value={text}
        onInput={(event) => {
          const given = event.currentTarget.value
          setDraft(given)
          if (given.trim() === '') props.onChange(undefined)
          else if (parsed(given) !== undefined) props.onChange(parsed(given))
        }}
        onBlur={() => {
          if (!isWrong) setDraft(null)
        }}
      />
    </FieldFrame>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
