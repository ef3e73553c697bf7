// Which call does it belong to, what a process prints? To whatever runs at that moment.
import type { LogLevel } from '../tool/outcome.ts'
import type { CallsInWorker } from './calls-in-worker.ts'
import { LineReader } from './line-reader.ts'
import type { Child } from './supervisor.ts'
import type { WorkerSetup } from './worker.ts'

const drainMs = 200

export class WorkerOutput {
  /** The end of what was printed to standard error. */
  stderrTail = ''
  readonly #child: Child
  readonly #calls: CallsInWorker
  readonly #readers: readonly LineReader[]

  constructor(
    setup: Pick<WorkerSetup, 'child' | 'logLineBytes' | 'exitMark' | 'printsCount'>,
    calls: CallsInWorker,
  ) {
    this.#child = setup.child
    this.#calls = calls
    this.#readers = [this.#read(1, 'info', setup), this.#read(2, setup.printsCount ? 'info' : 'warn', setup)]
  }

  /** All that the process printed is heard. */
  async drained(): Promise<void> {
    await Promise.all([drained(this.#child.stdout), drained(this.#child.stderr)])
    for (const reader of this.#readers) reader.flush()
  }

  #read(
    fd: 1 | 2,
    level: LogLevel,
    { logLineBytes, exitMark }: Pick<WorkerSetup, 'logLineBytes' | 'exitMark'>,
  ): LineReader {
    const reader = new LineReader({
      maxBytes: logLineBytes + 1,
      onLine: (line) => {
        if (exitMark === undefined || !line.includes(exitMark)) this.#calls.logToAll(level, line)
      },
    })
    const stream = fd === 1 ? this.#child.stdout : this.#child.stderr
    stream.on('data', (chunk: Buffer) => {
      if (fd === 2) this.stderrTail = (this.stderrTail + chunk.toString('latin1')).slice(-4_096)
      const { onlyId } = this.#calls
      const only = onlyId === undefined ? undefined : this.#calls.get(onlyId)
      if (only?.print) only.print(fd, chunk)
      else reader.take(chunk)
    })
    return reader
  }
}

function drained(stream: Child['stdout']): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    stream.once('end', done)
    stream.once('close', done)
  })
}
