// What files held before they were changed, compressed, by digest, in the user's state folder (E15). Texts are kept
// as they were after a change too: they are the base of a merge, and a difference can be shown later.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { sha256 } from '../../tool/json.ts'
import { recentName } from './bases.ts'
import { type Disk, realDisk, writeNew } from './disk.ts'

/** What is kept (`effects.keep`). */
export interface ImageBudget {
  readonly days: number
  readonly bytes: number
}

const defaultBudget: ImageBudget = { days: 14, bytes: 2 * 1024 ** 3 }

const dayMs = 86_400_000
const emptyDigest = sha256('')
/** The largest piece that is written; a longer one on the disk is damage. */
const maxPieceBytes = 2 * 1024 * 1024
const maxSoonBytes = 16 * 1024 * 1024

export class Images {
  readonly folder: string
  readonly #disk: Disk
  /** What is read from here until it is on the disk. */
  readonly #soon = new Map<string, Buffer>()
  #soonBytes = 0

  constructor(folder: string, disk: Disk = realDisk) {
    this.folder = folder
    this.#disk = disk
  }

  has(digest: string): boolean {
    return this.#soon.has(digest) || this.#isOnDisk(digest)
  }

  #isOnDisk(digest: string): boolean {
    const stat = statSync(this.#path(digest), { throwIfNoEntry: false })
    // What was not flushed before the power failed is there and empty.
    return stat !== undefined && (stat.size > 0 || digest === emptyDigest)
  }

  /** Keeps the bytes with this digest; gives the file to flush. */
  put(digest: string, pieces: Iterable<Uint8Array>): string {
    const path = this.#path(digest)
    if (this.#isOnDisk(digest)) {
      const now = new Date()
      utimesSync(path, now, now)
      return path
    }
    const unfinished = join(this.folder, `new-${randomUUID()}`)
    this.#inFolder(this.folder, () => writeNew(this.#disk, unfinished, packed(pieces)))
    this.#inFolder(dirname(path), () => this.#disk.renameSync(unfinished, path))
    return path
  }

  /** Keeps bytes that nobody waits for: they go to the disk with `putSoon`, or at once where they are many. */
  keepSoon(digest: string, pieces: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(pieces)
    if (this.#soonBytes + bytes.length > maxSoonBytes) {
      this.put(digest, [bytes])
      return
    }
    this.#soon.set(digest, bytes)
    this.#soonBytes += bytes.length
  }

  putSoon(): void {
    try {
      for (const [digest, bytes] of this.#soon) this.put(digest, [bytes])
    } catch {
      // A full disk: it costs a merge or a picture later.
    }
    this.#soon.clear()
    this.#soonBytes = 0
  }

  /** The folders are nearly always there. */
  #inFolder(folder: string, act: () => void): void {
    try {
      act()
    } catch (error) {
      // What is written may itself be gone.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(folder)) throw error
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      act()
    }
  }

  /** Forgets one that is damaged. */
  drop(digest: string): void {
    rmSync(this.#path(digest), { force: true })
  }

  /** The bytes with this digest; undefined when they are gone or damaged. */
  read(digest: string): Buffer | undefined {
    try {
      const bytes = Buffer.concat([...this.pieces(digest)])
      return sha256(bytes) === digest ? bytes : undefined
    } catch {
      return undefined
    }
  }

  /** The same piece by piece, for large files. Throws when they are gone. */
  *pieces(digest: string): Generator<Buffer> {
    const soon = this.#soon.get(digest)
    if (soon) return yield soon
    const descriptor = openSync(this.#path(digest), 'r')
    try {
      for (;;) {
        const head = readBytes(descriptor, 4)
        if (head.length === 0) return
        const length = head.readUInt32LE()
        if (length > maxPieceBytes) throw new Error(`The image ${digest} is damaged.`)
        yield inflateRawSync(readBytes(descriptor, length))
      }
    } finally {
      closeSync(descriptor)
    }
  }

  /** Forgets what is too old or too much, oldest first; gives how many went. */
  prune(budget: ImageBudget = defaultBudget, now: number = Date.now()): number {
    const kept = listImages(this.folder).sort((one, other) => other.usedAtMs - one.usedAtMs)
    let total = 0
    const gone = kept.filter(({ usedAtMs, bytes }) => {
      total += bytes
      return total > budget.bytes || now - usedAtMs > budget.days * dayMs
    })
    for (const { path } of gone) rmSync(path, { force: true })
    return gone.length
  }

  #path(digest: string): string {
    return join(this.folder, digest.slice(0, 2), digest.slice(2))
  }
}

/** Each piece compressed, after its length. */
function* packed(pieces: Iterable<Uint8Array>): Generator<Buffer> {
  for (const piece of pieces) {
    const small = deflateRawSync(piece, { level: 1, windowBits: piece.length < 8_192 ? 12 : 15 })
    const head = Buffer.alloc(4)
    head.writeUInt32LE(small.length)
    yield Buffer.concat([head, small])
  }
}

function readBytes(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let have = 0
  while (have < length) {
    const got = readSync(descriptor, bytes, have, length - have, null)
    if (got === 0) break
    have += got
  }
  return bytes.subarray(0, have)
}

function listImages(folder: string): { path: string; usedAtMs: number; bytes: number }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    const isLog = name === recentName || name === `${recentName}.old`
    return stat?.isFile() && !isLog ? [{ path, usedAtMs: stat.mtimeMs, bytes: stat.size }] : []
  })
}
