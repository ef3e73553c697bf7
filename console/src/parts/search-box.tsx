// The search field of a page; `/` leads to it from anywhere.
import { Icon } from './icon.tsx'

interface SearchBoxProps {
  readonly label: string
  readonly value: string
  onInput(value: string): void
}

export function SearchBox({ label, value, onInput }: SearchBoxProps) {
  return (
    <label class="search">
      <span class="unseen">{label}</span>
      <Icon name="search" />
      <input
        class="input"
        type="search"
        placeholder={label}
        value={value}
        data-search
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {value === '' && <span class="key-hint">/</span>}
    </label>
  )
}
