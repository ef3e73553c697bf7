// `toolcrib store copy` as a user runs it: to PostgreSQL and back, killed in the middle, and refused.
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { cribPrincipal } from '../../src/tool/principal.ts'
import { type PostgresServer, postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'

const missing = postgresMissing()
if (missing !== null) console.log(`toolcrib store copy is not tested: ${missing}.`)

/** Enough that the copy takes a while. */
const many = 20_000

/** A crib whose store holds `count` crumbs, a secret and a run. */
async function filledCrib(count: number): Promise<string> {
  const cwd = tempFolder({ 'toolcrib.yaml': 'store: .toolcrib/crib.db\n' })
  const store = openSqliteStore(join(cwd, '.toolcrib', 'crib.db'))
  const draft = { tags: ['a', 'b'], visibility: 'team', sensitivity: 'low' } as const
  for (let n = 0; n < count; n += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, count - n) }, (_, k) =>
        store.crumbs.create(
          { ...draft, title: `note ${n + k}`, context: { text: `é\0💡 ${'x'.repeat(400)}` } },
          cribPrincipal,
        ),
      ),
    )
  await store.close()
  expect((await toolcrib(['secrets', 'set', 'KEY'], { cwd, input: 'hidden' })).code).toBe(0)
  return cwd
}

/** Starts a copy and kills it as soon as `isUnderWay`. */
async function killedCopy(cwd: string, args: readonly string[], isUnderWay: () => unknown): Promise<void> {
  const child = spawn(process.execPath, [cli, 'store', 'copy', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (child.exitCode === null && !(await isUnderWay())) await delay(5)
  child.kill('SIGKILL')
  await ended
  expect(child.signalCode).toBe('SIGKILL')
}

describe.skipIf(missing !== null)('toolcrib store copy', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server?.remove())

  it('moves a crib to PostgreSQL and back, killed in the middle each time and done again', async () => {
    const cwd = await filledCrib(many)
    const url = server.url()
    const isWriting = async (): Promise<boolean> => {
      const [row] = await server.query(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'toolcrib' AND query LIKE 'INSERT INTO log%'",
      )
      return Number(row!['n']) > 0
    }
    await killedCopy(cwd, ['--to', url], isWriting)
    // The server notices that its client is gone when it next writes to it; then nothing of the copy is left.
    await expect
      .poll(async () => Number((await server.query('SELECT count(*) AS n FROM toolcrib.log'))[0]!['n']), {
        timeout: 30_000,
      })
      .toBe(0)
    const there = await toolcrib(['store', 'copy', '--to', url, '--json'], { cwd })
    expect(there.stderr).toBe('')
    expect(there.code).toBe(0)
    expect(there.json.to).not.toContain(server.password)
    const rowsOf = (name: string) =>
      there.json.tables.find((table: { name: string }) => table.name === name).rows
    expect(rowsOf('log')).toBe(many)
    expect(rowsOf('tags')).toBe(2 * many)
    expect(rowsOf('secrets')).toBe(1)

    const target = join(cwd, 'back.db')
    const wal = `${target}-wal`
    await killedCopy(
      cwd,
      ['--from', url, '--to', 'back.db'],
      () => existsSync(wal) && statSync(wal).size > 500_000,
    )
    const back = await toolcrib(['store', 'copy', '--from', url, '--to', 'back.db', '--json'], { cwd })
    expect(back.code).toBe(0)
    expect(back.json.tables).toEqual(there.json.tables)

    const use = (store: string) => ({ cwd, env: { TOOLCRIB_STORE: store } })
    for (const store of [url, 'back.db']) {
      const listed = await toolcrib(['crumbs', 'list', '--limit', '1', '--json'], use(store))
      expect(listed.code).toBe(0)
      expect(listed.stdout).toContain(`note ${many - 1}`)
      expect((await toolcrib(['secrets', 'list', '--json'], use(store))).stdout).toContain('KEY')
    }
  }, 240_000)

  it('into a store that is not empty is refused and changes nothing', async () => {
    const cwd = await filledCrib(3)
    const url = `${server.url()}?schema=occupied`
    expect((await toolcrib(['store', 'copy', '--to', url], { cwd })).code).toBe(0)
    const again = await toolcrib(['store', 'copy', '--to', url], { cwd })
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('is not empty, so nothing was copied')
    expect(again.stderr).toContain('another ?schema=')
    expect(Number((await server.query('SELECT count(*) AS n FROM occupied.log'))[0]!['n'])).toBe(3)
  }, 60_000)

  it('says what is wrong with an address, without the password', async () => {
    const cwd = await filledCrib(1)
    const wrong = server.url().replace(server.password, 'wrong-password')
    const refused = await toolcrib(['store', 'copy', '--to', wrong], { cwd })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/password|authentication/i)
    expect(refused.stderr).not.toContain('wrong-password')
    const nowhere = await toolcrib(['store', 'copy', '--from', 'nothing.db', '--to', 'x.db'], { cwd })
    expect(nowhere.code).not.toBe(0)
    expect(nowhere.stderr).toContain('There is no store')
    expect(existsSync(join(cwd, 'nothing.db'))).toBe(false)
    expect((await toolcrib(['store', 'copy'], { cwd })).code).toBe(2)
  }, 60_000)
})
