// One of a few values: chips where they fit in a line or two, a list where there are more.
import { say } from '../words/say.ts'
import { controlProps, FieldFrame, type FieldProps } from './field-frame.tsx'
import type { Choice } from './schema.ts'

interface ChoiceFieldProps extends FieldProps {
  readonly choices: readonly Choice[]
  readonly isNullable: boolean
}

const mostChips = 8
const longestChips = 90

export function ChoiceField({ choices, isNullable, ...props }: ChoiceFieldProps) {
  const at = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(props.value))
  const chosen = choices[at]
  const isShort =
    choices.length <= mostChips && choices.reduce((sum, { label }) => sum + label.length, 0) <= longestChips
  return (
    <FieldFrame field={props} isGroup={isShort}>
      {isShort ? (
        <div class="chips">
          {choices.map((choice, index) => (
            <button
              key={index}
              type="button"
              class="chip"
              aria-pressed={index === at}
              onClick={() => props.onChange(index === at && !props.isRequired ? undefined : choice.value)}
            >
              {choice.label}
            </button>
          ))}
          {isNullable && (
            <button
              type="button"
              class="chip"
              aria-pressed={props.value === null}
              onClick={() => props.onChange(props.value === null ? undefined : null)}
            >
              {say('none (null)')}
            </button>
          )}
        </div>
      ) : (
        <ChoiceList {...props} choices={choices} isNullable={isNullable} at={at} />
      )}
      {chosen?.description && <p class="field-help">{chosen.description}</p>}
    </FieldFrame>
  )
}

function ChoiceList({ choices, isNullable, at, ...props }: ChoiceFieldProps & { readonly at: number }) {
  const shown = at >= 0 ? String(at) : props.value === null && isNullable ? 'null' : ''
  return (
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
        <option value="">{props.isRequired ? say('choose') : say('not set')}</option>
      )}
      {isNullable && <option value="null">{say('none (null)')}</option>}
      {choices.map((choice, index) => (
        <option key={index} value={String(index)}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}
