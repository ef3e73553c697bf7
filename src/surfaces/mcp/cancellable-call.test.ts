import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { CancellableCall } from './cancellable-call.ts'

/** A crib with a tool that ends only when it is stopped, and what it was stopped by. */
async function cribWithHanging() {
  const root = tempFolder()
  const crib = await openCrib({ root, env: { HOME: root } })
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  crib.addTool({
    id: 'hang',
    fn: () => {
      begin()
      return new Promise(() => {})
    },
  })
  return { crib, begun }
}

it('stops a call that was asked for and is not made yet', async () => {
  await using crib = (await cribWithHanging()).crib
  const running = new CancellableCall()
  const outcome = crib.call('hang', undefined, { onPrepared: running.onPrepared })
  running.stop('No longer wanted.')
  expect(await outcome).toMatchObject({
    ok: false,
    error: { code: 'CANCELLED', message: 'No longer wanted.' },
  })
})

it('stops a call that runs, with the first reason', async () => {
  const { crib: made, begun } = await cribWithHanging()
  await using crib = made
  const running = new CancellableCall()
  const outcome = crib.call('hang', undefined, { onPrepared: running.onPrepared })
  await begun
  expect(running.isStopped).toBe(false)
  running.stop('First.')
  running.stop('Second.')
  expect(running.isStopped).toBe(true)
  expect(await outcome).toMatchObject({ error: { code: 'CANCELLED', message: 'First.' } })
})
