// One of several shapes: a select names the shape, the field below it shows it.
import { useState } from 'preact/hooks'
import { checkValue } from './check-value.ts'
import { Field } from './field.tsx'
import { FieldFrame, type FieldProps, fieldId } from './field-frame.tsx'
import { initialValue } from './initial-value.ts'
import { type Schema, variantLabel } from './schema.ts'

export function UnionField({ variants, ...props }: FieldProps & { variants: readonly Schema[] }) {
  const [picked, setPicked] = useState<number | null>(null)
  const { value, root, isRequired } = props
  const fitting = value === undefined ? -1 : bestVariant(variants, value, root)
  const at = picked ?? (fitting >= 0 ? fitting : isRequired ? 0 : -1)
  const id = `${fieldId(props)}-variant`
  return (
    <FieldFrame field={props} isGroup>
      <select
        class="input short"
        id={id}
        aria-label={`${props.label}: variant`}
        value={String(at)}
        onChange={(event) => {
          const index = Number(event.currentTarget.value)
          setPicked(index)
          props.onChange(index < 0 ? undefined : initialValue(variants[index], root, true))
        }}
      >
        {!isRequired && <option value="-1">not set</option>}
        {variants.map((variant, index) => (
          <option key={index} value={String(index)}>
            {variantLabel(variant, index, root)}
          </option>
        ))}
      </select>
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
