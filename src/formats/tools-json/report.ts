// Collects problems with their place in a descriptor file. `of` gives a report whose problems also count against
// a tool, so that one bad tool is taken out and the others stay.

import type { Problem, Severity } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { JsonDocument } from '../json-with-positions.ts'

export interface Report {
  error(code: string, pointer: string, message: string, hint?: string): void
  warning(code: string, pointer: string, message: string, hint?: string): void
}

interface Said {
  readonly code: string
  readonly pointer: string
  readonly message: string
  readonly hint: string | undefined
}

/** Faults of types point at the value, the others at the key: that is what one has to change. */
const atValue = new Set(['descriptor-shape'])

export class FileReport implements Report {
  readonly problems: Problem[] = []
  readonly #file: string
  readonly #document: JsonDocument
  readonly #skill: string
  readonly #toolId: string | undefined

  constructor(file: string, document: JsonDocument, skill: string, toolId?: string) {
    this.#file = file
    this.#document = document
    this.#skill = skill
    this.#toolId = toolId
  }

  error(code: string, pointer: string, message: string, hint?: string): void {
    this.#add('error', { code, pointer, message, hint })
  }

  warning(code: string, pointer: string, message: string, hint?: string): void {
    this.#add('warning', { code, pointer, message, hint })
  }

  #add(severity: Severity, { code, pointer, message, hint }: Said): void {
    const place = atValue.has(code) ? this.#document.valueAt(pointer) : this.#document.keyAt(pointer)
    this.problems.push({
      code,
      severity,
      message: `${message}.`,
      hint: hint ?? hintFor(code),
      file: this.#file,
      line: place.line,
      column: place.column,
      pointer,
      skill: this.#skill,
      toolId: this.#toolId,
    })
  }
}
