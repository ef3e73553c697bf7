// A question to the person at the terminal that is answered with yes or no.
import { createInterface } from 'node:readline/promises'
import type { Session } from './session.ts'

/** Undefined when the person closed the input in place of an answer. Everything that does not begin a yes is a no. */
export async function saysYes({ signal }: Session, question: string): Promise<boolean | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim())
  } catch (error) {
    if (signal.aborted || (error as NodeJS.ErrnoException).code !== 'ABORT_ERR') throw error
    return undefined
  } finally {
    terminal.close()
  }
}
