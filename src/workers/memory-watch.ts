// Watches the resident size of workers by reading /proc every 100 ms: what V8's heap flag does not count (buffers,
// threads) counts here. It notices and stops, so its label is "partial"; the fence's cgroup prevents.
import { readFileSync } from 'node:fs'
import { familyOf, processStat } from '../sandbox/process-tree.ts'

export interface Watched {
  readonly pid: number
  /** Resident bytes above which the process is ended; null until its idle size is known. */
  limitBytes(): number | null
  onOverLimit(): void
}

const everyMs = 100
const samplesInARow = 2

export class MemoryWatch {
  readonly #over = new Map<Watched, number>()
  #timer: NodeJS.Timeout | undefined

  /** False where there is nothing to read: then only the heap is held. */
  static get isPossible(): boolean {
    return processStat(process.pid) !== undefined
  }

  /** Starts watching; the returned function ends it. */
  watch(watched: Watched): () => void {
    this.#over.set(watched, 0)
    this.#timer ??= setInterval(() => this.#sample(), everyMs).unref()
    return () => {
      this.#over.delete(watched)
      if (this.#over.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #sample(): void {
    for (const [watched, before] of this.#over) {
      const limit = watched.limitBytes()
      const samples = limit !== null && residentBytes(watched.pid) > limit ? before + 1 : 0
      this.#over.set(watched, samples)
      if (samples >= samplesInARow) watched.onOverLimit()
    }
  }
}

/** Resident bytes of a process and its descendants. */
export function residentBytes(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + (processStat(each)?.residentPages ?? 0), 0) * pageBytes()
}

let page: number | undefined

/** The kernel's page size, from our own size in bytes and in pages. */
function pageBytes(): number {
  page ??=
    2 ** Math.round(Math.log2(process.memoryUsage.rss() / (processStat(process.pid)?.residentPages ?? 1)))
  return page
}

/** True while the process is held by SIGSTOP. */
export function isStopped(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text[text.lastIndexOf(')') + 2] === 'T'
  } catch {
    return false
  }
}
