// One of several shapes: up to four side by side, more in a list; the field below shows the chosen one.
import { useState } from 'preact/hooks'
import { Segmented } from '../parts/segmented.tsx'
import { say } from '../words/say.ts'
import { checkValue } from './check-value.ts'
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps, fieldId } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { type Schema, variantLabel } from './schema.ts'

const mostSegments = 4

export function UnionField({ variants, ...props }: FieldProps & { variants: readonly Schema[] }) {
  const [picked, setPicked] = useState<number | null>(null)
  const { value, root, isRequired } = props
  const fitting = value === undefined ? -1 : bestVariant(variants, value, root)
  const at = picked ?? (fitting >= 0 ? fitting : isRequired ? 0 : -1)
  const id = `${fieldId(props)}-variant`
  const choose = (key: string) => {
    const index = Number(key)
    setPicked(index)
    props.onChange(index < 0 ? undefined : initialValue(variants[index], root, true))
  }
  return (
    <FieldFrame field={props} isGroup>
      {variants.length <= mostSegments ? (
        <Segmented
          label={say('{name}: variant', { name: props.label })}
          options={[
            ...(isRequired ? [] : [['-1', say('not set')] as const]),
            ...variants.map((variant, index) => [String(index), variantLabel(variant, index, root)] as const),
          ]}
          chosen={String(at)}
          onChoose={choose}
        />
      ) : (
        <select
          class="input short"
          id={id}
          aria-label={say('{name}: variant', { name: props.label })}
          value={String(at)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {!isRequired && <option value="-1">{say('not set')}</option>}
          {variants.map((variant, index) => (
            <option key={index} value={String(index)}>
              {variantLabel(variant, index, root)}
            </option>
          ))}
        </select>
      )}
      {at >= 0 && variants[at] && (
        <div class="nested">
          <Field
            key={at}
            {...props}
            label={variantLabel(variants[at], at, root)}
            schema={variants[at]}
            isRequired
          />
        </div>
      )}
    </FieldFrame>
  )
}

/** The variant a value fits best, by its number of faults. */
function bestVariant(variants: readonly Schema[], value: unknown, root: Schema): number {
  let best = 0
  let fewest = Number.POSITIVE_INFINITY
  for (const [index, variant] of variants.entries()) {
    const faults = checkValue(variant, value, root).length
    if (faults < fewest) {
      fewest = faults
      best = index
    }
  }
  return best
}
