// Leases, cursors, secrets, seeds, nodes and accesses: each a few statements over one table, the same in every database.
import { byCodeUnits, type Json } from '../tool/json.ts'
import type { Row, Sql } from './sql.ts'
import type {
  AccessRow,
  AccessTable,
  Cursor,
  CursorTable,
  Lease,
  LeaseTable,
  NodeRow,
  NodeTable,
  PlaceTable,
  SecretRow,
  SecretTable,
  SeedRow,
  SeedTable,
} from './store.ts'
import { secretExists } from './store-error.ts'

export interface SmallTables {
  readonly leases: LeaseTable
  readonly places: PlaceTable
  readonly cursors: CursorTable
  readonly secrets: SecretTable
  readonly seeds: SeedTable
  readonly nodes: NodeTable
  readonly accesses: AccessTable
}

export function smallTables(sql: Sql): SmallTables {
  return {
    leases: leaseTable(sql),
    places: placeTable(sql),
    cursors: cursorTable(sql),
    secrets: secretTable(sql),
    seeds: seedTable(sql),
    nodes: nodeTable(sql),
    accesses: accessTable(sql),
  }
}

function leaseTable(sql: Sql): LeaseTable {
  return {
    async acquire(name, node, leaseMs) {
      const written = await sql.run(
        `INSERT INTO leases(name, node, until) VALUES ($1, $2, :now + $3)
         ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
         WHERE leases.node = excluded.node OR leases.until <= :now`,
        [name, node, leaseMs],
      )
      return written > 0
    },

    async release(name, node) {
      await sql.run('DELETE FROM leases WHERE name = $1 AND node = $2', [name, node])
    },

    async list() {
      const rows = await sql.query('SELECT name, node, until FROM leases WHERE until > :now')
      return rows
        .map(([name, node, untilMs]) => ({ name, node, untilMs }) as Lease)
        .sort((a, b) => byCodeUnits(a.name, b.name))
    },

    async bury(isDead) {
      const rows = await sql.query(
        "SELECT node FROM leases UNION SELECT node FROM places UNION SELECT node FROM requests WHERE state = 'claimed'",
      )
      let freed = 0
      for (const node of rows.map((row) => row[0] as string).filter(isDead)) {
        freed += await sql.run('DELETE FROM leases WHERE node = $1', [node])
        freed += await sql.run(
          "UPDATE requests SET state = 'waiting', node = NULL, due = :now WHERE state = 'claimed' AND node = $1",
          [node],
        )
        await sql.run('DELETE FROM places WHERE node = $1', [node])
        await sql.run('DELETE FROM nodes WHERE node = $1', [node])
      }
      return freed
    },
  }
}

