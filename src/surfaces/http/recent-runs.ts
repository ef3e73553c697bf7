// Runs that belong to the server (`Prefer: respond-async`) and have ended: kept whole for a while, because whoever asked
// for one fetches its result later, and the record may hold only the shape of it.
import type { RunDetail } from '../../runs/run-history.ts'

const keptMs = 15 * 60_000
const maxKept = { runs: 200, characters: 64 * 1024 * 1024 }
/** One caller must not push out what others have not fetched yet (G22). */
const maxOfCaller = { runs: 50, characters: 32 * 1024 * 1024 }

interface Kept {
  readonly run: RunDetail
  readonly size: number
  readonly at: number
}

export class RecentRuns {
  readonly #kept = new Map<string, Kept>()

  /** `size`: characters of its outcome. The oldest go when there is no room: of its caller, then of all. */
  add(run: RunDetail, size: number): void {
    this.#kept.set(run.runId, { run, size, at: Date.now() })
    for (const [id, { at }] of this.#kept) if (Date.now() - at >= keptMs) this.#kept.delete(id)
    this.#makeRoom(maxOfCaller, (kept) => kept.run.caller === run.caller)
    this.#makeRoom(maxKept, () => true)
  }

  find(runId: string): RunDetail | undefined {
    const kept = this.#kept.get(runId)
    if (kept && Date.now() - kept.at >= keptMs) this.#kept.delete(runId)
    return this.#kept.get(runId)?.run
  }

  #makeRoom(most: typeof maxKept, isCounted: (kept: Kept) => boolean): void {
    const counted = [...this.#kept].filter(([, kept]) => isCounted(kept))
    let characters = counted.reduce((sum, [, { size }]) => sum + size, 0)
    for (const [index, [id, { size }]] of counted.entries()) {
      if (counted.length - index <= most.runs && characters <= most.characters) return
      this.#kept.delete(id)
      characters -= size
    }
  }
}
