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
