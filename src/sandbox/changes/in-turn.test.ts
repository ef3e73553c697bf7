import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { inTurn } from './in-turn.ts'

/** Something that is under way until it is told to end. */
function opened() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end }
}

it('lets those with a common key wait, and nobody else', async () => {
  verifies('E12')
  const order: string[] = []
  const first = opened()
  const all = [
    inTurn(['a', 'b'], async () => {
      await first.ended
      order.push('a b')
    }),
    inTurn(['b', 'c'], async () => order.push('b c')),
    inTurn(['c'], async () => order.push('c')),
    inTurn(['d'], async () => order.push('d')),
  ]
  await all[3]
  expect(order).toEqual(['d'])
  first.end()
  await Promise.all(all)
  expect(order).toEqual(['d', 'a b', 'b c', 'c'])
})

it('goes on after one that failed', async () => {
  const failed = inTurn(['a'], () => Promise.reject(new Error('no')))
  const next = inTurn(['a'], async () => 'next')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('next')
})
