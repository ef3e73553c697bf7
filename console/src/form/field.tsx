// One field of a form, whatever its schema: picks the control that fits.
import { AnyField } from './any-field.tsx'
import { ArrayField } from './array-field.tsx'
import { BooleanField } from './boolean-field.tsx'
import { ChoiceField } from './choice-field.tsx'
import { ChoicesField } from './choices-field.tsx'
import { ConstField } from './const-field.tsx'
import type { FieldProps } from './field-frame.tsx'
import { MomentField } from './moment-field.tsx'
import { NullableField } from './nullable-field.tsx'
import { NumberField } from './number-field.tsx'
import { ObjectField } from './object-field.tsx'
import { shapeOf } from './schema.ts'
import { TextField } from './text-field.tsx'
import { UnionField } from './union-field.tsx'

export function Field(given: FieldProps) {
  const shape = shapeOf(given.schema, given.root)
  const props = { ...given, schema: shape.schema }
  if (shape.isNullable && shape.kind !== 'choice')
    return <NullableField {...props} schema={given.schema} inner={shape} />
  switch (shape.kind) {
    case 'string':
      return shape.schema['format'] === 'date-time' ? <MomentField {...props} /> : <TextField {...props} />
    case 'number':
    case 'integer':
      return <NumberField {...props} isWhole={shape.kind === 'integer'} />
    case 'boolean':
      return <BooleanField {...props} />
    case 'choice':
      return <ChoiceField {...props} choices={shape.choices} isNullable={shape.isNullable} />
    case 'const':
      return <ConstField {...props} constant={shape.value} />
    case 'null':
      return <ConstField {...props} constant={null} />
    case 'union':
      return <UnionField {...props} variants={shape.variants} />
    case 'object':
      return <ObjectField {...props} />
    case 'array': {
      const entry = shapeOf(shape.schema['items'], given.root)
      return entry.kind === 'choice' && !entry.isNullable ? (
        <ChoicesField {...props} choices={entry.choices} />
      ) : (
        <ArrayField {...props} />
      )
    }
    default:
      return <AnyField {...props} />
  }
}
