// The change set of a run, read from its layer when it has ended (E6). What is read is what changed, however large
// the project is.
import { closeSync, lstatSync, type Stats } from 'node:fs'
import { posix } from 'node:path'
import { lstatBelow, namesBelow } from '../../files/look-below.ts'
import { inSameFolders } from '../../files/open-below.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type Change, type ChangeSet, type EntryState, isOfFolder, isSameState } from './change-set.ts'
import { type Contents, describeChange } from './describe-change.ts'
import { maxTextBytes, openFile, piecesOf, stampOf, stateOf } from './entry-state.ts'
import { isClockBack, type Layer, type LayerNotes, readNotes } from './layer.ts'
import { isWhiteout, type LowerView, lowerView } from './lower-view.ts'

/** How much one run may change (`effects.files`, `effects.bytes`). */
export interface ChangeLimits {
  readonly files: number
  readonly bytes: number
}

export const defaultLimits: ChangeLimits = { files: 10_000, bytes: 1024 ** 3 }

/** What changed this moment is never so far ahead. */
const aheadMs = 1_000

/** What earlier steps of a run left at paths; null: nothing is there (E13). */
export type KnownStates = ReadonlyMap<string, EntryState | null>

/** Throws when the layer is gone, or its run was stopped before its end. What is `known` and no other now is no change. */
export function readChanges(
  layer: Layer,
  limits: ChangeLimits = defaultLimits,
  known: KnownStates = new Map(),
): ChangeSet {
  const reading = new Reading(layer, limits, known)
  inSameFolders(() => reading.folder('', undefined))
  const changes = withMoves(reading.changes)
  return reading.exceeded ? { changes, exceeded: reading.exceeded } : { changes }
}

/** The contents of both sides while the layer is there. */
export function layerContents(layer: Pick<Layer, 'lower' | 'upper' | 'below'>): Contents {
  const lower = lowerView(layer)
  return {
    before: ({ path, from, before }) => bytesBelow(lower.folderOf(from ?? path), from ?? path, before),
    after: ({ path, after }) => bytesBelow(layer.upper, path, after),
  }
}

function bytesBelow(folder: string, path: string, state: EntryState | undefined): Buffer | undefined {
  if (state?.type !== 'file' || state.size > maxTextBytes) return undefined
  const descriptor = openFile(folder, path)
  try {
    return Buffer.concat([...piecesOf(descriptor)])
  } finally {
    closeSync(descriptor)
  }
}

class Reading {
  readonly changes: Change[] = []
  exceeded: ChangeSet['exceeded']
  readonly #layer: Layer
  readonly #limits: ChangeLimits
  readonly #known: KnownStates
  readonly #lower: LowerView
  readonly #notes: LayerNotes
  readonly #contents: Contents
  readonly #isClockBack: boolean
  #bytes = 0
  /** Each has the limit for itself: a person who allows so many files thinks of no folders. */
  readonly #counts = { files: 0, folders: 0 }

  constructor(layer: Layer, limits: ChangeLimits, known: KnownStates) {
    this.#layer = layer
    this.#limits = limits
    this.#known = known
    this.#lower = lowerView(layer)
    this.#notes = readNotes(layer)
    this.#contents = layerContents(layer)
    this.#isClockBack = isClockBack(layer)
  }

  /** A folder of the layer; `low`: what the project has there. */
  folder(path: string, low: Stats | undefined): void {
    const names = this.#namesIn(path)
    for (const name of names) {
      if (this.exceeded) return
      this.#entry(path === '' ? name : `${path}/${name}`)
    }
    // What is in a folder that an earlier step emptied came there later, by others.
    const isEmptied = this.#notes.opaque.has(path) && !this.#known.has(path)
    if (low?.isDirectory() && isEmptied) this.#removeRest(path, new Set(names))
  }

  #namesIn(path: string): string[] {
    try {
      return namesBelow(this.#layer.upper, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
      throw new ToolError(
        'CAPABILITY_DENIED',
        `The run locked its folder ${path}: what it wrote there cannot be read.`,
        {
          hint: 'Let it leave its owner the right to read its folders (chmod u+rwx).',
        },
      )
    }
  }

  #entry(path: string): void {
    const { upper } = this.#layer
    const up = lstatBelow(upper, path)
    const low = this.#lower.lstat(path)
    // Gone since its name was read: the run may still be under way (E13).
    if (!up) return
    if (isWhiteout(up)) {
      if (low && this.#known.get(path) !== null) this.#removed(path, low)
      return
    }
    if (low?.isDirectory() && !up.isDirectory()) this.#removeRest(path, new Set())
    if (up.isFile()) this.#bytes += up.size
    if (this.#bytes > this.#limits.bytes) {
      this.exceeded = 'bytes'
      return
    }
    let bytes: Buffer | undefined
    const after = stateOf(upper, path, up, (whole) => {
      bytes = whole
    })
    this.#add(path, low, after, bytes)
    if (up.isDirectory()) this.folder(path, low)
  }

