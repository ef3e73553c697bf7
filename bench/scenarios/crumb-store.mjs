import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'libsql'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const single = 300
const batch = 500

const crumb = (n) => ({
  title: `Order ${n}`,
  schema_name: 'order.placed.v1',
  tags: ['order', 'item:pencil'],
  context: { item: 'pencil', quantity: n, note: 'twelve by twelve, the yellow ones' },
})

/** One table, one index, the same journal and durability: nothing of ours around it. */
function bareStore(file) {
  const db = new Database(file)
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL')
  db.exec('CREATE TABLE crumbs (id TEXT PRIMARY KEY, schema_name TEXT, at INTEGER, body TEXT)')
  db.exec('CREATE INDEX by_schema ON crumbs(schema_name, at)')
  const insert = db.prepare('INSERT INTO crumbs VALUES (?, ?, ?, ?)')
  // What a store that finds crumbs by id, schema and tag and keeps their history has to write.
  db.exec(`CREATE TABLE log (seq INTEGER PRIMARY KEY, id TEXT, schema_name TEXT, at INTEGER, body TEXT);
    CREATE TABLE heads (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, schema_name TEXT);
    CREATE INDEX heads_schema ON heads(schema_name);
    CREATE TABLE tags (tag TEXT, seq INTEGER, schema_name TEXT, PRIMARY KEY (tag, seq)) WITHOUT ROWID`)
  const log = db.prepare('INSERT INTO log(id, schema_name, at, body) VALUES (?, ?, ?, ?)')
  const head = db.prepare('INSERT INTO heads VALUES (?, ?, ?)')
  const tag = db.prepare('INSERT INTO tags VALUES (?, ?, ?)')
  const putRows = (n) => {
    const body = crumb(n)
    const id = randomUUID()
    const seq = Number(log.run([id, body.schema_name, Date.now(), JSON.stringify(body)]).lastInsertRowid)
    head.run([seq, id, body.schema_name])
    for (const each of body.tags) tag.run([each, seq, body.schema_name])
  }
  const put = (n) => {
    const body = crumb(n)
    insert.run([randomUUID(), body.schema_name, Date.now(), JSON.stringify(body)])
  }
  return {
    put,
    async putAll(count, one = put) {
      db.exec('BEGIN IMMEDIATE')
      for (let n = 0; n < count; n++) one(n)
      db.exec('COMMIT')
    },
    putRows,
    close: () => db.close(),
  }
}

export const scenario = {
  about: 'storing breadcrumbs: checked, indexed by tag, with history and event, against bare inserts',
  unit: 'µs',
  run: { rounds: 15, warmUp: 2 },
  async setup() {
    const { root, remove } = tempFolder()
    const crib = await openCrib({ root, env: { HOME: root, PATH: process.env.PATH } })
    const bare = bareStore(join(root, 'bare.db'))
    await crib.crumbs.open()
    return {
      reference: 'bare, one by one',
      sides: {
        'bare, one by one': {
          operations: single,
          async work() {
            for (let n = 0; n < single; n++) await bare.put(n)
          },
        },
        'ours, one by one': {
          operations: single,
          async work() {
            for (let n = 0; n < single; n++) await crib.crumbs.create(crumb(n))
          },
        },
        'bare, batched, one row each': { operations: batch, work: () => bare.putAll(batch) },
        'bare, batched, the same rows': { operations: batch, work: () => bare.putAll(batch, bare.putRows) },
        'ours, batched': {
          operations: batch,
          work: () => Promise.all(Array.from({ length: batch }, (_, n) => crib.crumbs.create(crumb(n)))),
        },
      },
      async teardown() {
        await crib.close()
        bare.close()
        remove()
      },
    }
  },
}
