import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Stoppable } from './stoppable.ts'

it('any number of calls share a signal, without a warning of a leak', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const controller = new AbortController()
  const calls = Array.from({ length: 20 }, () => new Stoppable(undefined, controller.signal))
  await turn()
  expect(warnings).toEqual([])
  controller.abort('enough')
  expect(calls.map((call) => call.abortReason)).toEqual(calls.map(() => 'enough'))
})

it('tells one time once it is over, and a growing one before', () => {
  const work = new Stoppable(undefined, undefined, undefined)
  const first = work.elapsedMs()
  expect(work.elapsedMs()).toBeGreaterThanOrEqual(first)
  expect(work.isOver).toBe(false)
  work.stopClock()
  expect(work.isOver).toBe(true)
  expect(work.elapsedMs()).toBe(work.clockMs)
  expect(work.elapsedMs()).toBe(work.elapsedMs())
})

it('began when it was told, or as long ago as it has run', () => {
  expect(new Stoppable(undefined, undefined, 42).startedAt).toBe(42)
  const before = Date.now()
  const work = new Stoppable(undefined, undefined, undefined)
  expect(Math.abs(work.startedAt - before)).toBeLessThan(60_000)
  expect(work.startedAt).toBe(work.startedAt)
})