  #removed(path: string, low: Stats): void {
    if (low.isDirectory()) this.#removeRest(path, new Set())
    this.#add(path, low, undefined)
  }

  /** What the project has in a folder and the run has not. */
  #removeRest(path: string, kept: ReadonlySet<string>): void {
    for (const name of this.#lower.names(path)) {
      if (this.exceeded) return
      const low = kept.has(name) ? undefined : this.#lower.lstat(`${path}/${name}`)
      if (low) this.#removed(`${path}/${name}`, low)
    }
  }

  /** `fresh`: the bytes of the new file, where they were read in one piece. */
  #add(path: string, low: Stats | undefined, after: EntryState | undefined, fresh?: Buffer): void {
    if (this.exceeded) return
    const known = this.#known.get(path)
    if (known !== undefined && isSameState(known ?? undefined, after)) return
    let old: Buffer | undefined
    const readLow = () =>
      low &&
      stateOf(this.#lower.folderOf(path), path, low, (whole) => {
        old = whole
      })
    const before = known === undefined ? readLow() : (known ?? undefined)
    const isReplaced = low !== undefined && before?.type === 'file' && before.stamp !== stampOf(low)
    const isStale = known === undefined && (isReplaced || this.#isStale(path, low, after))
    const change = describeChange(
      { path, before, after, isStale },
      {
        before: (one) => old ?? this.#contents.before(one),
        after: (one) => fresh ?? this.#contents.after(one),
      },
    )
    if (!change) return
    const kind = isOfFolder(change) ? 'folders' : 'files'
    this.#counts[kind] += 1
    if (this.#counts[kind] > this.#limits.files) this.exceeded = 'files'
    else this.changes.push(change)
  }

  #isStale(path: string, low: Stats | undefined, after: EntryState | undefined): boolean {
    return low
      ? !low.isDirectory() && this.#isChanged(low)
      : after !== undefined && this.#notes.copied.has(path) && this.#isTouched(path)
  }

  /**
   * Whether it changed since the layer was made. Where the clock was set back since, everything may have. A time that is
   * still to come is from before the clock was set back, where the layer has the same clock.
   */
  #isChanged({ ctimeMs, dev }: Stats): boolean {
    if (ctimeMs <= this.#layer.madeAtMs) return this.#isClockBack
    const isToCome = ctimeMs > Date.now() + aheadMs && !this.#isClockBack && this.#layer.clockMs !== undefined
    return !(isToCome && dev === lstatSync(this.#layer.folder).dev)
  }

  /** Whether names came or went in the project's folder of a path since the layer was made. */
  #isTouched(path: string): boolean {
    const parent = posix.dirname(path)
    const folder = this.#lower.lstat(parent)
    if (folder) return this.#isChanged(folder)
    // A folder that the run made itself was never the project's: the file was moved or linked into it.
    return this.#notes.copied.has(parent)
  }
}

/**
 * Finds what only moved: the same content, one gone and one new; of several, the one that kept its name. Empty files are
 * all the same: only one alone is known to have moved.
 */
function withMoves(changes: readonly Change[]): Change[] {
  const empty = (wanted: Change['kind']) =>
    changes.filter(({ kind, before, after }) => kind === wanted && (after ?? before)?.size === 0)
  const isOneAlone = empty('deleted').length === 1 && empty('created').length === 1
  const gone = new Map<string, Change[]>()
  for (const change of changes) {
    const { kind, before } = change
    const content = contentOf(before)
    if (kind !== 'deleted' || content === undefined || (before!.size === 0 && !isOneAlone)) continue
    gone.set(content, [...(gone.get(content) ?? []), change])
  }
  const sources = new Set<Change>()
  const moved = changes.map((change): Change => {
    const { path, before, after } = change
    const content = before ? undefined : contentOf(after)
    const candidates = (content !== undefined && gone.get(content)) || []
    const free = candidates.filter((candidate) => !sources.has(candidate))
    const source = free.find((candidate) => nameOf(candidate.path) === nameOf(path)) ?? free[0]
    if (!source) return change
    sources.add(source)
    const { isStale: _, ...own } = change
    const isStale = source.isStale && { isStale: true }
    return {
      ...own,
      kind: 'moved',
      from: source.path,
      before: source.before!,
      added: 0,
      removed: 0,
      ...isStale,
    }
  })
  return moved.filter((_, index) => !sources.has(changes[index]!))
}

/** What tells one file, or one link, from another. */
function contentOf({ sha256, target }: Partial<EntryState> = {}): string | undefined {
  return sha256 ?? (target === undefined ? undefined : `to ${target}`)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
