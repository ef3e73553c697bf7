// The record of every run, allow and deny. Calls are never held up: records gather during a turn of the event
// loop and go into the chain together. The store is opened by the first record.
import type { Call } from '../../kernel/call.ts'
import type { CrumbStore } from '../store.ts'
import { entryOfCall } from './entry-of-call.ts'
import type { RunEntry, RunQuery, SealedRun } from './run-record.ts'
import { type Verdict, verifyRuns } from './verify-runs.ts'

export interface RunLogOptions {
  /** Opens the store; called once something must be written or read. */
  store(): CrumbStore | Promise<CrumbStore>
  readonly params: 'shape' | 'full'
  /** Told when records could not be written; the calls themselves go on. */
  onError?(error: unknown): void
}

export class RunLog {
  readonly #options: RunLogOptions
  #waiting: RunEntry[] = []
  #flushing: Promise<void> = Promise.resolve()
  #isScheduled = false

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** Keeps the record of a finished call. */
  recordCall(call: Call): void {
    if (!call.isDryRun) this.record(entryOfCall(call, this.#options.params))
  }

  record(entry: RunEntry): void {
    this.#waiting.push(entry)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => void this.flush())
  }

  /** Resolves when everything recorded so far is stored. */
  flush(): Promise<void> {
    this.#isScheduled = false
    const entries = this.#waiting
    if (entries.length === 0) return this.#flushing
    this.#waiting = []
    this.#flushing = this.#flushing
      .then(async () => (await this.#options.store()).runs.append(entries))
      .catch((error) => this.#options.onError?.(error))
    return this.#flushing
  }

  /** Newest first. */
  async list(query: RunQuery): Promise<readonly SealedRun[]> {
    await this.flush()
    return (await this.#options.store()).runs.list(query)
  }

  async get(runId: string): Promise<SealedRun | null> {
    await this.flush()
    return (await this.#options.store()).runs.get(runId)
  }

  /** Walks the whole chain. */
  async verify(): Promise<Verdict> {
    await this.flush()
    return verifyRuns((await this.#options.store()).runs)
  }
}
