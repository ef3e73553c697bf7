import { expect, it } from 'vitest'
import { valueFromText } from './params-from-flags.ts'

it.each([
  [{ type: 'integer' }, '3', 3],
  [{ type: 'number' }, '1.10', 1.1],
  [{ type: 'number' }, 'x', 'x'],
  [{ type: 'string' }, '3', '3'],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'array', items: { type: 'integer' } }, '3', [3]],
  [{ type: ['null', 'integer'] }, '3', 3],
  [{ enum: ['1', '2'] }, '1', '1'],
  // No type stated: JSON, unless a number would be written otherwise afterwards.
  [{}, '3', 3],
  [{}, '-0.5', -0.5],
  [{}, '{"a":1}', { a: 1 }],
  [{}, 'true', true],
  [{}, '1.10', '1.10'],
  [{}, '007', '007'],
  [{}, '1e3', '1e3'],
  [{}, '12345678901234567890', '12345678901234567890'],
  [undefined, '1.0', '1.0'],
])('%j takes %s for %j', (property, text, value) => {
  expect(valueFromText(text, property)).toEqual(value)
})
