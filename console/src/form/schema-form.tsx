// A form made from a JSON Schema, with a switch to the raw JSON. It holds no state of its own but the text of
// a raw value that is not JSON yet.
import { useState } from 'preact/hooks'
import { Segmented } from '../parts/segmented.tsx'
import { say } from '../words/say.ts'
import type { Fault } from './check-value.ts'
import { Field } from './field.tsx'
import type { Schema } from './schema.ts'
import './form.css'

interface SchemaFormProps {
  readonly id: string
  readonly schema: Schema
  readonly value: unknown
  onChange(value: unknown): void
  readonly faults: readonly Fault[]
  readonly isRaw: boolean
  onRaw(isRaw: boolean): void
  /** Told while the raw text is not JSON. */
  onBroken(message: string | null): void
}

export function SchemaForm({ id, schema, value, onChange, faults, isRaw, onRaw, onBroken }: SchemaFormProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const [broken, setBroken] = useState<string | null>(null)
  const byPointer = new Map<string, string[]>()
  for (const { pointer, message } of faults)
    byPointer.set(pointer, [...(byPointer.get(pointer) ?? []), message])
  const report = (message: string | null) => {
    setBroken(message)
    onBroken(message)
  }
  return (
    <div class="schema-form">
      <div class="row spread">
        <span class="muted">{say('Parameters')}</span>
        <Segmented
          label={say('How to enter parameters')}
          options={[
            ['form', say('Form')],
            ['raw', 'JSON'],
          ]}
          chosen={isRaw ? 'raw' : 'form'}
          onChoose={(mode) => {
            setDraft(null)
            report(null)
            onRaw(mode === 'raw')
          }}
        />
      </div>
      {isRaw ? (
        <div class="field">
          <label class="unseen" for={`${id}-raw`}>
            {say('Parameters as JSON')}
          </label>
          <textarea
            id={`${id}-raw`}
            class="input code"
            rows={12}
            spellcheck={false}
            aria-invalid={broken !== null}
            aria-describedby={`${id}-raw-fault`}
            value={draft ?? JSON.stringify(value ?? {}, null, 2)}
            onInput={(event) => {
              const text = event.currentTarget.value
              setDraft(text)
              try {
                onChange(text.trim() === '' ? {} : JSON.parse(text))
                report(null)
              } catch (error) {
                report((error as Error).message)
              }
            }}
          />
          <p class="field-fault" id={`${id}-raw-fault`}>
            {broken}
          </p>
        </div>
      ) : (
        <Field
          schema={schema}
          root={schema}
          label={say('Parameters')}
          pointer=""
          isRequired
          value={value}
          onChange={onChange}
          faults={byPointer}
          form={id}
        />
      )}
      <StrayFaults faults={faults} isRaw={isRaw} id={id} />
    </div>
  )
}

/** Faults of the whole, or of places no field shows. */
function StrayFaults({ faults, isRaw, id }: { faults: readonly Fault[]; isRaw: boolean; id: string }) {
  const stray = faults.filter(({ pointer }) => isRaw || pointer === '' || !hasField(id, pointer))
  if (stray.length === 0) return null
  return (
    <ul class="callout" data-tone="bad" role="alert">
      {stray.map(({ pointer, message }) => (
        <li key={pointer + message}>
          {pointer && <code>{pointer}</code>} {message}
        </li>
      ))}
    </ul>
  )
}

function hasField(id: string, pointer: string): boolean {
  return document.getElementById(`${id}${pointer.replaceAll(/[^\w-]/g, '_')}`) !== null
}
