// Watches the files and programs of a fenced process tree with `strace`, from outside: the process finds nothing more
// than in any run, and what the tracer writes it cannot reach.
import { spawnSync } from 'node:child_process'
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findOnPath } from '../../config/find-on-path.ts'
import type { SpawnSpec } from '../fence.ts'
import { type TraceContext, TraceReader } from './read-trace.ts'
import { tracedNames } from './traced-calls.ts'

/** The tracer ends with the last process it watches; one that does not is left to itself. */
const patienceMs = 5_000

export interface TracerProbe {
  readonly path?: string
  /** Why nothing can be traced here. */
  readonly reason?: string
}

/** Whether strace is there and may watch a process of ours. */
export function probeTracer(path: string | null = findOnPath('strace') ?? null): TracerProbe {
  if (process.platform !== 'linux') return { reason: 'strace runs on Linux only' }
  if (path === null) return { reason: 'strace is not installed' }
  const args = ['-DD', '-f', '-qq', '-e', 'trace=execve', '-o', '/dev/null', '--', '/bin/sh', '-c', ':']
  const run = spawnSync(path, args, { env: {}, cwd: '/', encoding: 'utf8', timeout: 10_000 })
  if (run.status === 0) return { path }
  const said = run.stderr?.trim().split('\n').at(-1) || run.error?.message || `exit code ${run.status}`
  return { reason: `strace does not work here: ${said}` }
}

export interface Traced {
  readonly spec: SpawnSpec
  /** The process is gone: what is left of the trace is read, then the tracer's things are removed. */
  finish(): void
}

export class Tracer {
  readonly #path: string
  readonly #reading = new Set<Promise<void>>()
  /** Starts that were watched, and those of them whose beginning was not recognised. */
  starts = 0
  unread = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Puts the tracer before what the fence starts. `-DD`: the started process stays our own child. */
  trace(outer: SpawnSpec, context: TraceContext): Traced {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-trace-'))
    const pipe = join(folder, 'trace')
    const made = spawnSync('mkfifo', ['-m', '600', pipe])
    if (made.status !== 0) {
      rmSync(folder, { recursive: true, force: true })
      return { spec: outer, finish() {} }
    }
    const socket = new Socket({
      fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK),
      readable: true,
      writable: false,
    })
    const reader = new TraceReader(context)
    const lines = createInterface({ input: socket })
    lines.on('line', (line) => reader.take(line))
    this.starts++
    const read = new Promise<void>((resolve) => {
      socket.on('error', () => socket.destroy())
      lines.once('close', () => {
        if (!reader.hasBegun) this.unread++
        rmSync(folder, { recursive: true, force: true })
        resolve()
      })
    })
    this.#reading.add(read)
    void read.then(() => this.#reading.delete(read))
    const options = [
      '-DD',
      '-f',
      '-y',
      '-qq',
      '-s',
      '4096',
      '-e',
      'signal=none',
      '-e',
      `trace=${tracedNames}`,
    ]
    return {
      spec: { ...outer, file: this.#path, args: [...options, '-o', pipe, '--', outer.file, ...outer.args] },
      finish: () => {
        const late = setTimeout(() => {
          lines.close()
          socket.destroy()
        }, patienceMs)
        void read.then(() => clearTimeout(late))
      },
    }
  }

  /** Settles once everything that was traced has been read. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading)
  }
}
