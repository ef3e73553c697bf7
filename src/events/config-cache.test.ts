import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { CrumbStore } from '../store/store.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool } from '../tool/tool.ts'
import { ConfigCache } from './config-cache.ts'
import { saveConfig } from './configs.ts'
import { Crumbs } from './crumbs.ts'

const tool = makeTool({
  id: 'greeter',
  format: 'tool-code',
  tier: 'project',
  source: { file: null, digest: '' },
})
const ada = makePrincipal({ surface: 'http', owner: 'ada', name: 'ada' })
let dir: string
let stores: CrumbStore[]
const open = (): CrumbStore => {
  const store = openSqliteStore(join(dir, 'crib.db'))
  stores.push(store)
  return store
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'configs-'))
  stores = []
})
afterEach(async () => {
  for (const store of stores) await store.close()
  rmSync(dir, { recursive: true, force: true })
})

it('gives settings saved here to the very next call', async () => {
  verifies('C54')
  const store = open()
  const cache = new ConfigCache(store)
  const crumbs = new Crumbs({ store })
  for (const greeting of ['hello', 'good day', 'hi']) {
    await saveConfig(crumbs, { tool: tool.id, config: { greeting } }, ada)
    expect((await cache.resolve(tool, 'ada', null)).config).toEqual({ greeting })
  }
})

it('gives settings that another process saves to later calls', async () => {
  const cache = new ConfigCache(open())
  const crumbs = new Crumbs({ store: open() })
  expect((await cache.resolve(tool, 'ada', null)).config).toEqual({})
  for (const greeting of ['hello', 'good day', 'hi']) {
    await saveConfig(crumbs, { tool: tool.id, config: { greeting } }, ada)
    await expect.poll(async () => (await cache.resolve(tool, 'ada', null)).config).toEqual({ greeting })
  }
})

it('takes settings that became something else out of force', async () => {
  const store = open()
  const cache = new ConfigCache(store)
  const crumbs = new Crumbs({ store })
  const { id } = await saveConfig(crumbs, { tool: tool.id, config: { unit: 'cm' } }, ada)
  expect((await cache.resolve(tool, 'ada', null)).config).toEqual({ unit: 'cm' })
  await crumbs.update(id, { schema_name: 'note.v1' }, ada)
  expect((await cache.resolve(tool, 'ada', null)).config).toEqual({})
})
