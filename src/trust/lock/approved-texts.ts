// The texts that were approved, by digest, in the state folder of the crib: so that `diff` can show what changed.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { sha256 } from '../../tool/json.ts'

/** Larger files are told by their digest only. */
const maxBytes = 524_288

export class ApprovedTexts {
  readonly #folder: string

  constructor(state: string) {
    this.#folder = join(state, 'approved')
  }

  /** Keeps the files that have the approved digests now, and drops what no pin speaks of any more. */
  keep(approved: Iterable<readonly [file: string, digest: string]>): void {
    makeFolder(this.#folder, 0o700)
    const wanted = new Set<string>()
    for (const [file, digest] of approved) {
      wanted.add(digest)
      const kept = join(this.#folder, digest)
      const stat = statSync(file, { throwIfNoEntry: false })
      if (existsSync(kept) || !stat?.isFile() || stat.size > maxBytes) continue
      const bytes = readFileSync(file)
      if (sha256(bytes) === digest) writeAtomic(kept, bytes, 0o600)
    }
    for (const name of readdirSync(this.#folder))
      if (!wanted.has(name)) rmSync(join(this.#folder, name), { force: true })
  }

  /** The bytes of a digest; undefined when they are not kept, or are not those any more. */
  read(digest: string): Buffer | undefined {
    try {
      const bytes = readFileSync(join(this.#folder, digest))
      return sha256(bytes) === digest ? bytes : undefined
    } catch {
      return undefined
    }
  }
}
