// The value of `--params`: JSON, `@file`, or `-` for standard input.
import { readFileSync } from 'node:fs'
import { UsageError } from './command.ts'

/** The parsed value; throws UsageError when it is no JSON. */
export function readParams(given: string): unknown {
  const text = textOf(given)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `--params is not JSON: ${(error as Error).message}.`,
      `Quote it for the shell: --params '{"name":"Ada"}', or use @file or -.`,
    )
  }
}

function textOf(given: string): string {
  try {
    if (given === '-') return readFileSync(0, 'utf8')
    return given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given
  } catch (error) {
    throw new UsageError(`--params ${given} cannot be read: ${(error as Error).message}.`)
  }
}
