import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { cribPrincipal } from '../../tool/principal.ts'
import { Database } from './database.ts'
import { rowInsert } from './row-insert.ts'
import { openSqliteStore } from './sqlite-store.ts'

let dir: string
const file = () => join(dir, 'crib.db')
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'db-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const draft = { title: 't', context: {}, tags: [], visibility: 'team', sensitivity: 'low' } as const

it('makes the folder and the file, and keeps what was acknowledged', async () => {
  const path = join(dir, 'a', 'b', 'crib.db')
  const store = openSqliteStore(path)
  const { id } = await store.crumbs.create(draft, cribPrincipal)
  await store.close()
  const again = openSqliteStore(path)
  expect(await again.crumbs.get(id)).toMatchObject({ title: 't' })
  await again.close()
})

it('keeps the file and its journal to the user', async () => {
  const store = openSqliteStore(file())
  await store.crumbs.create(draft, cribPrincipal)
  for (const each of ['', '-wal', '-shm']) expect(statSync(file() + each).mode & 0o077).toBe(0)
  await store.close()
})

it('refuses a file that is no database and leaves it alone', () => {
  verifies('C113')
  const text = 'this is no database, it is a diary. '.repeat(300)
  writeFileSync(file(), text)
  expect(() => openSqliteStore(file())).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  expect(readFileSync(file(), 'utf8')).toBe(text)
})

it('says that a damaged database is damaged, naming the file', async () => {
  verifies('C113')
  const store = openSqliteStore(file())
  for (let n = 0; n < 200; n++) await store.crumbs.create({ ...draft, title: 'x'.repeat(400) }, cribPrincipal)
  await store.close()
  const db = new Libsql(file())
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = readFileSync(file())
  bytes.fill(0x5a, 4096, bytes.length)
  writeFileSync(file(), bytes)
  const look = async () => {
    const damaged = openSqliteStore(file())
    try {
      await damaged.crumbs.list({ viewer: null, limit: 1000 })
    } finally {
      await damaged.close()
    }
  }
  await expect(look()).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining(file()),
  })
})

it.each([
  ['a folder in its place', () => dir],
  ['a file where its folder should be', () => join(file(), 'crib.db')],
])('says what to do about %s', (_, path) => {
  verifies('C113')
  writeFileSync(file(), '')
  expect(() => openSqliteStore(path())).toThrow(
    expect.objectContaining({
      code: 'STORE_UNWRITABLE',
      hint: expect.stringContaining('store'),
    }),
  )
})

it('refuses a file of a newer version and changes nothing in it', async () => {
  await openSqliteStore(file()).close()
  const db = new Libsql(file())
  db.exec('PRAGMA user_version=99')
  db.close()
  expect(() => openSqliteStore(file())).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }))
})

it('tells a full disk and loses nothing that was acknowledged', async () => {
  verifies('C113')
  const store = openSqliteStore(file())
  const { id } = await store.crumbs.create(draft, cribPrincipal)
  await store.close()
  // SQLite's own page limit fails exactly as a full disk does.
  const db = new Database(file())
  db.query(`PRAGMA max_page_count=${Number(db.query('PRAGMA page_count').get()![0]) + 2}`).get()
  const fill = async () => {
    for (let n = 0; n < 100; n++)
      await db.write(() =>
        db.query('INSERT INTO cursors VALUES (?, 1, 1, 1, ?)').run(`c${n}`, 'x'.repeat(5000)),
      )
  }
  await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL' })
  db.close()
  const again = openSqliteStore(file())
  expect(await again.crumbs.get(id)).not.toBeNull()
  await again.crumbs.create(draft, cribPrincipal)
  await again.close()
})

it('rejects only the write that fails of those that share a transaction', async () => {
  const db = new Database(file())
  const insert = (name: string) => db.write(() => db.query("INSERT INTO leases VALUES (?, 'n', 1)").run(name))
  const results = await Promise.allSettled([insert('a'), insert('a'), insert('b')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(db.read(() => db.query('SELECT name FROM leases ORDER BY name').all())).toEqual([['a'], ['b']])
  db.close()
})

it('puts rows that come together in, in the order they came, between other writes', async () => {
  const db = new Database(file())
  db.query('CREATE TABLE rows (seq INTEGER PRIMARY KEY, name TEXT UNIQUE)').run()
  const one = rowInsert('INSERT INTO rows(name)', '(?)')
  const other = rowInsert('INSERT INTO rows(name)', "(? || '!')")
  const names = Array.from({ length: 45 }, (_, n) => `n${n}`)
  await Promise.all([
    ...names.map((name) => db.insertRow(one, [name])),
    db.write(() => db.query("INSERT INTO rows(name) VALUES ('between')").run()),
    db.insertRow(one, ['late']),
    db.insertRow(other, ['last']),
  ])
  const stored = db.read(() => db.query('SELECT name FROM rows ORDER BY seq').all()).flat()
  expect(stored).toEqual([...names, 'between', 'late', 'last!'])
  db.close()
})

it('rejects only the row that fails of those that share a statement', async () => {
  const db = new Database(file())
  db.query('CREATE TABLE rows (name TEXT UNIQUE)').run()
  const insert = rowInsert('INSERT INTO rows(name)', '(?)')
  const names = ['a', 'b', 'a', 'c', 'd']
  const results = await Promise.allSettled(names.map((name) => db.insertRow(insert, [name])))
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true])
  expect(db.read(() => db.query('SELECT name FROM rows ORDER BY name').all()).flat()).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
  db.close()
})

it('sees the commits of another process that has the file open', async () => {
  const one = openSqliteStore(file())
  const two = openSqliteStore(file())
  const rung = new Promise<void>((resolve) => one.events.onAppend(resolve))
  await two.crumbs.create(draft, cribPrincipal)
  await rung
  expect((await one.crumbs.list({ viewer: null, limit: 10 })).crumbs).toHaveLength(1)
  await one.close()
  await two.close()
})

it('refuses work after it was closed', async () => {
  const store = openSqliteStore(file())
  await store.close()
  await expect(store.crumbs.create(draft, cribPrincipal)).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  await expect(store.crumbs.get('x')).rejects.toMatchObject({ code: 'STORE_CLOSED' })
})
