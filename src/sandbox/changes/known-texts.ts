// The texts of a project as they were when calls began, in memory (E12). Whoever edits one before a call touches it takes
// away what both began with; it is found here. How much is read has bounds, so in a large project not every text is known.
import { closeSync, constants, fstatSync, lstatSync, opendirSync, readSync, type Stats } from 'node:fs'
import { posix } from 'node:path'
import { lstatBelow } from '../../files/look-below.ts'
import { inFolderBelow, inSameFolders, openBelow } from '../../files/open-below.ts'
import { textOfName } from '../../files/path-bytes.ts'
import { sha256 } from '../../tool/json.ts'
import { noteBase } from './bases.ts'
import { type ChangeSet, transitionsOf } from './change-set.ts'
import { isText, stampOf } from './entry-state.ts'
import type { Images } from './images.ts'
import { isClockBack, type Layer } from './layer.ts'

/** One step keeps others waiting no longer than it takes to look at so many entries. */
const entriesOfStep = 100
const maxEntries = 1_000
const maxTextBytes = 256 * 1024
const maxBytes = 8 * 1024 * 1024
/** Whose files nobody edits by hand. */
const leftOut = /^(?:\..*|node_modules|__pycache__)$/

/** What a path held from one time until another. */
interface KnownText {
  readonly bytes: Buffer
  readonly stamp: string
  readonly sinceMs: number
  readonly untilMs: number
}

/** A file that was looked at. */
interface Seen {
  readonly lower: string
  readonly path: string
  readonly stat: Stats
  /** The last change of a folder that it lies in. */
  readonly folderMs: number
  readonly untilMs: number
}

/** A whole text, with its state when it was read. */
export interface ReadText {
  readonly stat: Stats
  readonly bytes: Buffer
}

export class KnownTexts {
  readonly #images: Images
  /** The one that was looked at last stands last. */
  readonly #texts = new Map<string, KnownText>()
  #bytes = 0

  constructor(images: Images) {
    this.#images = images
  }

  /** Looks at the project below a layer, the upper folders first, a step for each `next()`. */
  *look({ lower, folder }: Pick<Layer, 'lower' | 'folder'>): Generator<void> {
    const { dev } = lstatSync(folder)
    const folders = [{ path: '', sinceMs: 0 }]
    let entries = 0
    let ofStep = 0
    for (const { path, sinceMs } of folders) {
      const stat = path === '' ? lstatSync(lower) : lstatBelow(lower, path)
      // Times of two clocks cannot be compared.
      if (!stat?.isDirectory() || stat.dev !== dev) continue
      const changedMs = Math.max(sinceMs, stat.ctimeMs)
      const names = firstNames(lower, path).filter((name) => !leftOut.test(name))
      for (let at = 0; at < names.length; at += entriesOfStep) {
        if (entries >= maxEntries) return
        const some = names.slice(at, at + entriesOfStep).map((name) => posix.join(path, name))
        entries += some.length
        ofStep += some.length
        const found = inSameFolders(() => some.filter((entry) => this.#entry(lower, entry, changedMs)))
        folders.push(...found.map((entry) => ({ path: entry, sinceMs: changedMs })))
        if (ofStep < entriesOfStep) continue
        ofStep = 0
        yield
      }
    }
  }

  /** Whether it is a folder. */
  #entry(lower: string, path: string, folderMs: number): boolean {
    const untilMs = Date.now()
    const stat = lstatBelow(lower, path)
    if (stat?.isFile() && stat.size <= maxTextBytes) this.#file({ lower, path, stat, folderMs, untilMs })
    return stat?.isDirectory() ?? false
  }

  #file({ lower, path, stat, folderMs, untilMs }: Seen): void {
    const known = this.#texts.get(path)
    const sinceMs = Math.max(folderMs, stat.ctimeMs)
    if (known?.stamp === stampOf(stat)) {
      const isWhole = sinceMs <= known.untilMs
      this.#keep(path, { ...known, sinceMs: isWhole ? Math.min(known.sinceMs, sinceMs) : sinceMs, untilMs })
      return
    }
    const read = readText(lower, path, maxTextBytes)
    if (read && isText(read.bytes) && stampOf(read.stat) === stampOf(stat))
      this.#keep(path, { bytes: read.bytes, stamp: stampOf(stat), sinceMs, untilMs })
  }

  #keep(path: string, text: KnownText): void {
    const known = this.#texts.get(path)
    // A call that began before may still want it.
    if (known && known.stamp !== text.stamp) this.#note(path, known)
    this.#forget(path)
    this.#texts.set(path, text)
    this.#bytes += text.bytes.length
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= maxBytes) break
      this.#forget(oldest)
    }
  }

  #forget(path: string): void {
    this.#bytes -= this.#texts.get(path)?.bytes.length ?? 0
    this.#texts.delete(path)
  }

  /** Writes down what the paths held that somebody else changed while the call of a layer was under way. */
  noteStale({ changes }: ChangeSet, layer: Layer): void {
    if (isClockBack(layer)) return
    for (const { path, isStale } of changes.flatMap(transitionsOf)) {
      const known = isStale ? this.#texts.get(path) : undefined
      if (known && known.sinceMs < layer.madeAtMs) this.#note(path, known)
    }
  }

  #note(path: string, { bytes, sinceMs, untilMs }: KnownText): void {
    try {
      const digest = sha256(bytes)
      this.#images.put(digest, [bytes])
      noteBase(this.#images.folder, { path, sha256: digest, sinceMs, untilMs })
    } catch {
      // The disk is full: without a base there is a conflict.
    }
  }

  close(): void {
    this.#texts.clear()
    this.#bytes = 0
  }
}

function firstNames(folder: string, path: string): string[] {
  return inFolderBelow(folder, path, (at) => {
    const opened = opendirSync(at, { encoding: 'buffer' as BufferEncoding, bufferSize: entriesOfStep })
    const names: string[] = []
    try {
      for (let entry = opened.readSync(); entry && names.length < maxEntries; entry = opened.readSync())
        names.push(textOfName(entry.name as unknown as Buffer))
    } finally {
      opened.closeSync()
    }
    return names
  })
}

/** A file below a folder in one piece; undefined when it is too long, shut, or changes meanwhile. */
export function readText(folder: string, path: string, longest: number): ReadText | undefined {
  let descriptor: number
  try {
    descriptor = openBelow(folder, path, { flags: constants.O_RDONLY | constants.O_NONBLOCK })
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > longest) return undefined
    const bytes = Buffer.alloc(stat.size)
    const length = readSync(descriptor, bytes, 0, stat.size, 0)
    const isSame = length === stat.size && stampOf(fstatSync(descriptor)) === stampOf(stat)
    return isSame ? { stat, bytes } : undefined
  } finally {
    closeSync(descriptor)
  }
}
