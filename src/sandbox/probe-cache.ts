// Remembers what a probe found, in this process and on disk. An answer counts only for the same kernel and
// user; a cache that cannot be read or written is as good as none.
import { mkdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { dirname } from 'node:path'
import { writeAtomic } from '../files/write-atomic.ts'

/** Older answers are of other kernels, users and programs. */
const maxEntries = 8

const inProcess = new Map<string, unknown>()

export class ProbeCache {
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
  }

  get(key: string): unknown {
    const full = fullKey(key)
    if (!inProcess.has(full)) {
      const stored = this.#read()
      if (stored && full in stored) inProcess.set(full, stored[full])
    }
    return inProcess.get(full)
  }

  set(key: string, value: unknown): void {
    inProcess.set(fullKey(key), value)
    if (this.#file === undefined) return
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      const kept = Object.entries(this.#read() ?? {}).slice(1 - maxEntries)
      const entries = Object.fromEntries([...kept, [fullKey(key), value]])
      writeAtomic(this.#file, JSON.stringify(entries), 0o600, { isDurable: false })
    } catch {
      // A read-only or full disk: probed again next time.
    }
  }

  #read(): Record<string, unknown> | undefined {
    if (this.#file === undefined) return undefined
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, unknown>
    } catch {
      return undefined
    }
  }
}

function fullKey(key: string): string {
  return `${key} ${release()} uid ${process.getuid?.() ?? ''}`
}
