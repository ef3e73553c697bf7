// The one place that starts processes. Each child leads its own group, is known to the guardian, and is
// ended TERM first, then KILL; `close` leaves nothing running.
import type { ChildProcess } from 'node:child_process'
import { type Duplex, type Readable, Writable } from 'node:stream'
import type { FencedSpec, SpawnSpec } from '../sandbox/fence.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import { type Exit, readExit } from './exit.ts'
import { Guardian } from './guardian.ts'
import { SpareProcess } from './spare-process.ts'
import { type Started, type Streams, signalGroup, spawnProcess, startProcess } from './start-process.ts'

export interface StartOptions extends Streams {
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
  /** Speaks to the engine of the fence; absent where there is nothing to say. */
  readonly control?: Duplex | undefined
  readonly process: ChildProcess
  /** The leader has exited; descendants may still hold its pipes. */
  readonly exited: Promise<Exit>
  /**
   * TERM to the group, KILL after `graceMs` (0: KILL at once). Resolves when the leader is gone. Once it was asked to
   * end, a second asking does not shorten the time it has.
   */
  kill(graceMs?: number): Promise<void>
  /** Why the fence ended it (MEMORY_LIMIT), once it is gone; undefined when it ended otherwise. */
  verdict(): ToolError | undefined
  /** Whether waiting for its end keeps this program from ending; it does at first. */
  ref(): void
  unref(): void
}

const defaultGraceMs = 2_000
/** What an engine has to say, once everything inside is dead, is said at once. */
const endMs = 2_000

export class Supervisor {
  readonly #guardian = new Guardian()
  readonly #children = new Set<Child>()
  readonly #spare = new SpareProcess(spawnProcess)
  #closed = false

  get running(): number {
    return this.#children.size
  }

  /** Starts a process; throws COMMAND_NOT_FOUND or COMMAND_FAILED when it cannot be started. */
  async start(given: SpawnSpec | FencedSpec, options: StartOptions = {}): Promise<Child> {
    const fenced = 'spec' in given ? given : undefined
    const spec = fenced ? fenced.spec : (given as SpawnSpec)
    try {
      this.#mustBeOpen()
      if (fenced?.ready) {
        await fenced.ready
        this.#mustBeOpen()
      }
      return this.#adopt(await startProcess(spec, options, this.#spare), fenced, options)
    } catch (error) {
      fenced?.release?.()
      throw isToolError(error) ? error : startError(spec, error as NodeJS.ErrnoException)
    }
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new ToolError('CANCELLED', 'The crib is closing; nothing more is started.')
  }

  /**
   * A command for what no signal to a process ends (a container): run should this process end in whatever way
   * before the answer is called, which takes it back.
   */
  leave(spec: SpawnSpec): () => void {
    return this.#guardian.leave(spec)
  }

  #adopt(started: Started, fenced: FencedSpec | undefined, options: StartOptions): Child {
    const { pid, process } = started
    const isBehindBubblewrap = fenced?.enforcement.layers.includes('bubblewrap') === true
    const gone = new Promise<Exit>((resolve) => {
      process.once('exit', (code, signal) => resolve(readExit(code, signal, isBehindBubblewrap)))
    })
    let ending: Promise<void> | undefined
    let isKilled = false
    this.#guardian.watch(pid)
    for (const stream of process.stdio) stream?.on('error', () => {})
    const admitted = fenced?.started?.(pid, (fd) => process.stdio[fd] as Duplex)
    const exited = admitted ? gone.then((exit) => admitted.then(() => exit)) : gone
    const child: Child = {
      pid,
      stdin: process.stdin ?? closedInput(),
      stdout: process.stdout!,
      stderr: process.stderr!,
      channel: (process.stdio[3] as (Readable & Writable) | null | undefined) ?? null,
      control: controlOf(started.process, fenced),
      process,
      exited,
      ref: () => process.ref(),
      unref: () => process.unref(),
      kill: (graceMs = defaultGraceMs) => {
        // Whoever waits for the end of an idle worker must not run out of things to wait for.
        process.ref()
        // What is being killed already is not killed faster: its engine may be saying what was written.
        if (ending && (graceMs > 0 || isKilled)) return ending
        isKilled ||= graceMs === 0
        ending = killGroup(pid, exited, graceMs, {
          terminate: () => (fenced?.terminate ? fenced.terminate(pid) : signalGroup(pid, 'SIGTERM')),
          endInside: () => fenced?.endInside?.(pid) ?? false,
        })
        return ending
      },
      verdict: () => fenced?.verdict?.(),
    }
    this.#children.add(child)
    const over: Promise<unknown> = options.lingers ? started.closed : exited
    over.then(() => {
      // Whatever the leader left behind in its group goes with it.
      signalGroup(pid, 'SIGKILL')
      this.#guardian.forget(pid)
      this.#children.delete(child)
      fenced?.release?.()
    })
    return child
  }

  /** Ends every child at once; others may be started after it. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.kill(0)))
  }

  /** Ends every child and the guardian. */
  async close(): Promise<void> {
    this.#closed = true
    this.#spare.close()
    await Promise.all([...this.#children].map((child) => child.kill(200)))
    this.#guardian.close()
  }
}

function closedInput(): Writable {
  return new Writable().destroy()
}

function startError(spec: SpawnSpec, error: NodeJS.ErrnoException): ToolError {
  const isMissing = error.code === 'ENOENT' || error.code === 'EACCES'
  const hints: Record<string, string> = {
    EACCES: 'Check that the file is executable.',
    EAGAIN: 'This machine has no process left to give; end some and try again.',
    EMFILE: 'This process has no file descriptor left; raise `ulimit -n` or run fewer calls at once.',
  }
  if (error.code === 'E2BIG')
    // It may be a launcher that could not be started; the program is not to be told by its file.
    return new ToolError('COMMAND_FAILED', `The program could not be started: ${error.message}.`, {
      hint: 'Its arguments and variables are too long together; pass long values on standard input.',
    })
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
  { terminate, endInside }: { terminate(): boolean; endInside(): boolean },
): Promise<void> {
  // Nothing inside to be asked: a sandbox that is still being set up ends at once, before its program does anything.
  if (graceMs > 0 && terminate() && (await isOverWithin(exited, graceMs))) return
  if (endInside() && (await isOverWithin(exited, endMs))) return
  signalGroup(pid, 'SIGKILL')
  await exited
}

async function isOverWithin(exited: Promise<Exit>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isOver = await Promise.race([exited.then(() => true), waited])
  clearTimeout(timer)
  return isOver
}

function controlOf({ stdio }: ChildProcess, fenced: FencedSpec | undefined): Duplex | undefined {
  const fd = fenced?.spec.control
  // Node makes every extra pipe a socket.
  return fd === undefined ? undefined : ((stdio as readonly unknown[])[fd] as Duplex)
}
