// One field of a settings form, by its `ui_type`: every widget the format knows.
import { useState } from 'preact/hooks'
import type { SettingsField } from '../../api/types.ts'
import { say } from '../../words/say.ts'

interface ControlProps {
  readonly field: SettingsField
  readonly value: unknown
  readonly fault: string | undefined
  onChange(value: unknown): void
}

export function SettingsControl(props: ControlProps) {
  const { field, fault } = props
  const id = `setting-${field.key}`
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {field.label}
        {field.required && <span class="required"> {say('required')}</span>}
      </label>
      {field.description && (
        <p class="field-help" id={`${id}-help`}>
          {field.description}
        </p>
      )}
      <Widget {...props} id={id} />
      {field.help_text && <p class="field-help">{field.help_text}</p>}
      {field.choices_error && <p class="field-fault">{field.choices_error}</p>}
      <p class="field-fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
    </div>
  )
}

function Widget({ field, value, fault, onChange, id }: ControlProps & { id: string }) {
  const shared = {
    id,
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${field.description ? `${id}-help ` : ''}${id}-fault`,
  }
  const kind = field.ui_type ?? defaultWidgets[field.type] ?? 'text'
  const text = value === undefined || value === null ? '' : String(value)
  switch (kind) {
    case 'textarea':
      return (
        <textarea
          {...shared}
          class="input"
          rows={4}
          placeholder={field.placeholder}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'number':
      return (
        <input
          {...shared}
          class="input number"
          type="number"
          min={field.min}
          max={field.max}
          step={field.step ?? 'any'}
          placeholder={field.placeholder}
          value={text}
          onInput={(event) => onChange(numberOf(event.currentTarget.value))}
        />
      )
    case 'slider':
      return (
        <span class="row slider">
          <input
            {...shared}
            type="range"
            min={field.min ?? 0}
            max={field.max ?? 100}
            step={field.step ?? 1}
            value={text === '' ? String(field.min ?? 0) : text}
            onInput={(event) => onChange(numberOf(event.currentTarget.value))}
          />
          <output for={id}>{text}</output>
        </span>
      )
    case 'boolean':
    case 'checkbox':
      return (
        <span>
          <input
            {...shared}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
        </span>
      )
    case 'select':
    case 'secret-select':
      return <Select shared={shared} field={field} value={value} onChange={onChange} />
    case 'json':
      return <JsonInput shared={shared} value={value} onChange={onChange} />
    default:
      return (
        <input
          {...shared}
          class="input"
          autocomplete="off"
          placeholder={field.placeholder}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}

const defaultWidgets: Record<string, string> = {
  number: 'number',
  boolean: 'boolean',
  secret: 'secret-select',
  json: 'json',
}

function numberOf(text: string): number | null {
  return text === '' ? null : Number(text)
}

type Shared = { readonly id: string; readonly 'aria-invalid': boolean; readonly 'aria-describedby': string }

interface InnerProps {
  readonly shared: Shared
  readonly value: unknown
  onChange(value: unknown): void
}

function Select({ shared, field, value, onChange }: InnerProps & { field: SettingsField }) {
  const choices = field.choices ?? []
  const at = choices.findIndex((choice) => choice.value === value)
  return (
    <select
      {...shared}
      class="input short"
      value={String(at)}
      onChange={(event) => onChange(choices[Number(event.currentTarget.value)]?.value ?? null)}
    >
      {(at < 0 || !field.required) && (
        <option value="-1">{choices.length === 0 ? say('nothing to choose') : say('not set')}</option>
      )}
      {choices.map((choice, index) => (
        <option key={index} value={String(index)}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

function JsonInput({ shared, value, onChange }: InnerProps) {
  const [draft, setDraft] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [isWrong, setWrong] = useState(false)
  return (
    <>
      <textarea
        {...shared}
        aria-invalid={isWrong || shared['aria-invalid']}
        class="input code"
        rows={5}
        spellcheck={false}
        value={draft}
        onInput={(event) => {
          const text = event.currentTarget.value
          setDraft(text)
          try {
            onChange(text.trim() === '' ? null : JSON.parse(text))
            setWrong(false)
          } catch {
            setWrong(true)
          }
        }}
      />
      {isWrong && <p class="field-fault">{say('This is not JSON yet; the last good value counts.')}</p>}
    </>
  )
}
