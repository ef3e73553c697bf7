// What a run found below its layer: the project, or the project with what a held run around it has changed (E13).
import type { Stats } from 'node:fs'
import { posix } from 'node:path'
import { lstatBelow, namesBelow } from '../../files/look-below.ts'
import { type Layer, readNotes } from './layer.ts'

export interface LowerView {
  lstat(path: string): Stats | undefined
  /** The names in a folder, sorted. */
  names(path: string): string[]
  /** The folder of the host that holds the entry at a path. */
  folderOf(path: string): string
}

export function lowerView({ lower, below }: Pick<Layer, 'lower' | 'below'>): LowerView {
  if (below) return new MergedView(below)
  return {
    lstat: (path) => lstatBelow(lower, path),
    names: (path) => namesBelow(lower, path),
    folderOf: () => lower,
  }
}

/** The same as the kernel shows it: of a path in both, that of the layer; a folder in both is one. */
class MergedView implements LowerView {
  readonly #layer: Layer
  readonly #opaque: ReadonlySet<string>

  constructor(layer: Layer) {
    this.#layer = layer
    this.#opaque = readNotes(layer).opaque
  }

  lstat(path: string): Stats | undefined {
    const { upper, lower } = this.#layer
    const up = lstatBelow(upper, path)
    if (up) return isWhiteout(up) ? undefined : up
    return this.#showsLower(posix.dirname(path)) ? lstatBelow(lower, path) : undefined
  }

  names(path: string): string[] {
    const { upper, lower } = this.#layer
    const own = lstatBelow(upper, path || '.')?.isDirectory() ? namesBelow(upper, path) : []
    const below = this.#showsLower(path) && lstatBelow(lower, path || '.')?.isDirectory()
    const all = new Set([...own, ...(below ? namesBelow(lower, path) : [])])
    return [...all].filter((name) => this.lstat(path === '' ? name : `${path}/${name}`)).sort()
  }

  folderOf(path: string): string {
    const { upper, lower } = this.#layer
    return lstatBelow(upper, path) ? upper : lower
  }

  /** Whether the entries that the project has in a folder are seen. */
  #showsLower(folder: string): boolean {
    for (let at = folder; at !== '.' && at !== ''; at = posix.dirname(at)) {
      const up = lstatBelow(this.#layer.upper, at)
      if (up && (!up.isDirectory() || this.#opaque.has(at))) return false
    }
    return true
  }
}

/** How the kernel marks what is gone. */
export function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0
}
