// With which bytes does a file begin?
import { closeSync, openSync, readSync } from 'node:fs'

/** Whether a file can be read and begins with these bytes, each a character of `mark`. */
export function beginsWith(file: string, mark: string): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const start = Buffer.alloc(mark.length)
    readSync(descriptor, start, 0, mark.length, 0)
    return start.toString('latin1') === mark
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
