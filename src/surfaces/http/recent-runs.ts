// Runs that belong to the server (`Prefer: respond-async`) and have ended: kept whole for a while, because whoever asked
// for one fetches its result later, and the record may hold only the shape of it.
import type { RunDetail } from '../../runs/run-history.ts'

const keptMs = 15 * 60_000
const mostRuns = 200
const mostCharacters = 64 * 1024 * 1024

interface Kept {
  readonly run: RunDetail
  readonly size: number
  readonly at: number
}

export class RecentRuns {
  readonly #kept = new Map<string, Kept>()
  #size = 0

  /** `size`: characters of its outcome. The oldest go when there is no room. */
  add(run: RunDetail, size: number): void {
    this.#kept.set(run.runId, { run, size, at: Date.now() })
    this.#size += size
    for (const [id, { at }] of this.#kept) {
      const isFull = this.#kept.size > mostRuns || this.#size > mostCharacters
      if (!isFull && Date.now() - at < keptMs) break
      this.#remove(id)
    }
  }

  find(runId: string): RunDetail | undefined {
    const kept = this.#kept.get(runId)
    if (kept && Date.now() - kept.at >= keptMs) this.#remove(runId)
    return this.#kept.get(runId)?.run
  }

  #remove(id: string): void {
    this.#size -= this.#kept.get(id)!.size
    this.#kept.delete(id)
  }
}
