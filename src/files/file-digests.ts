// SHA-256 of files, read again only when something about the file changed. The change time is part of the stamp: a
// program can set a file's size and modification time back, but not that one.
import { readFileSync } from 'node:fs'
import { sha256 } from '../tool/json.ts'
import { statIfThere } from './stat-if-there.ts'

/** Path → stamp and digest, as it is kept on disk. */
export type KnownDigests = readonly (readonly [string, string, string])[]

/** A file written a moment ago may be written again within one tick of the clock and keep its stamp. */
const settleMs = 100

export class FileDigests {
  readonly #known = new Map<string, { readonly stamp: string; readonly digest: string }>()
  /** True once a digest was made that an earlier run had not made. */
  hasNew = false

  constructor(known: KnownDigests = []) {
    for (const [file, stamp, digest] of known) this.#known.set(file, { stamp, digest })
  }

  /** The digest of a file's bytes; null when it cannot be read. */
  of(file: string): string | null {
    const stat = statIfThere(file)
    if (!stat?.isFile()) return null
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`
    const known = this.#known.get(file)
    if (known?.stamp === stamp) return known.digest
    try {
      const digest = sha256(readFileSync(file))
      if (Date.now() - Math.max(stat.ctimeMs, stat.mtimeMs) > settleMs) {
        this.#known.set(file, { stamp, digest })
        this.hasNew = true
      } else this.#known.delete(file)
      return digest
    } catch {
      return null
    }
  }

  get all(): KnownDigests {
    return [...this.#known].map(([file, { stamp, digest }]) => [file, stamp, digest])
  }
}

const programs = new FileDigests()

/** The digest of a program; programs are large and rarely change, so all cribs of a process share them. */
export function programDigest(file: string): string | null {
  return programs.of(file)
}
