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

  /** The problems with file, tool and position filled in. */
  problems(place: { file?: string; toolId?: string; position?: FindPosition }): Problem[] {
    return this.#found.map((problem) => {
      const at = place.position?.(problem.pointer)
      return {
        ...problem,
        ...(place.file === undefined ? {} : { file: place.file }),
        ...(at === undefined ? {} : { line: at.line, column: at.column }),
        ...(place.toolId === undefined ? {} : { toolId: place.toolId }),
      }
    })
  }
}
