// A problem is a diagnostic about a definition: what is wrong, where, and what to do. One bad tool is
// quarantined with its problem; it never hides another tool or stops the crib.
import { byCodeUnits } from './json.ts'

export type Severity = 'error' | 'warning' | 'info'

export interface Problem {
  readonly code: string
  readonly severity: Severity
  readonly message: string
  readonly hint?: string
  readonly file?: string
  /** Counted from 1. */
  readonly line?: number
  readonly column?: number
  readonly toolId?: string
  /** Id of the skill it belongs to, where there is one. */
  readonly skill?: string
  /** RFC 6901 pointer into the document, where there is one. */
  readonly pointer?: string
  /** Place inside a program that the document carries as text, counted from 1. */
  readonly source_line?: number
  readonly source_column?: number
}

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

/** The first error of a list, which is the one a refused call names. */
export function firstError(problems: readonly Problem[]): Problem | undefined {
  return problems.find((problem) => problem.severity === 'error')
}

/** `file:line:column` as editors and terminals understand it. */
export function placeOf(problem: Pick<Problem, 'file' | 'line' | 'column'>): string {
  if (!problem.file) return ''
  if (!problem.line) return problem.file
  return `${problem.file}:${problem.line}${problem.column ? `:${problem.column}` : ''}`
}
