// Keys of an object that its schema does not name: each can be added, changed and removed.
import { useState } from 'preact/hooks'
import { say } from '../words/say.ts'
import { escaped } from './check-value.ts'
import { Field } from './field.tsx'
import { type FieldProps, fieldId } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { isSchema } from './schema.ts'

interface ExtraKeysProps extends Omit<FieldProps, 'value'> {
  readonly known: readonly string[]
  readonly value: Record<string, unknown>
  onSet(key: string, value: unknown): void
}

export function ExtraKeys({ known, value, onSet, ...props }: ExtraKeysProps) {
  const [name, setName] = useState('')
  const rule = isSchema(props.schema['additionalProperties']) ? props.schema['additionalProperties'] : {}
  const extra = Object.keys(value).filter((key) => !known.includes(key))
  const id = `${fieldId(props)}-new-key`
  const add = () => {
    const key = name.trim()
    if (key === '' || Object.hasOwn(value, key) || known.includes(key)) return
    onSet(key, initialValue(rule, props.root, true) ?? '')
    setName('')
  }
  return (
    <>
      {extra.map((key) => (
        <div class="entry" key={key}>
          <Field
            schema={rule}
            root={props.root}
            label={key}
            pointer={`${props.pointer}/${escaped(key)}`}
            isRequired={false}
            value={value[key]}
            onChange={(inner) => onSet(key, inner ?? '')}
            faults={props.faults}
            form={props.form}
          />
          <button type="button" class="button small quiet" onClick={() => onSet(key, undefined)}>
            {say('Remove')}
            <span class="unseen"> {key}</span>
          </button>
        </div>
      ))}
      <div class="row">
        <input
          class="input short"
          id={id}
          aria-label={say('New key of {name}', { name: props.label })}
          placeholder={say('another key')}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey) return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" class="button small" onClick={add} disabled={name.trim() === ''}>
          {say('Add key')}
        </button>
      </div>
    </>
  )
}
