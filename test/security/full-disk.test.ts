// A disk that is really full, and then is not: a small file system of its own is filled to the last byte while calls
// are made. Runs are kept in memory and written once there is space.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { proves } from '../helpers/proves.ts'
import { fill, smallDisk } from '../helpers/small-disk.ts'
import { verifies } from '../helpers/verifies.ts'

describe('runs that are made while the disk is full', () => {
  it.for([{ count: 5 }, { count: 3_000 }])(
    'are written when there is space again: $count of them',
    { timeout: 60_000 },
    async ({ count }, context) => {
      proves('full-disk')
      const root = smallDisk(24)
      if (root === undefined) return context.skip('this user may not mount a disk to fill')
      const crib = await openCrib({ root, env: { ...process.env, HOME: root }, config: { trust: 'off' } })
      onTestFinished(() => crib.close())
      const problems: string[] = []
      crib.on('note', ({ message }) => problems.push(message))
      crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
      await crib.call('echo', { n: 0 })
      await crib.crumbs.runs.flush()
      const makeSpace = fill(root)
      for (let n = 1; n <= count; n++) {
        const outcome = await crib.call('echo', { n, text: 'x'.repeat(200) })
        if (!outcome.ok) throw new Error(outcome.error.message)
      }
      await crib.crumbs.runs.flush()
      const stored = async () =>
        (await (await crib.crumbs.store()).runs.list({ limit: 10_000 })).filter(({ tool }) => tool === 'echo')
          .length
      expect(await stored()).toBeLessThan(count + 1)
      makeSpace()
      await vi.waitFor(async () => expect(await stored()).toBe(count + 1), { timeout: 30_000, interval: 100 })
      expect(await crib.crumbs.runs.verify()).toMatchObject({ ok: true, count: count + 1 })
      expect(problems.join('\n')).toMatch(/full|space/i)
    },
  )
})

it('a full disk keeps nobody from stopping the crib', async (context) => {
  verifies('G25')
  const root = smallDisk(24)
  if (root === undefined) return context.skip('this user may not mount a disk to fill')
  const crib = await openCrib({ root, env: { ...process.env, HOME: root }, config: { trust: 'off' } })
  onTestFinished(() => crib.close())
  crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
  await crib.call('echo', {})
  const makeSpace = fill(root)
  await crib.halt.set('Ada')
  expect(await crib.call('echo', {})).toMatchObject({ ok: false, error: { code: 'HALTED' } })
  await crib.halt.lift()
  expect(await crib.call('echo', {})).toMatchObject({ ok: true })
  makeSpace()
})
