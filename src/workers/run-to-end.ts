// Runs a process to its end: input written while both outputs are drained, output capped, the group killed
// on timeout or cancel, and no waiting for ever on a pipe that a grandchild still holds.
import type { FencedSpec, SpawnSpec } from '../sandbox/fence.ts'
import { ToolError } from '../tool/tool-error.ts'
import { Capture, type Captured } from './capture.ts'
import type { Child, Supervisor } from './supervisor.ts'

export interface RunToEndOptions {
  readonly input?: string | Uint8Array
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** End the process once its stdout passes `maxBytes`, instead of reading on. */
  readonly stopWhenFull?: boolean
  /** Grace between TERM and KILL. */
  readonly graceMs?: number
  /** A child of the process that holds its output open gets two seconds more; otherwise it goes with it. */
  readonly lingers?: boolean
  readonly onStderr?: (chunk: Buffer) => void
  readonly onStdout?: (chunk: Buffer) => void
}

export interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** The signal it died of, as far as can be told. */
  readonly diedOf: NodeJS.Signals | null
  readonly stdout: Captured
  readonly stderr: Captured
}

const lingerMs = 2_000

/** Throws TIMEOUT or CANCELLED after the group is gone; a non-zero exit is not an error here. */
export async function runToEnd(
  supervisor: Supervisor,
  spec: SpawnSpec | FencedSpec,
  options: RunToEndOptions,
): Promise<Ended> {
  if (options.signal.aborted) throw stopped(options.signal, options.timeoutMs)
  const input = options.input ?? ''
  const child = await supervisor.start(spec, {
    lingers: options.lingers === true,
    noInput: input.length === 0,
  })
  let full: (() => void) | undefined
  const filled = new Promise<'full'>((resolve) => {
    full = () => resolve('full')
  })
  const stdout = new Capture(child.stdout, options.maxBytes, (chunk) => {
    options.onStdout?.(chunk)
    if (options.stopWhenFull && stdout.isTruncated) full?.()
  })
  const stderr = new Capture(child.stderr, options.maxBytes, options.onStderr)
  if (input.length > 0) child.stdin.end(input)
  const outputs = () => ({ stdout: stdout.result(), stderr: stderr.result() })
  const outcome = await untilEnded(child, options, filled, Promise.all([stdout.ended, stderr.ended]))
  if (outcome === 'full') {
    await child.kill(0)
    closeStreams(child)
    return { exitCode: null, signal: 'SIGKILL', diedOf: 'SIGKILL', ...outputs() }
  }
  if (outcome === 'timeout' || outcome === 'cancelled') {
    await child.kill(options.graceMs)
    closeStreams(child)
    throw outcome === 'timeout' ? timeoutError(options.timeoutMs) : stopped(options.signal, options.timeoutMs)
  }
  closeStreams(child)
  const verdict = child.verdict()
  if (verdict) throw verdict
  return { exitCode: outcome.code, signal: outcome.signal, diedOf: outcome.diedOf, ...outputs() }
}

async function untilEnded(
  child: Child,
  options: RunToEndOptions,
  filled: Promise<'full'>,
  drained: Promise<unknown>,
) {
  let timer: NodeJS.Timeout | undefined
  let onAbort: (() => void) | undefined
  const interrupted = new Promise<'timeout' | 'cancelled'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), Math.min(options.timeoutMs, 2_147_483_647))
    onAbort = () => resolve('cancelled')
    options.signal.addEventListener('abort', onAbort, { once: true })
    // It may have come while the process was being started.
    if (options.signal.aborted) onAbort()
  })
  try {
    const exit = await Promise.race([child.exited, interrupted, filled])
    if (typeof exit === 'string') return exit
    // The leader is gone; what it left behind, or what left its group, may hold the pipes.
    let linger: NodeJS.Timeout | undefined
    await Promise.race([
      drained,
      new Promise((resolve) => {
        linger = setTimeout(resolve, lingerMs)
      }),
    ])
    clearTimeout(linger)
    return exit
  } finally {
    clearTimeout(timer)
    if (onAbort) options.signal.removeEventListener('abort', onAbort)
  }
}

function closeStreams(child: Child): void {
  child.stdin.destroy()
  child.stdout.destroy()
  child.stderr.destroy()
}

/** The error a call ends with when its own time ran out. */
export function timeoutError(timeoutMs: number): ToolError {
  return new ToolError('TIMEOUT', `The tool did not finish within ${timeoutMs} ms and was stopped.`, {
    hint: 'Give it more time with --timeout, or a larger timeout in its definition.',
    retryable: true,
  })
}

/** The error a call ends with when somebody else stopped it. */
export function stopped(signal: AbortSignal, timeoutMs: number): ToolError {
  const reason: unknown = signal.reason
  if (reason instanceof ToolError) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError') return timeoutError(timeoutMs)
  return new ToolError('CANCELLED', 'The call was cancelled.')
}
