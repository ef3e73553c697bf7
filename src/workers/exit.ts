// How a process ended. Behind bubblewrap nobody outside hears of a signal: it ends with 128 and the signal's number,
// whether the program died of it or gave that code itself. So both are said, and both count as a death that may pass.
import { constants } from 'node:os'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The signal it died of, as far as can be told. */
  readonly diedOf: NodeJS.Signals | null
}

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export function readExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  isBehindBubblewrap: boolean,
): Exit {
  const told = isBehindBubblewrap && code !== null ? names.get(code - 128) : undefined
  return { code, signal, diedOf: signal ?? (told as NodeJS.Signals | undefined) ?? null }
}

/** `was ended by SIGKILL`, `ended with exit code 3`, `ended with exit code 137 (SIGKILL)`. */
export function describeExit({ code, diedOf }: Omit<Exit, 'signal'>): string {
  if (code === null) return `was ended by ${diedOf}`
  return `ended with exit code ${code}${diedOf ? ` (${diedOf})` : ''}`
}
