// Several of a few values, as chips that are on or off.
import { FieldFrame, type FieldProps } from './field-frame.tsx'
import type { Choice } from './schema.ts'

export function ChoicesField({ choices, ...props }: FieldProps & { readonly choices: readonly Choice[] }) {
  const items = Array.isArray(props.value) ? props.value : []
  const keyOf = (value: unknown) => JSON.stringify(value)
  const chosen = new Set(items.map(keyOf))
  const toggle = (value: unknown) => {
    const next = chosen.has(keyOf(value))
      ? items.filter((item) => keyOf(item) !== keyOf(value))
      : choices.map((choice) => choice.value).filter((each) => chosen.has(keyOf(each)) || each === value)
    props.onChange(next.length === 0 && !props.isRequired ? undefined : next)
  }
  return (
    <FieldFrame field={props} isGroup>
      <div class="chips">
        {choices.map((choice) => (
          <button
            key={keyOf(choice.value)}
            type="button"
            class="chip"
            aria-pressed={chosen.has(keyOf(choice.value))}
            title={choice.description}
            onClick={() => toggle(choice.value)}
          >
            {choice.label}
          </button>
        ))}
      </div>
    </FieldFrame>
  )
}
