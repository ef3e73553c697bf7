// Leases, cursors, secrets, seeds and nodes in SQLite: each a few statements over one table.
import type { Json } from '../../tool/json.ts'
import type { Clock } from '../clock.ts'
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

export class SqliteLeaseTable implements LeaseTable {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  acquire(name: string, node: string, leaseMs: number): Promise<boolean> {
    const now = this.#clock.now()
    return this.#db.write(
      () =>
        this.#db
          .query(
            `INSERT INTO leases(name, node, until) VALUES (?, ?, ?)
             ON CONFLICT(name) DO UPDATE SET node = excluded.node, until = excluded.until
             WHERE leases.node = excluded.node OR leases.until <= ?`,
          )
          .run(name, node, now + leaseMs, now) > 0,
    )
  }

  async release(name: string, node: string): Promise<void> {
    await this.#db.write(() =>
      this.#db.query('DELETE FROM leases WHERE name = ? AND node = ?').run(name, node),
    )
  }

  async list(): Promise<readonly Lease[]> {
    return this.#db.read(() =>
      this.#db
        .query('SELECT name, node, until FROM leases WHERE until > ? ORDER BY name')
        .all(this.#clock.now())
        .map(([name, node, untilMs]) => ({ name, node, untilMs }) as Lease),
    )
  }

  async bury(isDead: (node: string) => boolean): Promise<number> {
    const nodes = this.#db
      .read(() =>
        this.#db
          .query("SELECT node FROM leases UNION SELECT node FROM requests WHERE state = 'claimed'")
          .all(),
      )
      .map((row) => row[0] as string)
    const dead = nodes.filter(isDead)
    if (dead.length === 0) return 0
    return this.#db.write(() => {
      let freed = 0
      for (const node of dead) {
        freed += this.#db.query('DELETE FROM leases WHERE node = ?').run(node)
        freed += this.#db
          .query(
            "UPDATE requests SET state = 'waiting', node = NULL, due = ? WHERE state = 'claimed' AND node = ?",
          )
          .run(this.#clock.now(), node)
      }
      return freed
    })
  }
}

export class SqliteCursorTable implements CursorTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async get(name: string): Promise<Cursor | null> {
    const row = this.#db.read(() =>
      this.#db.query('SELECT position, working, attempts, note FROM cursors WHERE name = ?').get(name),
    )
    if (!row) return null
    const [position, working, attempts, note] = row as [number, number, number, string]
    return { position, working, attempts, note: JSON.parse(note) as Json }
  }

  set(name: string, cursor: Cursor, holder?: string): Promise<boolean> {
    return this.#db.write(() => {
      if (
        holder !== undefined &&
        !this.#db.query('SELECT 1 FROM leases WHERE name = ? AND node = ?').get(name, holder)
      )
        return false
      this.#db
        .query(
          'INSERT OR REPLACE INTO cursors(name, position, working, attempts, note) VALUES (?, ?, ?, ?, ?)',
        )
        .run(name, cursor.position, cursor.working, cursor.attempts, JSON.stringify(cursor.note))
      return true
    })
  }
}

const secretColumns = 'id, owner, name, scope_type, scope_id, sealed, created_at, updated_at'

export class SqliteSecretTable implements SecretTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async insert(row: SecretRow): Promise<void> {
    await this.#db.write(() => {
      const taken = this.#db
        .query('SELECT 1 FROM secrets WHERE owner = ? AND name = ? AND scope_type = ? AND scope_id = ?')
        .get(row.owner, row.name, row.scopeType, row.scopeId)
      if (taken) throw secretExists(row.name)
      this.#db
        .query(`INSERT INTO secrets(${secretColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
        .run(
          row.id,
          row.owner,
          row.name,
          row.scopeType,
          row.scopeId,
          row.sealed,
          row.createdAt,
          row.updatedAt,
        )
    })
  }

  update(id: string, sealed: string, updatedAt: string): Promise<boolean> {
    return this.#db.write(
      () =>
        this.#db
          .query('UPDATE secrets SET sealed = ?, updated_at = ? WHERE id = ?')
          .run(sealed, updatedAt, id) > 0,
    )
  }

  remove(id: string): Promise<boolean> {
    return this.#db.write(() => this.#db.query('DELETE FROM secrets WHERE id = ?').run(id) > 0)
  }

  async get(id: string): Promise<SecretRow | null> {
    const row = this.#db.read(() =>
      this.#db.query(`SELECT ${secretColumns} FROM secrets WHERE id = ?`).get(id),
    )
    return row ? secretOf(row) : null
  }

  async list(owner: string): Promise<readonly SecretRow[]> {
    return this.#db.read(() =>
      this.#db
        .query(`SELECT ${secretColumns} FROM secrets WHERE owner = ? ORDER BY name, scope_type, scope_id`)
        .all(owner)
        .map(secretOf),
    )
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

export class SqliteSeedTable implements SeedTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async list(): Promise<readonly SeedRow[]> {
    return this.#db.read(() =>
      this.#db
        .query('SELECT file, crumb, version, digest FROM seeds ORDER BY file')
        .all()
        .map(([file, crumb, version, digest]) => ({ file, crumb, version, digest }) as SeedRow),
    )
  }

  async set(row: SeedRow): Promise<void> {
    await this.#db.write(() =>
      this.#db
        .query('INSERT OR REPLACE INTO seeds(file, crumb, version, digest) VALUES (?, ?, ?, ?)')
        .run(row.file, row.crumb, row.version, row.digest),
    )
  }

  async remove(file: string): Promise<void> {
    await this.#db.write(() => this.#db.query('DELETE FROM seeds WHERE file = ?').run(file))
  }
}

/** A node that was silent for this long is no longer listed. */
const forgetMs = 10 * 60_000

export class SqliteNodeTable implements NodeTable {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  async beat(row: Omit<NodeRow, 'seenMs'>): Promise<void> {
    const now = this.#clock.now()
    await this.#db.write(() => {
      this.#db
        .query('INSERT OR REPLACE INTO nodes(node, seen, facts) VALUES (?, ?, ?)')
        .run(row.node, now, JSON.stringify(row))
      this.#db.query('DELETE FROM nodes WHERE seen < ?').run(now - forgetMs)
    })
  }

  async remove(node: string): Promise<void> {
    await this.#db.write(() => this.#db.query('DELETE FROM nodes WHERE node = ?').run(node))
  }

  async list(): Promise<readonly NodeRow[]> {
    return this.#db.read(() =>
      this.#db
        .query('SELECT facts, seen FROM nodes ORDER BY node')
        .all()
        .map(([facts, seen]) => ({ ...(JSON.parse(String(facts)) as NodeRow), seenMs: Number(seen) })),
    )
  }
}
