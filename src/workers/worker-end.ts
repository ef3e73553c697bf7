// Why a worker ended. What that means for the calls that were in it is said by the format whose calls they are.
import type { Exit } from './exit.ts'

export type WorkerEnd =
  /** The tool ended the process; `callId` is the call that did (0: unknown), null when nobody announced it. */
  | { readonly kind: 'exit'; readonly exit: Exit; readonly code: number; readonly callId: number | null }
  | { readonly kind: 'memory' }
  | { readonly kind: 'disk' }
  /** The channel was misused; `isFlood`: by a message larger than is taken. */
  | { readonly kind: 'broken'; readonly detail: string; readonly isFlood: boolean }
  /** Killed: by us, by the system, by a crash. */
  | { readonly kind: 'signal'; readonly exit: Exit }

export interface EndFacts {
  readonly exit: Exit
  /** The end of what it wrote to standard error. */
  readonly stderr: string
  /** Stands before the exit that a program announces on standard error. */
  readonly exitMark: string | undefined
  /** What the host ended it for. */
  readonly over: 'memory' | 'disk' | undefined
  readonly broken: { readonly detail: string; readonly isFlood: boolean } | undefined
}

const outOfMemory = /out of memory|heap limit|OOM error|memory allocation of \d+ bytes failed/i

export function endOf({ exit, stderr, exitMark, over, broken }: EndFacts): WorkerEnd {
  if (over) return { kind: over }
  if (broken) return { kind: 'broken', ...broken }
  const announced = exitMark === undefined ? null : new RegExp(`${exitMark} (\\d+) (-?\\d+)`).exec(stderr)
  if (announced)
    return { kind: 'exit', exit, callId: Number(announced[1]), code: Number(announced[2]) & 0xff }
  if (exit.diedOf !== null && outOfMemory.test(stderr)) return { kind: 'memory' }
  if (exit.diedOf !== null) return { kind: 'signal', exit }
  return { kind: 'exit', exit, callId: null, code: exit.code ?? 0 }
}
