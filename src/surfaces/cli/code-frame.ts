// The lines around a problem, with a mark under the place.
import { readFileSync, statSync } from 'node:fs'
import type { Problem } from '../../tool/problem.ts'
import { noteStyle, plain } from './style.ts'

const maxBytes = 2_000_000
const around = 2
const widest = 160

/** Empty when the problem has no place or the file cannot be read. */
export function codeFrame({ file, line, column }: Problem, style = noteStyle): string[] {
  if (!file || !line) return []
  let lines: string[]
  try {
    if (statSync(file).size > maxBytes) return []
    lines = readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
  if (line > lines.length) return []
  const first = Math.max(1, line - around)
  const last = Math.min(lines.length, line + around)
  const width = String(last).length
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const text = plain(lines[number - 1]!.replaceAll('\t', ' ')).slice(0, widest)
    const isMarked = number === line
    const margin = `${isMarked ? '>' : ' '} ${String(number).padStart(width)} | `
    frame.push(`  ${isMarked ? style.red(margin) : style.dim(margin)}${text}`.trimEnd())
    if (isMarked && column && column <= widest)
      frame.push(`  ${' '.repeat(width + 2)} ${style.dim('|')} ${' '.repeat(column - 1)}${style.red('^')}`)
  }
  return frame
}
