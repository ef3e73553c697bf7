// A problem is a diagnostic about a definition: what is wrong, where, and what to do. One bad tool is
// quarantined with its problem; it never hides another tool or stops the crib.
import { byCodeUnits } from './json.ts'
import type { problemShape } from './problem-shape.ts'
import type { Static } from './shape.ts'

/** Its fields are declared in problem-shape.ts. */
export interface Problem extends Static<typeof problemShape> {}

export type Severity = Problem['severity']

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 }

/** The order in which problems are shown: by file, line, column, severity, code. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (a, b) =>
      byCodeUnits(a.file ?? '', b.file ?? '') ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      rank[a.severity] - rank[b.severity] ||
      byCodeUnits(a.code, b.code),
  )
}

/** Errors that concern the start-up order alone: the tool itself stays callable (C11). */
const harmlessErrors = new Set(['tc-wait-cycle'])

/** The first error that refuses a tool, which is the one a refused call names. */
export function firstError(problems: readonly Problem[]): Problem | undefined {
  return problems.find(({ severity, code }) => severity === 'error' && !harmlessErrors.has(code))
}

/** `file:line:column` as editors and terminals understand it. */
export function placeOf(problem: Pick<Problem, 'file' | 'line' | 'column'>): string {
  if (!problem.file) return ''
  if (!problem.line) return problem.file
  return `${problem.file}:${problem.line}${problem.column ? `:${problem.column}` : ''}`
}

/** What it says, and where. */
export function saidWithPlace(problem: Problem): string {
  const place = placeOf(problem)
  return place ? `${problem.message} (${place})` : problem.message
}
