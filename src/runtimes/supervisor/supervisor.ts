// The one place that starts processes. Each child leads its own group, is known to the guardian, and is
// ended TERM first, then KILL; `close` leaves nothing running.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { type Readable, Writable } from 'node:stream'
import type { FencedSpec, SpawnSpec } from '../../sandbox/fence.ts'
import { unnamedFile } from '../../sandbox/unnamed-file.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import { Guardian } from './guardian.ts'
import { inheritedDescriptors } from './inherited-descriptors.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartOptions {
  /** `ipc` adds a message channel beside the three streams (Node and Deno children). */
  readonly ipc?: boolean
  /** An extra pipe as descriptor 3, both ways (Python workers talk over it, apart from their prints). */
  readonly channel?: boolean
  /** Nothing will be written to the child: its input is empty, and `stdin` takes nothing. */
  readonly noInput?: boolean
  /** What the leader leaves behind may go on until the output streams are closed, not only until it exits. */
  readonly lingers?: boolean
}

/** A running child. `exited` settles once it is gone and its streams are closed or given up on. */
export interface Child {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly channel: (Readable & Writable) | null
  readonly process: ChildProcess
  /** The leader has exited; descendants may still hold its pipes. */
  readonly exited: Promise<Exit>
  /** TERM to the group, KILL after `graceMs` (0: KILL at once). Resolves when the leader is gone. */
  kill(graceMs?: number): Promise<void>
  /** Why the fence ended it (MEMORY_LIMIT), once it is gone; undefined when it ended otherwise. */
  verdict(): ToolError | undefined
}

const defaultGraceMs = 2_000

export class Supervisor {
  readonly #guardian = new Guardian()
  readonly #children = new Set<Child>()
  #closed = false

  get running(): number {
    return this.#children.size
  }

  /** Starts a process; throws COMMAND_NOT_FOUND or COMMAND_FAILED when it cannot be started. */
  async start(given: SpawnSpec | FencedSpec, options: StartOptions = {}): Promise<Child> {
    if (this.#closed) throw new ToolError('CANCELLED', 'The crib is closing; nothing more is started.')
    const fenced = 'spec' in given ? given : undefined
    const spec = fenced ? fenced.spec : (given as SpawnSpec)
    const handovers = (spec.handovers ?? []).map(({ fd, bytes }) => ({ fd, file: unnamedFile(bytes) }))
    const blank = inheritedDescriptors().length > 0 ? openSync('/dev/null', 'r+') : undefined
    const stdio: Stdio[] = [options.noInput ? 'ignore' : 'pipe', 'pipe', 'pipe']
    if (options.channel) stdio.push('pipe')
    if (options.ipc) stdio.push('ipc')
    for (const { fd, file } of handovers) place(stdio, fd, file)
    for (const fd of inheritedDescriptors())
      if ((stdio[fd] ?? 'ignore') === 'ignore') place(stdio, fd, blank!)
    try {
      const process = spawn(spec.file, [...spec.args], {
        cwd: spec.cwd,
        env: spec.env as NodeJS.ProcessEnv,
        argv0: spec.argv0,
        detached: true,
        shell: false,
        stdio,
        serialization: 'json',
      })
      await spawned(process, spec)
      return this.#adopt(process, fenced, options.lingers === true)
    } catch (error) {
      fenced?.release?.()
      throw isToolError(error) ? error : startError(spec, error as NodeJS.ErrnoException)
    } finally {
      for (const { file } of handovers) closeSync(file)
      if (blank !== undefined) closeSync(blank)
    }
  }

  /**
   * A command for what no signal to a process ends (a container): run should this process end in whatever way
   * before the answer is called, which takes it back.
   */
  leave(spec: SpawnSpec): () => void {
    return this.#guardian.leave(spec)
  }

  #adopt(process: ChildProcess, fenced: FencedSpec | undefined, lingers: boolean): Child {
    const pid = process.pid!
    this.#guardian.watch(pid)
    fenced?.started?.(pid)
    const exited = new Promise<Exit>((resolve) => {
      process.once('exit', (code, signal) => resolve({ code, signal }))
    })
    for (const stream of process.stdio) stream?.on('error', () => {})
    const child: Child = {
      pid,
      stdin: process.stdin ?? closedInput(),
      stdout: process.stdout!,
      stderr: process.stderr!,
      channel: (process.stdio[3] as (Readable & Writable) | null | undefined) ?? null,
      process,
      exited,
      kill: (graceMs = defaultGraceMs) => {
        // Whoever waits for the end of an idle worker must not run out of things to wait for.
        process.ref()
        return killGroup(pid, exited, graceMs, () =>
          fenced?.terminate ? fenced.terminate(pid) : signalGroup(pid, 'SIGTERM'),
        )
      },
      verdict: () => fenced?.verdict?.(),
    }
    this.#children.add(child)
    const over = lingers ? new Promise((resolve) => process.once('close', resolve)) : exited
    over.then(() => {
      // Whatever the leader left behind in its group goes with it.
      signalGroup(pid, 'SIGKILL')
      this.#guardian.forget(pid)
      this.#children.delete(child)
      fenced?.release?.()
    })
    return child
  }

  /** Ends every child and the guardian. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#children].map((child) => child.kill(200)))
    this.#guardian.close()
  }
}

function closedInput(): Writable {
  return new Writable().destroy()
}

type Stdio = 'pipe' | 'ipc' | 'ignore' | number

function place(stdio: Stdio[], fd: number, source: number): void {
  while (stdio.length < fd) stdio.push('ignore')
  stdio[fd] = source
}

function spawned(process: ChildProcess, spec: SpawnSpec): Promise<void> {
  // With a pid the start has succeeded; waiting for the event would cost a turn of the loop.
  if (process.pid !== undefined) {
    process.once('error', () => {})
    return Promise.resolve()
  }
  return new Promise((_, reject) => {
    process.once('error', (error: NodeJS.ErrnoException) => reject(startError(spec, error)))
  })
}

function startError(spec: SpawnSpec, error: NodeJS.ErrnoException): ToolError {
  const isMissing = error.code === 'ENOENT' || error.code === 'EACCES'
  const hints: Record<string, string> = {
    EACCES: 'Check that the file is executable.',
    E2BIG: 'Its arguments and variables are too long together; pass long values on standard input.',
    EAGAIN: 'This machine has no process left to give; end some and try again.',
    EMFILE: 'This process has no file descriptor left; raise `ulimit -n` or run fewer calls at once.',
  }
  return new ToolError(
    isMissing ? 'COMMAND_NOT_FOUND' : 'COMMAND_FAILED',
    `${spec.file} could not be started: ${error.message}.`,
    {
      hint: hints[error.code ?? ''] ?? 'Check that the program and its working folder exist.',
    },
  )
}

async function killGroup(
  pid: number,
  exited: Promise<Exit>,
  graceMs: number,
  terminate: () => void,
): Promise<void> {
  if (graceMs > 0) {
    terminate()
    let timer: NodeJS.Timeout | undefined
    const waited = new Promise<'waited'>((resolve) => {
      timer = setTimeout(() => resolve('waited'), graceMs)
    })
    const first = await Promise.race([exited, waited])
    clearTimeout(timer)
    if (first !== 'waited') return
  }
  signalGroup(pid, 'SIGKILL')
  await exited
}

/** Signals a whole group; a group that is gone is no error. */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}
