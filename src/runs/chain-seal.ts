// The seal of the audit chain (G20): how far it reached and with which hash, with a MAC by a key that is not in the
// store. Whoever cuts or rewrites the end of the chain cannot make the seal fit it.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import type { CrumbStore } from '../store/store.ts'
import { isPlainObject } from '../tool/json.ts'

/** It lies among the cursors, which every version of the store has. */
const cursorName = 'runs:seal'

interface Seal {
  readonly count: number
  readonly hash: string
  readonly mac: string
}

type Parts = Pick<CrumbStore, 'runs' | 'cursors'>

export interface ChainSealOptions {
  /** Throws where there is none. */
  key(): Buffer
  /** A file outside the store that remembers how far the chain was sealed: a store put back to an older state is found. */
  readonly memory: string
}

export class ChainSeal {
  readonly #options: ChainSealOptions
  #remembered = 0

  constructor(options: ChainSealOptions) {
    this.#options = options
  }

  /** Seals the chain as it stands, unless it no longer fits the seal before: then that one stays, to be found. */
  async seal(store: Parts): Promise<void> {
    const { count, hash } = await store.runs.head()
    if (count === 0 || (await this.fault(store)) !== null) return
    const mac = macOf(this.#options.key(), count, hash)
    await store.cursors.set(cursorName, { position: count, working: 0, attempts: 0, note: { hash, mac } })
    await this.#remember(count)
  }

  /** What is wrong with the chain by its seal; null when nothing is, or when it was never sealed. */
  async fault(store: Parts): Promise<{ readonly seq: number; readonly reason: string } | null> {
    const [seal, head] = [await readSeal(store), await store.runs.head()]
    const known = this.#recall()
    if (head.count < known) return missingAtEnd(head.count, known)
    if (seal === null) return known > 0 ? { seq: head.count, reason: 'its seal was taken away' } : null
    const { count, hash, mac } = seal
    if (!isEqual(mac, macOf(this.#options.key(), count, hash)))
      return { seq: count, reason: 'its seal was not made with the key of this user' }
    if (head.count < count) return missingAtEnd(head.count, count)
    const base = await store.runs.base()
    const sealed = base.count === count ? base.hash : (await store.runs.read(count, 1))[0]?.hash
    if (sealed === hash) return null
    return { seq: count, reason: 'the end of the chain was written anew after it was sealed' }
  }

  /** Not in one go: a busy disk would hold up calls. */
  async #remember(count: number): Promise<void> {
    if (count <= this.#recall()) return
    makeFolder(dirname(this.#options.memory), 0o700)
    const draft = `${this.#options.memory}.${randomUUID()}`
    await writeFile(draft, `${JSON.stringify({ count })}\n`, { mode: 0o600 })
    await rename(draft, this.#options.memory)
    this.#remembered = Math.max(this.#remembered, count)
  }

  /** Others seal too, so the file is read each time. */
  #recall(): number {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#options.memory, 'utf8'))
      const count = isPlainObject(kept) ? Number(kept['count']) : 0
      this.#remembered = Math.max(this.#remembered, Number.isSafeInteger(count) ? count : 0)
    } catch {
      // It was never written, or is gone: what this process knows counts.
    }
    return this.#remembered
  }
}

function missingAtEnd(last: number, expected: number): { readonly seq: number; readonly reason: string } {
  return { seq: last + 1, reason: `${expected - last} records are missing at the end, by its seal` }
}

async function readSeal({ cursors }: Parts): Promise<Seal | null> {
  const kept = await cursors.get(cursorName)
  if (!kept) return null
  const { hash, mac } = isPlainObject(kept.note) ? kept.note : {}
  return { count: kept.position, hash: String(hash), mac: String(mac) }
}

function macOf(key: Buffer, count: number, hash: string): string {
  return createHmac('sha256', key).update(`toolcrib audit chain\n${count}\n${hash}`).digest('hex')
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
