// Collects the problems of one file; all of them are reported together.

import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { Reading } from './reading.ts'
import { defaultSeverity, type RyeCode } from './severity.ts'

export interface ProblemPlace {
  readonly line?: number
  readonly column?: number
  readonly hint?: string
  readonly pointer?: string
}

export class ProblemList {
  readonly all: Problem[] = []
  readonly #file: string
  readonly #toolId: string
  readonly #reading: Reading

  constructor(file: string, toolId: string, reading: Reading) {
    this.#file = file
    this.#toolId = toolId
    this.#reading = reading
  }

  add(code: RyeCode, message: string, place: ProblemPlace = {}): void {
    const { line = 1, hint, column, pointer } = place
    this.all.push({
      code,
      severity: defaultSeverity(code),
      message,
      hint: hint ?? hintFor(code),
      file: this.#file,
      line,
      column: column || undefined,
      pointer: pointer || undefined,
      toolId: this.#toolId,
    })
  }

  /** A problem of a field, at the line of the part of it that `pointer` leads to. */
  addAt(code: RyeCode, field: string, pointer: string, message: string, hint?: string): void {
    const name = this.#reading.fields.get(field)?.name ?? field
    this.add(code, message, {
      line: this.#reading.locate(field, pointer),
      pointer: `/${name}${pointer}`,
      hint,
    })
  }
}
