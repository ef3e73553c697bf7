import { expect, it } from 'vitest'
import { Budget, BudgetError, unfoldsTooFar } from './budget.ts'

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

it('lets through what the limits allow, and nothing after that', () => {
  const budget = new Budget({ steps: 3, bytes: 10, depth: 2 })
  budget.spend('steps', 3)
  budget.spend('bytes', 10)
  budget.spend('depth', 2)
  budget.spend('depth', 2)
  expect(errorOf(() => budget.spend('steps'))).toMatchObject({
    dimension: 'steps',
    message: 'more than 3 values',
  })
  expect(budget.allows('steps', 0)).toBe(false)
  expect(errorOf(() => budget.spend('bytes'))).toMatchObject({ message: 'longer than 10 characters' })
  expect(errorOf(() => budget.spend('depth', 3))).toMatchObject({ message: 'nested deeper than 2 levels' })
  expect(budget.allows('depth', 2)).toBe(true)
})

it('has no limit where none is given', () => {
  const budget = new Budget({})
  expect(budget.allows('steps', 1e12) && budget.allows('bytes', 1e12) && budget.allows('depth', 1e6)).toBe(
    true,
  )
  expect(budget.run(() => 7)).toBe(7)
})

it('interrupts work that does not count, also inside a regular expression', () => {
  const slow = () => /^(a+)+$/.test(`${'a'.repeat(40)}b`)
  expect(errorOf(() => new Budget({ ms: 20 }).run(slow))).toBeInstanceOf(BudgetError)
  expect(new Budget({ ms: 1_000 }).run(() => 'done')).toBe('done')
})

it('passes on what the work throws, and can be nested', () => {
  const budget = new Budget({ ms: 1_000 })
  expect(() =>
    budget.run(() => {
      throw new TypeError('own')
    }),
  ).toThrow(TypeError)
  expect(budget.run(() => budget.run(() => 1) + budget.run(() => 2))).toBe(3)
})

it.each([
  [[[1]], 3, 2, false],
  [[[1]], 2, 2, true],
  [[[1]], 3, 1, true],
])('%j unfolds past %i values or %i levels: %s', (value, most, levels, isTooFar) => {
  expect(unfoldsTooFar(value, most, levels)).toBe(isTooFar)
})

it('counts a shared part each time it is met', () => {
  const shared = [1, 2, 3]
  expect(unfoldsTooFar([shared, shared], 8)).toBe(true)
  expect(unfoldsTooFar([shared, shared], 9)).toBe(false)
})
