import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { openCrib } from '../crib/open-crib.ts'

it('holds up a loop of calls that never lets the records be written', async () => {
  const root = tempFolder()
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  for (let i = 0; i < 6_000; i++) await crib.call('echo', { i })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
  expect((await crib.crumbs.runs.list({ limit: 1 })).runs).toHaveLength(1)
})
