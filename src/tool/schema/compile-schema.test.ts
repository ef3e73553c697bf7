import { expect, it } from 'vitest'
import { compileSchema } from './compile-schema.ts'

it('keeps the patterns of one schema apart', () => {
  const validator = compileSchema(
    { properties: { a: { type: 'string', pattern: '^a' }, b: { type: 'string', pattern: '^b' } } },
    { fillDefaults: false },
  )
  expect(validator.violations({ a: 'a1', b: 'b1' })).toEqual([])
  expect(validator.violations({ a: 'a1', b: 'a1' })).toMatchObject([{ pointer: '/b', keyword: 'pattern' }])
})
