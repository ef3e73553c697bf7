// A JSON value of the command line: as it stands, from `@file`, or `-` for standard input.
import { readFileSync } from 'node:fs'
import { UsageError } from './command.ts'

/** The parsed value; throws UsageError when it is no JSON. */
export function readParams(given: string, name = '--params'): unknown {
  const text = textOf(given, name)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `${name} is not JSON: ${(error as Error).message}.`,
      `Quote it for the shell: ${name.startsWith('--') ? `${name} ` : ''}'{"name":"Ada"}', or use @file or -.`,
    )
  }
}

function textOf(given: string, name: string): string {
  try {
    if (given === '-') return readFileSync(0, 'utf8')
    return given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given
  } catch (error) {
    throw new UsageError(`${name} ${given} cannot be read: ${(error as Error).message}.`)
  }
}
