// Figures of runs, over all rows that match: no screen has to add up a page of them. The database reads the rows once
// and gives back one cell for each group and step, with the times in it as one text; the cells are put together here.
// (10,000 runs in SQLite: 96 ms with a window over the sorted rows for each grouping, a fourth of that in one pass.)
import { runConditions } from './run-conditions.ts'
import type { StatsKey, StatsQuery } from './run-record.ts'
import { type Sql, Values } from './sql.ts'

export interface RunFigures {
  readonly count: number
  readonly failed: number
  /** Milliseconds; null where nothing ran. */
  readonly p50: number | null
  readonly p95: number | null
  /** Milliseconds of all together. */
  readonly totalMs: number
}

export interface RunStats {
  readonly total: RunFigures
  /** Sums by currency. */
  readonly cost: readonly { readonly amount: number; readonly currency: string }[]
  /** Steps in which something ran, oldest first. */
  readonly buckets: readonly (RunFigures & { readonly at: string })[]
  /** The most used first. */
  readonly groups: readonly RunGroup[]
}

export interface RunGroup extends RunFigures {
  readonly key: string
  readonly lastAt: string
  /** How many ran in each step from `since` on, where that was asked for. */
  readonly course?: readonly number[]
}

const maxGroups = 1000
const columnOf: { readonly [by in StatsKey]: string } = {
  tool: 'tool',
  caller: 'caller',
  error: 'error',
  surface: 'surface',
}

export async function runStats(sql: Sql, query: StatsQuery): Promise<RunStats> {
  const { bucketSeconds, by, withCourse } = query
  const total = new Tally()
  const cost = new Map<string, number>()
  const buckets = new Map<number, Tally>()
  const groups = new Map<string, Tally>()
  const courses = withCourse && by && bucketSeconds ? new Courses(query, bucketSeconds) : undefined
  for (const cell of await cellsOf(sql, query)) {
    total.add(cell)
    if (cell.currency !== null) cost.set(cell.currency, (cost.get(cell.currency) ?? 0) + cell.cost)
    if (bucketSeconds !== undefined) tallyOf(buckets, cell.step).add(cell)
    if (cell.name === null) continue
    tallyOf(groups, cell.name).add(cell)
    courses?.add(cell.name, cell)
  }
  return {
    total: total.figures(),
    cost: [...cost]
      .map(([currency, amount]) => ({ amount, currency }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    buckets: [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([step, tally]) => ({ at: new Date(step * 1000).toISOString(), ...tally.figures() })),
    groups: [...groups]
      .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
      .slice(0, maxGroups)
      .map(([key, tally]) => ({
        key,
        lastAt: tally.lastAt,
        ...tally.figures(),
        ...(courses && { course: courses.of(key) }),
      })),
  }
}

/** Runs of one group in one step, paid in one currency. */
interface Cell {
  /** Null: not among the groups, such as a run without an error. */
  readonly name: string | null
  /** Seconds. */
  readonly step: number
  readonly currency: string | null
  readonly cost: number
  readonly count: number
  readonly failed: number
  readonly times: readonly number[]
  readonly lastAt: string
}

async function cellsOf(sql: Sql, query: StatsQuery): Promise<readonly Cell[]> {
  const { bucketSeconds, by } = query
  const values = new Values()
  const name = by === undefined ? 'NULL' : columnOf[by]
  const step = bucketSeconds === undefined ? '0' : `floor_to(epoch_of(started), ${values.add(bucketSeconds)})`
  const rows = await sql.query(
    `SELECT name, step, currency, sum(cost), count(*), count(*) FILTER (WHERE ok = 0),
      string_agg(CAST(ms AS text), ' '), max(started)
    FROM (
      SELECT ${name} AS name, ${step} AS step, currency, cost, ok, coalesce(ms, 0) AS ms, started
      FROM runs WHERE ${runConditions(query, values).join(' AND ')}
    ) AS found GROUP BY name, step, currency`,
    values.list,
  )
  return rows.map(([name, step, currency, cost, count, failed, times, lastAt]) => ({
    name: name === null ? null : String(name),
    step: Number(step),
    currency: currency === null ? null : String(currency),
    cost: Number(cost ?? 0),
    count: Number(count),
    failed: Number(failed),
    times: String(times).split(' ').map(Number),
    lastAt: String(lastAt),
  }))
}

/** Cells put together. */
class Tally {
  readonly #times: (readonly number[])[] = []
  #failed = 0
  count = 0
  lastAt = ''

  add(cell: Cell): void {
    this.count += cell.count
    this.#failed += cell.failed
    this.#times.push(cell.times)
    if (cell.lastAt > this.lastAt) this.lastAt = cell.lastAt
  }

  figures(): RunFigures {
    const times = Float64Array.from(this.#times.flat()).sort()
    // Exact: the smallest time that so many of the runs do not exceed.
    const percentile = (part: number) => times[Math.ceil(part * times.length) - 1] ?? null
    const totalMs = Math.round(times.reduce((sum, ms) => sum + ms, 0))
    return { count: this.count, failed: this.#failed, p50: percentile(0.5), p95: percentile(0.95), totalMs }
  }
}

function tallyOf<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const tally = tallies.get(key) ?? new Tally()
  tallies.set(key, tally)
  return tally
}

/** Counts by group, one for each step of the time line. */
class Courses {
  readonly #courses = new Map<string, number[]>()
  readonly #first: number
  readonly #length: number
  readonly #seconds: number

  constructor({ since, until }: StatsQuery, seconds: number) {
    const [first, last] = [since, until].map((at) => Math.floor(Date.parse(at) / 1000 / seconds))
    this.#first = first!
    this.#length = Math.max(1, last! - first!)
    this.#seconds = seconds
  }

  add(name: string, { step, count }: Cell): void {
    const course = this.#courses.get(name) ?? new Array<number>(this.#length).fill(0)
    this.#courses.set(name, course)
    const index = Math.min(course.length - 1, Math.max(0, step / this.#seconds - this.#first))
    course[index]! += count
  }

  of(name: string): readonly number[] {
    return this.#courses.get(name) ?? []
  }
}
