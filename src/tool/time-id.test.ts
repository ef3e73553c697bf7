import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeId } from './time-id.ts'

describe('timeId', () => {
  it('is a UUID of version 7 that carries its moment', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
        const id = timeId(ms)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(ms)
      }),
    )
  })

  it('never comes twice, and sorts by time', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => timeId(1_790_000_000_000 + n * 7.5))
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
  })

  it('sorts within a millisecond in the order they were made', () => {
    const ids = Array.from({ length: 2_000 }, () => timeId(1_790_000_000_000))
    expect([...ids].sort()).toEqual(ids)
  })
})