function placeTable(sql: Sql): PlaceTable {
  return {
    async take(id, { tool, node, leaseMs, most }) {
      const take = {
        sql: `INSERT INTO places(id, tool, node, until) SELECT $1, $2, $3, :now + $4
              WHERE (SELECT count(*) FROM places WHERE tool = $2 AND until > :now)
                + (SELECT count(*) FROM requests WHERE state = 'claimed' AND tool = $2 AND due > :now) < $5
              ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
        values: [id, tool, node, leaseMs, most],
      }
      const [written] = await sql.runInTurn(tool, [take])
      return written! > 0
    },

    async renew(node, leaseMs) {
      await sql.run('UPDATE places SET until = :now + $2 WHERE node = $1', [node, leaseMs])
      await sql.run('DELETE FROM places WHERE until < :now', [])
    },

    async release(id) {
      await sql.run('DELETE FROM places WHERE id = $1', [id])
    },
  }
}

function cursorTable(sql: Sql): CursorTable {
  return {
    async get(name) {
      const row = await sql.first('SELECT position, working, attempts, note FROM cursors WHERE name = $1', [
        name,
      ])
      if (!row) return null
      const [position, working, attempts, note] = row as [number, number, number, string]
      return { position, working, attempts, note: JSON.parse(note) as Json }
    },

    async set(name: string, cursor: Cursor, holder?: string) {
      const written = await sql.run(
        `INSERT INTO cursors(name, position, working, attempts, note)
         SELECT $1, $2, $3, $4, $5
         WHERE CAST($6 AS text) IS NULL OR EXISTS (SELECT 1 FROM leases WHERE name = $1 AND node = $6)
         ON CONFLICT (name) DO UPDATE SET position = excluded.position, working = excluded.working,
           attempts = excluded.attempts, note = excluded.note`,
        [name, cursor.position, cursor.working, cursor.attempts, JSON.stringify(cursor.note), holder ?? null],
      )
      return written > 0
    },
  }
}

const secretColumns = 'id, owner, name, scope_type, scope_id, sealed, created_at, updated_at'

function secretTable(sql: Sql): SecretTable {
  return {
    async insert(row) {
      // The same row once more is not a second one: an answer that was lost is asked for again.
      const written = await sql.run(
        `INSERT INTO secrets(${secretColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (owner, name, scope_type, scope_id) DO UPDATE SET id = secrets.id WHERE secrets.id = excluded.id`,
        [row.id, row.owner, row.name, row.scopeType, row.scopeId, row.sealed, row.createdAt, row.updatedAt],
      )
      if (written === 0) throw secretExists(row.name)
    },

    async update(id, sealed, updatedAt) {
      const values = [id, sealed, updatedAt]
      return (await sql.run('UPDATE secrets SET sealed = $2, updated_at = $3 WHERE id = $1', values)) > 0
    },

    async remove(id) {
      return (await sql.run('DELETE FROM secrets WHERE id = $1', [id])) > 0
    },

    async get(id) {
      const row = await sql.first(`SELECT ${secretColumns} FROM secrets WHERE id = $1`, [id])
      return row ? secretOf(row) : null
    },

    async list(owner) {
      const rows = await sql.query(`SELECT ${secretColumns} FROM secrets WHERE owner = $1`, [owner])
      return rows
        .map(secretOf)
        .sort(
          (a, b) =>
            byCodeUnits(a.name, b.name) ||
            byCodeUnits(a.scopeType, b.scopeType) ||
            byCodeUnits(a.scopeId, b.scopeId),
        )
    },
  }
}

function secretOf(row: Row): SecretRow {
  const [id, owner, name, scopeType, scopeId, sealed, createdAt, updatedAt] = row as string[]
  return { id, owner, name, scopeType, scopeId, sealed, createdAt, updatedAt } as SecretRow
}

function seedTable(sql: Sql): SeedTable {
  return {
    async list() {
      const rows = await sql.query('SELECT file, crumb, version, digest FROM seeds')
      return rows
        .map(([file, crumb, version, digest]) => ({ file, crumb, version, digest }) as SeedRow)
        .sort((a, b) => byCodeUnits(a.file, b.file))
    },

    async set(row) {
      await sql.run(
        `INSERT INTO seeds(file, crumb, version, digest) VALUES ($1, $2, $3, $4)
         ON CONFLICT (file) DO UPDATE SET crumb = excluded.crumb, version = excluded.version, digest = excluded.digest`,
        [row.file, row.crumb, row.version, row.digest],
      )
    },

    async remove(file) {
      await sql.run('DELETE FROM seeds WHERE file = $1', [file])
    },
  }
}

/** A node that was silent for this long is no longer listed. */
const forgetMs = 10 * 60_000

function nodeTable(sql: Sql): NodeTable {
  return {
    async beat(row) {
      await sql.run(
        `INSERT INTO nodes(node, seen, facts) VALUES ($1, :now, $2)
         ON CONFLICT (node) DO UPDATE SET seen = excluded.seen, facts = excluded.facts`,
        [row.node, JSON.stringify(row)],
      )
      await sql.run('DELETE FROM nodes WHERE seen < :now - $1', [forgetMs])
    },

    async remove(node) {
      await sql.run('DELETE FROM nodes WHERE node = $1', [node])
    },

    async list() {
      const rows = await sql.query('SELECT node, facts, seen FROM nodes')
      return rows
        .map(([, facts, seen]) => ({ ...(JSON.parse(String(facts)) as NodeRow), seenMs: Number(seen) }))
        .sort((a, b) => byCodeUnits(a.node, b.node))
    },
  }
}

/** What a tool reached for so long ago is no longer known. */
const knownMs = 90 * 86_400_000

function accessTable(sql: Sql): AccessTable {
  return {
    async add(rows) {
      for (const { tool, kind, what, isDenied, address, count, lastMs } of rows)
        await sql.run(
          `INSERT INTO accesses(tool, kind, what, denied, address, count, last) VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (tool, kind, what, denied) DO UPDATE SET address = excluded.address,
             count = accesses.count + excluded.count, last = excluded.last`,
          [tool, kind, what, isDenied ? 1 : 0, address, count, lastMs],
        )
      await sql.run('DELETE FROM accesses WHERE last < :now - $1', [knownMs])
    },

    async list({ tool, isDenied } = {}) {
      const rows = await sql.query(
        `SELECT tool, kind, what, denied, address, count, last FROM accesses
         WHERE (CAST($1 AS text) IS NULL OR tool = $1) AND (CAST($2 AS integer) IS NULL OR denied = $2)
         ORDER BY last DESC, tool, kind, what, denied DESC`,
        [tool ?? null, isDenied === undefined ? null : isDenied ? 1 : 0],
      )
      return rows.map(accessOf)
    },

    async settle(tool) {
      await sql.run('DELETE FROM accesses WHERE tool = $1 AND denied = 1', [tool])
    },
  }
}

function accessOf(row: Row): AccessRow {
  const [tool, kind, what, denied, address, count, last] = row as [
    ...[string, string, string, number, string],
    ...[number, number],
  ]
  const [number, lastMs] = [Number(count), Number(last)]
  return { tool, kind, what, isDenied: Number(denied) === 1, address, count: number, lastMs }
}
