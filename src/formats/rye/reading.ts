// What a reader found in one file, before anything is judged. Readers differ by language; everything after
// them sees only this.
import type { Json } from '../../tool/json.ts'

/** One metadata field as the file states it. */
export interface Field {
  readonly value: Json
  /** How the file spells it: `__version__`, `CONFIG_SCHEMA`, `@version`, `version`. */
  readonly name: string
  readonly line: number
}

/** Something a reader could not take over as it stands. */
export interface ReadingNote {
  readonly code: 'metadata-parse' | 'schema-not-static' | 'param-type-unknown' | 'signature-line'
  readonly message: string
  readonly hint?: string
  readonly line: number
  readonly column?: number
  readonly pointer?: string
}

/** One parameter of a Python `main`, as far as it can be told without running. */
export interface SignatureParam {
  readonly name: string
  readonly annotation: string | null
  readonly hasDefault: boolean
  /** Undefined when the default is no constant. */
  readonly fallback?: Json
}

export interface Signature {
  readonly params: readonly SignatureParam[]
  readonly takesExtra: boolean
}

/** What the code of a file offers to a caller. */
export interface CodeFacts {
  readonly hasExecute: boolean
  readonly hasMain: boolean
  readonly hasDefault: boolean
  /** Python only: `execute` or `main` where it is no `def` but imported, or given a value that may be a function. */
  readonly boundEntry?: 'execute' | 'main'
  /** Python only: `if __name__ == "__main__"`. */
  readonly hasMainBlock: boolean
  readonly mainSignature: Signature | null
  readonly classes: readonly string[]
  /** JavaScript only: the modules all of whose names it gives out as its own, the default apart. */
  readonly givesOut?: readonly string[]
  /** Module specifiers of static imports, as written (Python: dotted, leading dots kept). */
  readonly imports: readonly string[]
  readonly mentionsProjectPath: boolean
  readonly mentionsParams: boolean
}

/** Of code in a language that nobody here reads: what its text mentions. */
export function mentionsOnly(text: string): CodeFacts {
  return {
    hasExecute: false,
    hasMain: false,
    hasDefault: false,
    hasMainBlock: false,
    mainSignature: null,
    classes: [],
    imports: [],
    mentionsProjectPath: text.includes('--project-path'),
    mentionsParams: text.includes('--params'),
  }
}

export interface Reading {
  /** By canonical field name (`config_schema`, `description` …). */
  readonly fields: ReadonlyMap<string, Field>
  /** Keys nobody knows, kept as raw data. */
  readonly unknown: { readonly [key: string]: Json }
  readonly notes: readonly ReadingNote[]
  readonly docstring: string | null
  /** Null for data files. */
  readonly code: CodeFacts | null
  /** Line of the place inside a field that a pointer leads to; the field's own line when it cannot be told. */
  locate(field: string, pointer: string): number
}
