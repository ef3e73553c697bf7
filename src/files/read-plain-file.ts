// The text of a file that a stranger may have put there: a link to a device or a pipe would be read without end.
import { readFileSync, statSync } from 'node:fs'

/** Throws when it is no plain file, or larger than `maxBytes`. */
export function readPlainFile(file: string, maxBytes: number): string {
  const stat = statSync(file)
  if (!stat.isFile() && !stat.isDirectory()) throw new Error('it is a device or a pipe, not a file')
  if (stat.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
  return readFileSync(file, 'utf8')
}
