// Round every field: its label, what it is for, and what is wrong with it, tied together for screen readers.
import type { ComponentChildren } from 'preact'
import { say } from '../words/say.ts'
import { constraintsOf } from './constraints.ts'
import type { Schema } from './schema.ts'

/** What every field is given. */
export interface FieldProps {
  readonly schema: Schema
  readonly root: Schema
  readonly label: string
  readonly pointer: string
  readonly isRequired: boolean
  readonly value: unknown
  /** Undefined leaves the field out. */
  onChange(value: unknown): void
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** Start of every id of the form. */
  readonly form: string
}

export function fieldId({ form, pointer }: Pick<FieldProps, 'form' | 'pointer'>): string {
  return `${form}${pointer.replaceAll(/[^\w-]/g, '_')}`
}

/** Attributes that tie a control to its label, help and faults. */
export function controlProps(props: FieldProps) {
  const id = fieldId(props)
  const hasFaults = props.faults.has(props.pointer)
  const described = [
    ...(typeof props.schema['description'] === 'string' ? [`${id}-help`] : []),
    ...(constraintsOf(props.schema) ? [`${id}-rules`] : []),
    ...(hasFaults ? [`${id}-faults`] : []),
  ].join(' ')
  return {
    id,
    'aria-invalid': hasFaults,
    'aria-required': props.isRequired,
    ...(described ? { 'aria-describedby': described } : {}),
  }
}

interface FrameProps {
  readonly field: FieldProps
  readonly isGroup?: boolean
  /** Beside the label: a switch, a remove button. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

export function FieldFrame({ field, isGroup = false, aside, children }: FrameProps) {
  const id = fieldId(field)
  const faults = field.faults.get(field.pointer)
  const { description } = field.schema
  const rules = constraintsOf(field.schema)
  const name = (
    <>
      {field.label}
      {field.isRequired && <span class="required"> {say('required')}</span>}
    </>
  )
  return (
    <div
      class="field"
      data-faulty={faults ? true : undefined}
      {...(isGroup ? { id, role: 'group', 'aria-labelledby': `${id}-label` } : {})}
    >
      <div class="field-head">
        {isGroup ? (
          <span id={`${id}-label`} class="field-label">
            {name}
          </span>
        ) : (
          <label class="field-label" for={id}>
            {name}
          </label>
        )}
        {rules && (
          <span class="field-rules" id={`${id}-rules`}>
            {rules}
          </span>
        )}
        {aside && <span class="grow" />}
        {aside}
      </div>
      {typeof description === 'string' && description !== '' && (
        <p class="field-help" id={`${id}-help`}>
          {description}
        </p>
      )}
      {children}
      {faults && (
        <p class="field-fault" id={`${id}-faults`}>
          {faults.map((fault) => `${field.label} ${fault}`).join('; ')}
        </p>
      )}
    </div>
  )
}
