// Leases, cursors, secrets, seeds and nodes in PostgreSQL: each a few statements over one table. Leases and
// heartbeats are dated by the database, whatever the clocks of the nodes say.
import type { Json } from '../../tool/json.ts'
import { secretExists } from '../crumb-error.ts'
import type {
  Cursor,
  CursorTable,
  Lease,
  LeaseTable,
  NodeRow,
  NodeTable,
  SecretRow,
  SecretTable,
  SeedRow,
  SeedTable,
} from '../store.ts'
import type { Database, Row } from './database.ts'

export class PostgresLeaseTable implements LeaseTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async acquire(name: string, node: string, leaseMs: number): Promise<boolean> {
    const written = await this.#db.run(
      `INSERT INTO leases(name, node, until) VALUES ($1, $2, now_ms() + $3)
       ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
       WHERE leases.node = excluded.node OR leases.until <= now_ms()`,
      [name, node, leaseMs],
    )
    return written > 0
  }

  async release(name: string, node: string): Promise<void> {
    await this.#db.run('DELETE FROM leases WHERE name = $1 AND node = $2', [name, node])
  }

  async list(): Promise<readonly Lease[]> {
    const rows = await this.#db.query(
      'SELECT name, node, until FROM leases WHERE until > now_ms() ORDER BY name COLLATE "C"',
    )
    return rows.map(([name, node, untilMs]) => ({ name, node, untilMs }) as Lease)
  }

  async bury(isDead: (node: string) => boolean): Promise<number> {
    const rows = await this.#db.query(
      "SELECT node FROM leases UNION SELECT node FROM requests WHERE state = 'claimed'",
    )
    const dead = rows.map(([node]) => node as string).filter(isDead)
    if (dead.length === 0) return 0
    const leases = await this.#db.run('DELETE FROM leases WHERE node = ANY ($1)', [dead])
    const claims = await this.#db.run(
      "UPDATE requests SET state = 'waiting', node = NULL, due = now_ms() WHERE state = 'claimed' AND node = ANY ($1)",
      [dead],
    )
    await this.#db.run('DELETE FROM nodes WHERE node = ANY ($1)', [dead])
    return leases + claims
  }
}

export class PostgresCursorTable implements CursorTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async get(name: string): Promise<Cursor | null> {
    const [row] = await this.#db.query(
      'SELECT position, working, attempts, note FROM cursors WHERE name = $1',
      [name],
    )
    if (!row) return null
    const [position, working, attempts, note] = row as [number, number, number, string]
    return { position, working, attempts, note: JSON.parse(note) as Json }
  }

  async set(name: string, cursor: Cursor, holder?: string): Promise<boolean> {
    const written = await this.#db.run(
      `INSERT INTO cursors(name, position, working, attempts, note)
       SELECT $1, $2, $3, $4, $5
       WHERE $6::text IS NULL OR EXISTS (SELECT 1 FROM leases WHERE name = $1 AND node = $6)
       ON CONFLICT (name) DO UPDATE SET position = excluded.position, working = excluded.working,
         attempts = excluded.attempts, note = excluded.note`,
      [name, cursor.position, cursor.working, cursor.attempts, JSON.stringify(cursor.note), holder ?? null],
    )
    return written > 0
  }
}

const secretColumns = 'id, owner, name, scope_type, scope_id, sealed, created_at, updated_at'

export class PostgresSecretTable implements SecretTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async insert(row: SecretRow): Promise<void> {
    const written = await this.#db.run(
      `INSERT INTO secrets(${secretColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (owner, name, scope_type, scope_id) DO UPDATE SET id = secrets.id WHERE secrets.id = excluded.id`,
      [row.id, row.owner, row.name, row.scopeType, row.scopeId, row.sealed, row.createdAt, row.updatedAt],
    )
    if (written === 0) throw secretExists(row.name)
  }

  async update(id: string, sealed: string, updatedAt: string): Promise<boolean> {
    return (
      (await this.#db.run('UPDATE secrets SET sealed = $2, updated_at = $3 WHERE id = $1', [
        id,
        sealed,
        updatedAt,
      ])) > 0
    )
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#db.run('DELETE FROM secrets WHERE id = $1', [id])) > 0
  }

  async get(id: string): Promise<SecretRow | null> {
    const [row] = await this.#db.query(`SELECT ${secretColumns} FROM secrets WHERE id = $1`, [id])
    return row ? secretOf(row) : null
  }

  async list(owner: string): Promise<readonly SecretRow[]> {
    const rows = await this.#db.query(
      `SELECT ${secretColumns} FROM secrets WHERE owner = $1
       ORDER BY name COLLATE "C", scope_type COLLATE "C", scope_id COLLATE "C"`,
      [owner],
    )
    return rows.map(secretOf)
  }
}

function secretOf(row: Row): SecretRow {
  const [id, owner, name, scopeType, scopeId, sealed, createdAt, updatedAt] = row as string[]
  return {
    id: id!,
    owner: owner!,
    name: name!,
    scopeType: scopeType!,
    scopeId: scopeId!,
    sealed: sealed!,
    createdAt: createdAt!,
    updatedAt: updatedAt!,
  }
}

export class PostgresSeedTable implements SeedTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async list(): Promise<readonly SeedRow[]> {
    const rows = await this.#db.query(
      'SELECT file, crumb, version, digest FROM seeds ORDER BY file COLLATE "C"',
    )
    return rows.map(([file, crumb, version, digest]) => ({ file, crumb, version, digest }) as SeedRow)
  }

  async set(row: SeedRow): Promise<void> {
    await this.#db.run(
      `INSERT INTO seeds(file, crumb, version, digest) VALUES ($1, $2, $3, $4)
       ON CONFLICT (file) DO UPDATE SET crumb = excluded.crumb, version = excluded.version, digest = excluded.digest`,
      [row.file, row.crumb, row.version, row.digest],
    )
  }

  async remove(file: string): Promise<void> {
    await this.#db.run('DELETE FROM seeds WHERE file = $1', [file])
  }
}

/** A node that was silent for this long is no longer listed. */
const forgetMs = 10 * 60_000

export class PostgresNodeTable implements NodeTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async beat(row: Omit<NodeRow, 'seenMs'>): Promise<void> {
    await this.#db.run(
      `WITH gone AS (DELETE FROM nodes WHERE seen < now_ms() - $3 AND node <> $1)
       INSERT INTO nodes(node, seen, facts) VALUES ($1, now_ms(), $2)
       ON CONFLICT (node) DO UPDATE SET seen = excluded.seen, facts = excluded.facts`,
      [row.node, JSON.stringify(row), forgetMs],
    )
  }

  async remove(node: string): Promise<void> {
    await this.#db.run('DELETE FROM nodes WHERE node = $1', [node])
  }

  async list(): Promise<readonly NodeRow[]> {
    const rows = await this.#db.query('SELECT facts, seen FROM nodes ORDER BY node COLLATE "C"')
    return rows.map(([facts, seen]) => ({ ...(JSON.parse(String(facts)) as NodeRow), seenMs: Number(seen) }))
  }
}
