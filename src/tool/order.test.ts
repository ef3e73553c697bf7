import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { type OrderedKey, placeKeys } from './order.ts'
import { isToolError } from './tool-error.ts'

const fixed = ['trace', 'trust', 'allowed-tools', 'params', 'secrets', '$pre-execute', 'retry', 'execute']

function key(name: string, before: string[] = [], after: string[] = []): OrderedKey {
  return { name, before, after }
}

/** The whole order as one list. */
function orderOf(keys: readonly OrderedKey[]): string[] {
  const places = placeKeys(fixed, keys)
  return fixed.flatMap((name) => [name, ...(places.get(name) ?? []).map((placed) => placed.name)])
}

describe('placeKeys', () => {
  it('puts a key without constraints after secrets, in the order given', () => {
    verifies('S39')
    expect(orderOf([key('b'), key('a')]).slice(4, 7)).toEqual(['secrets', 'b', 'a'])
  })

  it('puts a key as early as its constraints allow', () => {
    verifies('S39')
    expect(orderOf([key('a', ['params'])]).slice(2, 5)).toEqual(['allowed-tools', 'a', 'params'])
    expect(orderOf([key('a', [], ['retry'])]).slice(6)).toEqual(['retry', 'a', 'execute'])
    expect(orderOf([key('a', ['retry'])]).slice(2, 5)).toEqual(['allowed-tools', 'a', 'params'])
  })

  it('gives up the usual place where a stated constraint needs it', () => {
    verifies('S39')
    const keys = [key('x', ['y']), key('y', ['params'])]
    expect(orderOf(keys).slice(2, 6)).toEqual(['allowed-tools', 'x', 'y', 'params'])
  })

  it('ignores names that are not there', () => {
    verifies('S39')
    expect(orderOf([key('a', ['nobody'], ['nothing'])]).slice(4, 6)).toEqual(['secrets', 'a'])
  })

  it('names the members of a cycle', () => {
    verifies('S39')
    expect(() => orderOf([key('a', ['b']), key('b', ['c']), key('c', ['a'])])).toThrow(
      /a.*b.*c|b.*c.*a|c.*a.*b/,
    )
    expect(() => orderOf([key('a', ['trust'])])).toThrow(/a/)
  })

  it('keeps every constraint, repeats itself, or says that there is a cycle', () => {
    verifies('S39')
    const names = ['a', 'b', 'c', 'd', 'e']
    const reference = fc.constantFrom(...names, ...fixed, 'absent')
    const refs = fc.array(reference, { maxLength: 2 })
    const keys = fc
      .tuple(...names.map((name) => fc.record({ name: fc.constant(name), before: refs, after: refs })))
      .map((list) => list as OrderedKey[])
    fc.assert(
      fc.property(keys, (given) => {
        let order: string[]
        try {
          order = orderOf(given)
        } catch (error) {
          expect(isToolError(error) && error.code).toBe('CASCADE_INVALID')
          return
        }
        expect(orderOf(given)).toEqual(order)
        expect(order.filter((name) => fixed.includes(name))).toEqual(fixed)
        expect([...order].sort()).toEqual([...fixed, ...names].sort())
        const at = (name: string) => order.indexOf(name)
        for (const { name, before, after } of given) {
          expect(at(name)).toBeGreaterThan(at('allowed-tools'))
          for (const other of before) if (at(other) !== -1) expect(at(name)).toBeLessThan(at(other))
          for (const other of after) if (at(other) !== -1) expect(at(name)).toBeGreaterThan(at(other))
        }
      }),
    )
  })
})
