// A list: entries can be added, moved and removed; an optional list without entries is left out.
import { Icon } from '../parts/icon.tsx'
import { say } from '../words/say.ts'
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { listOf, type Schema, shapeOf } from './schema.ts'

export function ArrayField(props: FieldProps) {
  const { schema, root, pointer, isRequired } = props
  const items = Array.isArray(props.value) ? props.value : []
  const first = listOf(schema['prefixItems'])
  const ruleOf = (index: number) => (first[index] ?? schema['items'] ?? {}) as Schema
  const set = (next: readonly unknown[]) =>
    props.onChange(next.length === 0 && !isRequired ? undefined : next)
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Number.POSITIVE_INFINITY
  const add = () =>
    set([...items, initialValue(ruleOf(items.length), root, true) ?? blankOf(ruleOf(items.length), root)])
  return (
    <FieldFrame
      field={props}
      isGroup
      aside={
        <button type="button" class="button small quiet" onClick={add} disabled={items.length >= most}>
          <Icon name="plus" /> {say('Add')}
          <span class="unseen"> {say('an entry to {name}', { name: props.label })}</span>
        </button>
      }
    >
      {items.length > 0 && (
        <div class="nested">
          {items.map((item, index) => (
            <div class="entry" key={index}>
              <Field
                schema={ruleOf(index)}
                root={root}
                label={`${props.label} ${index + 1}`}
                pointer={`${pointer}/${index}`}
                isRequired
                value={item}
                onChange={(inner) => set(items.with(index, inner === undefined ? null : inner))}
                faults={props.faults}
                form={props.form}
              />
              <span class="entry-buttons">
                {index > 0 && (
                  <button
                    type="button"
                    class="button small quiet"
                    onClick={() => set(swapped(items, index - 1))}
                  >
                    {say('Up')}
                    <span class="unseen">
                      : {props.label} {index + 1}
                    </span>
                  </button>
                )}
                <button
                  type="button"
                  class="button small quiet"
                  onClick={() => set(items.toSpliced(index, 1))}
                >
                  {say('Remove')}
                  <span class="unseen">
                    {' '}
                    {props.label} {index + 1}
                  </span>
                </button>
              </span>
            </div>
          ))}
        </div>
      )}
    </FieldFrame>
  )
}

function swapped(items: readonly unknown[], index: number): unknown[] {
  return items.with(index, items[index + 1]).with(index + 1, items[index])
}

/** An entry to begin with, where the schema gives none. */
function blankOf(schema: Schema, root: Schema): unknown {
  const { kind } = shapeOf(schema, root)
  return kind === 'string' || kind === 'any' ? '' : kind === 'number' || kind === 'integer' ? 0 : null
}
