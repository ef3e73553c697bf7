// `fleet.tools` binds every call of a tool, on all nodes together: from the library and over the queue, on either
// store. Two cribs in one process share the store; what runs is counted where both can see it.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { type PostgresServer, postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { tempFolder } from '../helpers/temp-folder.ts'

const missing = postgresMissing()
if (missing !== null) console.log(`Limits on PostgreSQL are not tested: ${missing}.`)

const slow = `
export const frontmatter = { name: 'slow', metadata: { params: { type: 'object' } } }
export default async function (ctx) {
  const seen = ctx.globals.overlap
  seen.most = Math.max(seen.most, ++seen.now)
  await new Promise((resolve) => setTimeout(resolve, 30))
  seen.now--
  return 'done'
}
`

async function open(store: string, tools: { [pattern: string]: number }): Promise<Crib> {
  const root = tempFolder({ 'skills/slow.skill.js': slow })
  const crib = await openCrib({
    root,
    env: { HOME: root },
    cache: false,
    config: { store, fleet: { tools } },
  })
  onTestFinished(() => crib.close())
  return crib
}

/** The most that ran at once while two nodes were asked directly and over the queue. */
async function mostAtOnce(store: string, tools: { [pattern: string]: number }): Promise<number> {
  const seen = { now: 0, most: 0 }
  const cribs = [await open(store, tools), await open(store, tools)]
  for (const crib of cribs) {
    crib.globals['overlap'] = seen
    await crib.startEngines({ bootstrap: false })
  }
  const asked = Array.from({ length: 4 }, (_, n) =>
    cribs[n % 2]!.crumbs.create({
      title: 'Run slow',
      schema_name: 'tool.request.v1',
      tags: ['tool:request', 'workspace:tools'],
      context: { tool: 'slow', input: {} },
    }),
  )
  const outcomes = await Promise.all(Array.from({ length: 6 }, (_, n) => cribs[n % 2]!.call('slow', {})))
  expect(outcomes.map(({ ok }) => ok)).toEqual(outcomes.map(() => true))
  await Promise.all(asked)
  const queue = (await cribs[0]!.crumbs.store()).requests
  while ((await queue.counts()).done < 4) await new Promise((resolve) => setTimeout(resolve, 20))
  return seen.most
}

describe('a limit of fleet.tools', () => {
  let postgres: PostgresServer | null = null
  beforeAll(async () => {
    if (missing === null) postgres = await startPostgres()
  }, 60_000)
  afterAll(() => postgres?.remove())

  it('binds direct calls and requests of all nodes together on SQLite', async () => {
    expect(await mostAtOnce(join(tempFolder(), 'crib.db'), { slow: 1 })).toBe(1)
  }, 60_000)

  it('leaves other tools as they are', async () => {
    const most = await mostAtOnce(join(tempFolder(), 'crib.db'), { 'other/*': 1 })
    expect(most).toBeGreaterThan(2)
  }, 60_000)

  it.skipIf(missing !== null)(
    'binds direct calls and requests of all nodes together on PostgreSQL',
    async () => {
      expect(await mostAtOnce(postgres!.url(), { 'sl*': 2 })).toBe(2)
    },
    60_000,
  )
})
