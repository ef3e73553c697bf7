// What a person and a long call both began with (E12). Soon after a call has begun the project's texts are looked at, and
// while it runs those below the files that it has changed so far are kept, so that what somebody else writes to them before
// its end can be merged. A text counts only while nobody has changed it since the call's layer was made: it is then what
// the call has read, whenever that was.
import { lstatSync, type Stats } from 'node:fs'
import { posix } from 'node:path'
import { lstatBelow, namesBelow } from '../../files/look-below.ts'
import { noteBase } from './bases.ts'
import type { ChangeSet } from './change-set.ts'
import { stateOfBytes } from './entry-state.ts'
import type { Images } from './images.ts'
import { KnownTexts, readText } from './known-texts.ts'
import { isClockBack, type Layer } from './layer.ts'

/** Most calls have ended by then. */
const soonMs = 40
/** Between two looks at the project's texts: many calls after each other shall not cost one each. */
const pauseMs = 500
/** A call is looked at when it has run for one to two times this long, and then each time. */
const everyMs = 250
/** What one look may cost; the next goes on where it ended. */
const maxEntries = 500
const maxBytes = 2 * 1024 * 1024
const maxTextBytes = 1024 * 1024

/** What writes to a layer. */
export interface OnLayer {
  /** The layer, while the call is under way. */
  readonly standsOn: Layer | undefined
}

interface Watched {
  readonly call: OnLayer
  isFresh: boolean
  /** The project's texts were looked at since it began, or are just now. */
  isKnown: boolean
  /** Paths that were looked at. */
  readonly seen: Set<string>
}

export class EarlyBases {
  readonly #images: Images
  readonly #watched = new Map<OnLayer, Watched>()
  readonly #texts: KnownTexts
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #lookedAtMs = -pauseMs

  constructor(images: Images) {
    this.#images = images
    this.#texts = new KnownTexts(images)
  }

  /** Looks at the layer of a call again and again until it is forgotten. */
  watch(call: OnLayer): void {
    if (this.#watched.has(call)) return
    this.#watched.set(call, { call, isFresh: true, isKnown: false, seen: new Set() })
    if (!this.#soon) this.#lookSoon()
    this.#timer ??= setInterval(() => this.#lookAtAll(), everyMs).unref()
  }

  forget(call: OnLayer): void {
    this.#watched.delete(call)
  }

  /** The call has ended: what others changed meanwhile is written down as it was, as far as it is known. */
  noteStale(set: ChangeSet, layer: Layer): void {
    this.#texts.noteStale(set, layer)
  }

  close(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#watched.clear()
    this.#texts.close()
  }

  #lookSoon(): void {
    const pause = this.#lookedAtMs + pauseMs - performance.now()
    this.#soon = setTimeout(() => this.#lookAtTexts(), Math.max(soonMs, pause)).unref()
  }

  /** One look serves all calls that are under way. */
  #lookAtTexts(): void {
    const waiting = [...this.#watched.values()].filter(({ isKnown }) => !isKnown)
    const layer = waiting.map(({ call }) => call.standsOn).find((one) => one !== undefined)
    for (const watched of waiting) watched.isKnown = watched.call.standsOn !== undefined
    if (layer) this.#goOn(this.#texts.look(layer))
    else this.#soon = undefined
  }

  #goOn(look: Generator<void>): void {
    let isDone: boolean | undefined = true
    try {
      isDone = look.next().done
    } catch {
      // A folder is shut or went away: what was not looked at is not known.
    }
    this.#lookedAtMs = performance.now()
    this.#soon = isDone || this.#watched.size === 0 ? undefined : setTimeout(() => this.#goOn(look)).unref()
    if (!this.#soon && [...this.#watched.values()].some(({ isKnown }) => !isKnown)) this.#lookSoon()
  }

  #lookAtAll(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const watching = [...this.#watched.values()]
    if (!this.#soon && watching.some(({ isKnown }) => !isKnown)) this.#lookSoon()
    for (const watched of watching) {
      const layer = watched.isFresh ? undefined : watched.call.standsOn
      watched.isFresh = false
      if (layer) keepBases(layer, watched.seen, this.#images)
    }
  }
}

/** Keeps what the project has at paths that the layer has changed and that were not `seen` before. */
export function keepBases(layer: Layer, seen: Set<string>, images: Images): void {
  if (isClockBack(layer)) return
  try {
    const { dev } = lstatSync(layer.folder)
    new Look(layer, seen, images).folder('', { stat: lstatSync(layer.lower), dev })
  } catch {
    // The layer is gone or its folders are shut, or the disk is full: without a base there is a conflict, as before.
  }
}

/** The project's own folder at a path of the layer. */
interface Lower {
  readonly stat: Stats
  /** The file system whose clock is the layer's. */
  readonly dev: number
}

class Look {
  readonly #layer: Layer
  readonly #seen: Set<string>
  readonly #images: Images
  #entries = maxEntries
  #bytes = maxBytes

  constructor(layer: Layer, seen: Set<string>, images: Images) {
    this.#layer = layer
    this.#seen = seen
    this.#images = images
  }

  /** Whoever exchanges a folder changes its time, and with it what its path leads to: what is below counts no more. */
  folder(path: string, { stat, dev }: Lower, sinceMs = 0): void {
    const changedMs = Math.max(sinceMs, stat.ctimeMs)
    if (!this.#isOlder(stat, changedMs, dev)) return
    for (const name of namesBelow(this.#layer.upper, path)) {
      if (this.#entries <= 0 || this.#bytes <= 0) return
      this.#entries -= 1
      this.#entry(path === '' ? name : posix.join(path, name), dev, changedMs)
    }
  }

  #entry(path: string, dev: number, sinceMs: number): void {
    if (this.#seen.has(path)) return
    const [up, low] = [lstatBelow(this.#layer.upper, path), lstatBelow(this.#layer.lower, path)]
    if (up?.isDirectory() && low?.isDirectory()) return this.folder(path, { stat: low, dev }, sinceMs)
    this.#seen.add(path)
    if (up?.isFile() && low?.isFile() && low.size <= maxTextBytes) this.#keep(path, dev, sinceMs)
  }

  #keep(path: string, dev: number, folderMs: number): void {
    const untilMs = Date.now()
    const read = readText(this.#layer.lower, path, maxTextBytes)
    if (!read) return
    const { stat, bytes } = read
    this.#bytes -= bytes.length
    const sinceMs = Math.max(folderMs, stat.ctimeMs)
    const state = stateOfBytes(bytes, stat.mode & 0o7777)
    if (state.lines === undefined || !this.#isOlder(stat, sinceMs, dev)) return
    this.#images.put(state.sha256!, [bytes])
    noteBase(this.#images.folder, { path, sha256: state.sha256!, sinceMs, untilMs })
  }

  /** Times of two clocks cannot be compared, nor what happened within one tick. */
  #isOlder(stat: Stats, changedMs: number, dev: number): boolean {
    return stat.dev === dev && changedMs < this.#layer.madeAtMs
  }
}
