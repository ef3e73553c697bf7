import { expect, it } from 'vitest'
import { familyOf } from './error-codes.ts'
import { errorData, isToolError, ToolError } from './tool-error.ts'

it('keeps code, hint, details and retryable as data', () => {
  const error = new ToolError('TIMEOUT', 'late', { hint: 'wait', details: { ms: 5 }, retryable: true })
  expect(errorData(error)).toEqual({
    code: 'TIMEOUT',
    message: 'late',
    hint: 'wait',
    details: { ms: 5 },
    retryable: true,
  })
})

it('recognises an error of another copy of this module by its marker', () => {
  expect(isToolError({ [Symbol.for('toolcrib.error')]: true })).toBe(true)
  expect(isToolError(new Error('x'))).toBe(false)
})

it.each([
  [new Error('boom'), 'boom'],
  ['text', 'text'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, 'undefined'],
])('turns any thrown thing into TOOL_FAILED with its words', (thrown, message) => {
  expect(errorData(thrown)).toEqual({ code: 'TOOL_FAILED', message, retryable: false })
})

it('counts a code it does not know as a plain failure', () => {
  expect(familyOf('SOMETHING_ELSE')).toBe('failed')
})
