// Collects what is wrong with one document. A finding names its place by JSON pointer; lines are looked up
// afterwards, because most documents have none to look up.

import type { Position } from '../../tool/line-index.ts'
import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import { type ProblemCode, severities } from './severities.ts'

export interface FindingDetails {
  readonly hint?: string
  /** The mild form of the code. */
  readonly lesser?: boolean
  /** Place inside `context.code.source`. */
  readonly source?: Position
}

/** Where a pointer stands in the file; a pointer to something absent gives the place of its parent. */
export type FindPosition = (pointer: string) => Position | undefined

export class Findings {
  readonly #found: (Problem & { pointer: string })[] = []

  add(code: ProblemCode, pointer: string, message: string, details: FindingDetails = {}): void {
    const row = severities[code]
    const severity = details.lesser && 'lesser' in row ? row.lesser.severity : row.severity
    this.#found.push({
      code,
      severity,
      message,
      hint: details.hint ?? hintFor(code),
      pointer,
      ...(details.source === undefined
        ? {}
        : { source_line: details.source.line, source_column: details.source.column }),
    })
  }

  has(code: ProblemCode): boolean {
    return this.#found.some((problem) => problem.code === code)
  }

  /** The problems with file, tool and position filled in; what is wrong in a program of its own points into that. */
  problems(place: {
    file?: string | undefined
    sourceFile?: string | undefined
    toolId?: string | undefined
    position?: FindPosition | undefined
  }): Problem[] {
    const { sourceFile, toolId } = place
    return this.#found.map((problem) => {
      const { source_line: line, source_column: column } = problem as {
        source_line?: number
        source_column?: number
      }
      if (sourceFile !== undefined && line !== undefined)
        return { ...problem, file: sourceFile, line, column: column ?? 1, toolId }
      return { ...problem, file: place.file, ...place.position?.(problem.pointer), toolId }
    })
  }
}
