// Figures of runs, computed by the database over all rows that match: no screen has to add up a page of them.
import { runConditions } from './run-conditions.ts'
import type { StatsKey, StatsQuery } from './run-record.ts'
import { type Row, type Sql, Values } from './sql.ts'

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

const mostGroups = 1000
const columnOf: { readonly [by in StatsKey]: string } = {
  tool: 'tool',
  caller: 'caller',
  error: 'error',
  surface: 'surface',
}

/** Exact: the smallest time that so many of the rows do not exceed. */
const figures = `count(*), count(*) FILTER (WHERE ok = 0), min(ms) FILTER (WHERE place >= 0.5 * size),
  min(ms) FILTER (WHERE place >= 0.95 * size), sum(ms)`

export async function runStats(sql: Sql, query: StatsQuery): Promise<RunStats> {
  const { bucketSeconds, by } = query
  const [total, cost, buckets, groups, courses] = await Promise.all([
    grouped(sql, query, { key: () => '0' }),
    costs(sql, query),
    bucketSeconds === undefined
      ? []
      : grouped(sql, query, { key: (values) => bucketOf(values.add(bucketSeconds)) }),
    by === undefined ? [] : grouped(sql, query, { key: () => columnOf[by], isPresent: by === 'error' }),
    query.withCourse && by && bucketSeconds ? coursesOf(sql, query, by, bucketSeconds) : undefined,
  ])
  return {
    total: total[0] ? figuresOf(total[0]) : { count: 0, failed: 0, p50: null, p95: null, totalMs: 0 },
    cost,
    buckets: buckets
      .map((row) => ({ at: new Date(Number(row[0]) * 1000).toISOString(), ...figuresOf(row) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1)),
    groups: groups
      .map((row) => ({
        key: String(row[0]),
        lastAt: String(row[6]),
        ...figuresOf(row),
        ...(courses && { course: courses.get(String(row[0])) ?? [] }),
      }))
      .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
      .slice(0, mostGroups),
  }
}

interface Grouping {
  /** The expression to group by. */
  key(values: Values): string
  /** Leaves out rows that have none. */
  readonly isPresent?: boolean
}

function grouped(sql: Sql, query: StatsQuery, { key, isPresent }: Grouping): Promise<readonly Row[]> {
  const values = new Values()
  const by = key(values)
  const where = [...runConditions(query, values), ...(isPresent ? [`${by} IS NOT NULL`] : [])]
  return sql.query(
    `SELECT name, ${figures}, max(started) FROM (
      SELECT *, row_number() OVER (PARTITION BY name ORDER BY ms) AS place, count(*) OVER (PARTITION BY name) AS size
      FROM (SELECT ${by} AS name, ok, coalesce(ms, 0) AS ms, started FROM runs WHERE ${where.join(' AND ')}) AS found
    ) AS placed GROUP BY name`,
    values.list,
  )
}

/** Counts by group, one for each step of the time line. */
async function coursesOf(
  sql: Sql,
  query: StatsQuery,
  by: StatsKey,
  seconds: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const values = new Values()
  const step = bucketOf(values.add(seconds))
  const rows = await sql.query(
    `SELECT name, step, count(*) FROM (
      SELECT ${columnOf[by]} AS name, ${step} AS step FROM runs WHERE ${runConditions(query, values).join(' AND ')}
    ) AS found GROUP BY name, step`,
    values.list,
  )
  const [first, last] = [query.since, query.until].map((at) => Math.floor(Date.parse(at) / 1000 / seconds))
  const courses = new Map<string, number[]>()
  for (const [name, at, runs] of rows) {
    const key = String(name)
    const course = courses.get(key) ?? new Array<number>(Math.max(1, last! - first!)).fill(0)
    courses.set(key, course)
    const index = Math.min(course.length - 1, Math.max(0, Number(at) / seconds - first!))
    course[index]! += Number(runs)
  }
  return courses
}

async function costs(sql: Sql, query: StatsQuery): Promise<RunStats['cost']> {
  const values = new Values()
  const where = [...runConditions(query, values), 'cost IS NOT NULL']
  const rows = await sql.query(
    `SELECT currency, sum(cost) FROM runs WHERE ${where.join(' AND ')} GROUP BY currency ORDER BY currency`,
    values.list,
  )
  return rows.map(([currency, amount]) => ({ amount: Number(amount), currency: String(currency) }))
}

/** The start of the step that a run began in, in seconds. */
function bucketOf(seconds: string): string {
  return `floor_to(epoch_of(started), ${seconds})`
}

function figuresOf([, count, failed, p50, p95, totalMs]: Row): RunFigures {
  return {
    count: Number(count),
    failed: Number(failed),
    p50: p50 === null ? null : Number(p50),
    p95: p95 === null ? null : Number(p95),
    totalMs: Math.round(Number(totalMs ?? 0)),
  }
}
