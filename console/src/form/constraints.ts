// What a schema demands of a value, in words, before anything is wrong.
import { say } from '../words/say.ts'
import type { Schema } from './schema.ts'

export function constraintsOf(schema: Schema): string {
  return [
    range(schema['minLength'], schema['maxLength'], 'characters'),
    range(schema['minimum'], schema['maximum'], ''),
    schema['exclusiveMinimum'] === undefined
      ? ''
      : say('more than {n}', { n: Number(schema['exclusiveMinimum']) }),
    schema['exclusiveMaximum'] === undefined
      ? ''
      : say('less than {n}', { n: Number(schema['exclusiveMaximum']) }),
    schema['multipleOf'] === undefined ? '' : say('a multiple of {n}', { n: Number(schema['multipleOf']) }),
    range(schema['minItems'], schema['maxItems'], 'entries'),
    schema['uniqueItems'] === true ? say('no entry twice') : '',
    typeof schema['pattern'] === 'string' ? say('pattern {pattern}', { pattern: schema['pattern'] }) : '',
    formatWords(schema['format']),
  ]
    .filter(Boolean)
    .join(' · ')
}

function range(least: unknown, most: unknown, unit: '' | 'characters' | 'entries'): string {
  const of = unit === '' ? '' : ` ${say(unit)}`
  if (typeof least === 'number' && typeof most === 'number')
    return `${say('{a} to {b}', { a: least, b: most })}${of}`
  if (typeof least === 'number' && least > (unit === '' ? Number.NEGATIVE_INFINITY : 0))
    return `${say('{n} or more', { n: least })}${of}`
  return typeof most === 'number' ? `${say('{n} or less', { n: most })}${of}` : ''
}

/** Formats whose field does not show them by itself. */
function formatWords(format: unknown): string {
  return typeof format === 'string' &&
    !['date-time', 'date', 'textarea', 'password', 'color'].includes(format)
    ? format
    : ''
}
