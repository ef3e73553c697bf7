// Reads `export const frontmatter` of a code skill from its syntax tree. The code is never run here: what is
// not a literal makes the frontmatter dynamic, and only its line is known.
import { LineIndex, type Position } from '../../tool/line-index.ts'
import { findExport } from '../exported-function.ts'
import { type ExportedLiteral, readExportedLiteral } from '../exported-literal.ts'
import { parseModule, tooDeep } from '../parse-script.ts'

export interface CodeFrontmatter extends ExportedLiteral {
  readonly syntaxError?: Position & { readonly message: string }
  /** Where a default export ought to be, when the text shows that there is none or that it is no function. */
  readonly noFunctionAt?: Position
}

export function readCodeFrontmatter(file: string, text: string): CodeFrontmatter {
  const lines = new LineIndex(text)
  const start = { line: 1, column: 1 }
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  if (!result) return { syntaxError: { ...start, message: tooDeep }, positionOf: () => start }
  const error = result.errors.find((item) => item.severity === 'Error')
  if (error)
    return {
      syntaxError: { ...lines.at(error.labels[0]?.start ?? 0), message: error.message },
      positionOf: () => start,
    }
  const exported = findExport(result.program, 'default') ?? { offset: 0, isNoFunction: true }
  const read = readExportedLiteral(result.program, text, 'frontmatter')
  if (read.repeated) return read
  return { ...read, noFunctionAt: exported.isNoFunction ? lines.at(exported.offset) : undefined }
}

/** Where the default export of a module stands; the first line when there is none. */
export function defaultExportAt(file: string, text: string): Position {
  const result = parseModule(file, text, file.endsWith('.ts') ? 'ts' : 'js')
  return new LineIndex(text).at((result && findExport(result.program, 'default')?.offset) || 0)
}
