import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapePointer, pointerKeys, resolvePointer } from './pointer.ts'

it('finds every key it escaped', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const pointer = `/${escapePointer(a)}/${escapePointer(b)}`
      expect(pointerKeys(pointer)).toEqual([a, b])
    }),
  )
})

it('follows own properties only', () => {
  expect(resolvePointer({ a: [{ b: 1 }] }, '/a/0/b')).toBe(1)
  expect(resolvePointer({}, '/constructor')).toBeUndefined()
  expect(resolvePointer({ a: 1 }, '')).toEqual({ a: 1 })
})
