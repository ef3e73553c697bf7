// The end of the audit chain cannot be cut or rewritten without being found (G20), by somebody who may write the
// database and does not have the user's key.
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { runHash } from '../../src/store/run-record.ts'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const skill =
  "export const frontmatter = { name: 'hello', description: 'Says hello', metadata: { params: { type: 'object' } } }\nexport default () => 'hello'\n"

async function cribWithRuns() {
  const cwd = tempFolder({ 'skills/hello.skill.js': skill })
  const env = { HOME: tempFolder() }
  const file = join(cwd, '.toolcrib/crib.db')
  const run = () => toolcrib(['run', 'hello'], { cwd, env })
  const verify = async () => {
    const { code, json } = await toolcrib(['runs', 'verify', '--json'], { cwd, env })
    return { code, ok: json.ok, reason: json.broken?.reason }
  }
  for (let count = 0; count < 3; count++) await run()
  return { cwd, env, file, run, verify }
}

/** Runs statements on the database, as somebody who may write it would. */
function change(file: string, work: (db: InstanceType<typeof Database>) => void): void {
  const db = new Database(file)
  work(db)
  db.close()
}

function cutLast(file: string): void {
  change(file, (db) => {
    db.prepare('DELETE FROM runs WHERE seq = (SELECT max(seq) FROM runs)').run()
    db.prepare(
      'UPDATE runs_head SET count = (SELECT max(seq) FROM runs), hash = (SELECT hash FROM runs ORDER BY seq DESC LIMIT 1)',
    ).run()
  })
}

it('verifies a chain that nobody touched, also after more runs', async () => {
  verifies('G20')
  const { run, verify } = await cribWithRuns()
  expect(await verify()).toEqual({ code: 0, ok: true, reason: undefined })
  await run()
  expect(await verify()).toMatchObject({ code: 0, ok: true })
})

it('finds a chain that was cut together with its head, also after more runs', async () => {
  verifies('G20')
  proves('audit-seal')
  const { file, run, verify } = await cribWithRuns()
  cutLast(file)
  const cut = { code: 5, ok: false, reason: expect.stringContaining('missing at the end') }
  expect(await verify()).toMatchObject(cut)
  await run()
  expect(await verify()).toMatchObject({ code: 5, ok: false })
})

it('finds an end that was written anew with right hashes', async () => {
  verifies('G20')
  const { file, verify } = await cribWithRuns()
  change(file, (db) => {
    const last = db.prepare('SELECT seq, body FROM runs ORDER BY seq DESC LIMIT 1').get() as {
      seq: number
      body: string
    }
    const former = db.prepare('SELECT hash FROM runs WHERE seq = ?').get(last.seq - 1) as { hash: string }
    const body = last.body.replace('"ok":true', '"ok": true')
    const hash = runHash(former.hash, last.seq, body)
    db.prepare('UPDATE runs SET body = ?, hash = ? WHERE seq = ?').run(body, hash, last.seq)
    db.prepare('UPDATE runs_head SET hash = ?').run(hash)
  })
  expect(await verify()).toMatchObject({ code: 5, reason: expect.stringContaining('written anew') })
})

it.each([
  ['taken away', "DELETE FROM cursors WHERE name = 'runs:seal'", 'taken away'],
  [
    'made without the key',
    `UPDATE cursors SET note = '{"hash":"x","mac":"y"}' WHERE name = 'runs:seal'`,
    'key of this user',
  ],
])('finds a seal that was %s', async (_, sql, reason) => {
  verifies('G20')
  const { file, verify } = await cribWithRuns()
  change(file, (db) => void db.prepare(sql).run())
  expect(await verify()).toMatchObject({ code: 5, reason: expect.stringContaining(reason) })
})

it('finds a database that was put back to an older state', async () => {
  verifies('G20')
  const { file, cwd, run, verify } = await cribWithRuns()
  const older = join(cwd, 'older.db')
  change(file, (db) => void db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  copyFileSync(file, older)
  await run()
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(older, file)
  expect(await verify()).toMatchObject({ code: 5, reason: expect.stringContaining('missing at the end') })
})

it('opens a store that was never sealed, and seals it from then on', async () => {
  verifies('G20')
  const { file, env, run, verify } = await cribWithRuns()
  change(file, (db) => void db.prepare("DELETE FROM cursors WHERE name = 'runs:seal'").run())
  const memory = join(env.HOME, '.config/toolcrib/audit')
  for (const name of readdirSync(memory)) if (name.endsWith('.json')) rmSync(join(memory, name))
  expect(await verify()).toMatchObject({ code: 0, ok: true })
  await run()
  cutLast(file)
  expect(await verify()).toMatchObject({ code: 5 })
})

it('refuses a store and a key that lie where tools may read or write', async () => {
  verifies('G20')
  proves('store-hidden')
  for (const [setting, key, may] of [
    ['store: data/crib.db', 'store', 'write'],
    ['secrets: { file: keys/secrets.key }', 'secrets.file', 'write'],
    ['store: data/crib.db\ngrants: { default: ["fs.read:data/**"] }', 'store', 'read'],
  ] as const) {
    const cwd = tempFolder({ 'skills/hello.skill.js': skill, 'toolcrib.yaml': `${setting}\n` })
    const ran = await toolcrib(['run', 'hello', '--json'], { cwd })
    expect(ran.json.error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(new RegExp(`${key} is .* where tools may ${may}`)),
    })
  }
  const cwd = tempFolder({
    'skills/hello.skill.js': skill,
    'toolcrib.yaml': 'store: data/crib.db\ngrants: { default: ["fs.read:docs/**"] }\n',
  })
  writeFileSync(join(cwd, 'x'), '')
  expect((await toolcrib(['run', 'hello', '--json'], { cwd })).json).toMatchObject({ ok: true })
})
