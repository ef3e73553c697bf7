import { expect, it } from 'vitest'
import { Timed } from './timed.ts'

it('tells one time once it is over, and a growing one before', () => {
  const work = new Timed(undefined, undefined, undefined)
  const first = work.elapsedMs()
  expect(work.elapsedMs()).toBeGreaterThanOrEqual(first)
  expect(work.isOver).toBe(false)
  work.stopClock()
  expect(work.isOver).toBe(true)
  expect(work.elapsedMs()).toBe(work.clockMs)
  expect(work.elapsedMs()).toBe(work.elapsedMs())
})

it('began when it was told, or as long ago as it has run', () => {
  expect(new Timed(undefined, undefined, 42).startedAt).toBe(42)
  const before = Date.now()
  const work = new Timed(undefined, undefined, undefined)
  expect(Math.abs(work.startedAt - before)).toBeLessThan(60_000)
  expect(work.startedAt).toBe(work.startedAt)
})
