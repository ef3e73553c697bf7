// Files and folders of the crib that are links out of it. What one leads to is read once the user accepted exactly that (G2): else
// a folder that came from elsewhere could have any file of the machine shown as a text of its own.
import type { Ask } from '../config/folder-asks.ts'
import type { FolderTrust } from '../config/folder-trust.ts'
import { isInside, pathWithin } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { jsonDigest } from '../tool/json.ts'

export class OutwardLinks {
  readonly #folder: Pick<FolderTrust, 'accepts'>
  readonly #project: string
  readonly #asks = new Map<string, Ask>()

  constructor(folder: Pick<FolderTrust, 'accepts'>, project: string) {
    this.#folder = folder
    this.#project = project
  }

  /** What the walk met since it began, accepted or not. */
  get asks(): readonly Ask[] {
    return [...this.#asks.values()]
  }

  /** A walk begins. */
  begin(): void {
    this.#asks.clear()
  }

  /** Whether the file that a link leads to is read, or the folder entered. */
  mayRead(link: string, real: string, kind: 'file' | 'folder'): boolean {
    if (isInside(real, nearestRealPath(this.#project))) return true
    const key = `link ${pathWithin(link, this.#project) ?? link}`
    const digest = jsonDigest({ [key]: real })
    this.#asks.set(key, { key, what: `read ${real} as a ${kind} of its own`, file: link, digest })
    return this.#folder.accepts(key, digest)
  }
}
