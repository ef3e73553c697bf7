// One filter of a list: a labelled select whose empty choice means "all".
import { say } from '../words/say.ts'

interface ChoiceFilterProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (string | readonly [string, string])[]
  onChoose(value: string): void
}

export function ChoiceFilter({ label, value, choices, onChoose }: ChoiceFilterProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      <option value="">{say('{name}: all', { name: label })}</option>
      {choices.map((choice) => {
        const [key, text] = typeof choice === 'string' ? [choice, choice] : choice
        return (
          <option key={key} value={key}>
            {text}
          </option>
        )
      })}
    </select>
  )
}
