// A filter of runs as conditions of a statement: one place, so that a list and the figures above it mean the same runs.
import type { RunFilter } from './run-record.ts'
import type { Values } from './sql.ts'

export function runConditions(filter: RunFilter, values: Values): string[] {
  const where: string[] = []
  for (const column of ['tool', 'caller', 'surface', 'error'] as const)
    if (filter[column] !== undefined) where.push(`${column} = ${values.add(filter[column])}`)
  if (filter.trigger !== undefined) where.push(`trigger_schema = ${values.add(filter.trigger)}`)
  if (filter.since !== undefined) where.push(`started >= ${values.add(filter.since)} COLLATE "C"`)
  if (filter.until !== undefined) where.push(`started < ${values.add(filter.until)} COLLATE "C"`)
  if (filter.ok !== undefined) where.push(`ok = ${values.add(Number(filter.ok))}`)
  if (filter.minMs !== undefined) where.push(`ms >= ${values.add(filter.minMs)}`)
  if (filter.isTop) where.push('parent IS NULL')
  if (filter.kinds) where.push(`kind = ANY (${values.add(filter.kinds)})`)
  if (filter.surfaces) where.push(`surface = ANY (${values.add(filter.surfaces)})`)
  if (filter.root !== undefined) where.push(`run_id IN (${family(values.add(filter.root))})`)
  if (filter.q !== undefined) where.push(textCondition(values.add(filter.q.toLowerCase())))
  return where
}

/** What the person sees of a run in a list, and the message of its error. */
function textCondition(text: string): string {
  const fields = ['run_id', 'tool', 'caller', `coalesce(error, '')`, `coalesce(error_message, '')`]
  return `(${fields.map((field) => `strpos(lower(${field}), ${text}) > 0`).join(' OR ')})`
}

/** The ids of a run and of everything that was called from it. */
function family(root: string): string {
  return `WITH RECURSIVE tree(id) AS (
    SELECT CAST(${root} AS text) UNION SELECT runs.run_id FROM runs JOIN tree ON runs.parent = tree.id
  ) SELECT id FROM tree`
}
