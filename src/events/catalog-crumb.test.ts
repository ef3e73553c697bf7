import { afterEach, expect, it } from 'vitest'
import { Rig } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import { CatalogCrumb } from './catalog-crumb.ts'

let rig: Rig
afterEach(() => rig.close())

const nested = (depth: number): JsonObject => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)

it.each<[string, JsonObject]>([
  ['larger than what a client may send', { description: 'x'.repeat(5_000_000) }],
  ['nested deeper than what a client may send', nested(250)],
])('a catalog %s is published and kept up to date', async (_, params) => {
  verifies('C8', 'C67')
  const fn = () => 1
  rig = new Rig({ plain: { fn }, other: { fn, params: params as { [key: string]: Json } } })
  let tools = rig.tools
  const catalog = new CatalogCrumb(rig.crumbs, rig.clock, 'workspace:tools', () => tools)
  await catalog.publish()
  expect(await rig.all('tool.catalog.v1')).toMatchObject([{ version: 1, context: { totalTools: 2 } }])
  tools = tools.slice(1)
  await catalog.publish()
  expect(await rig.all('tool.catalog.v1')).toMatchObject([{ version: 2, context: { totalTools: 1 } }])
})
