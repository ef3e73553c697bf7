// Watches the project's folders for calls that write to the files themselves (E3): which files came, changed or went
// while such a call ran. What was in them before is not known.
import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { isInside, pathWithin } from '../../files/is-inside.ts'
import { lstatBelow } from '../../files/look-below.ts'
import { inFolderBelow } from '../../files/open-below.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import type { Change, ChangeSet } from './change-set.ts'

/** Folders that are watched at most: the system has a bound of its own, and others want some of it. */
const maxFolders = 2_000
/** What nobody looks for there is much of. */
const leftOut = new Set(['.git', '.toolcrib', 'node_modules'])

interface Watched {
  readonly watcher: FSWatcher
  readonly names: Set<string>
  /** Which folder it is: one may take the place of another before we hear of either. */
  readonly identity: string
}

/** What happened in the time of one call. */
export interface Watching {
  /** Ends it, and says what changed; a reason where that is not known. */
  end(): Promise<ChangeSet & { readonly reason?: string }>
}

export class DirectWatch {
  readonly #project: string
  /** Folders that the crib itself writes to, by path from the project: a home may lie in it. */
  readonly #own: ReadonlySet<string>
  /** By path from the project, as all paths here: a folder that became a link is not followed. */
  readonly #folders = new Map<string, Watched>()
  /** For each call under way: whether a path was there when it first changed. */
  readonly #calls = new Map<readonly string[], Map<string, boolean>>()
  #fault: string | undefined
  #isStarted = false

  /** `own`: folders in which the crib itself writes; nothing in them is a call's doing. */
  constructor(project: string, own: readonly string[] = []) {
    this.#project = project
    this.#own = new Set(own.flatMap((folder) => pathWithin(nearestRealPath(folder), project) ?? []))
  }

  #isLeftOut(path: string, name: string): boolean {
    return leftOut.has(name) || this.#own.has(path)
  }

  /** `areas`: the folders in which changes count, as real paths. */
  begin(areas: readonly string[]): Watching {
    if (!this.#isStarted) this.#add('', false)
    this.#isStarted = true
    const touched = new Map<string, boolean>()
    const key = [...areas]
    this.#calls.set(key, touched)
    return {
      end: async () => {
        // What was written before the answer is told by the kernel in the same turn, or in the next.
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
        this.#calls.delete(key)
        const changes = [...touched].flatMap(([path, wasThere]) => this.#changeOf(path, wasThere))
        return { changes, ...(this.#fault !== undefined && { reason: this.#fault }) }
      },
    }
  }

  close(): void {
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
    this.#isStarted = false
  }

  #add(folder: string, isNew: boolean): void {
    if (this.#folders.has(folder)) return
    if (this.#folders.size >= maxFolders) {
      this.#fault = `more than ${maxFolders} folders: not all of them are watched`
      return
    }
    try {
      const entries = inFolderBelow(this.#project, folder, (at) => {
        const watcher = watch(at, { persistent: false }, (_, name) => {
          if (name !== null) this.#touched(folder, name)
        })
        watcher.on('error', () => this.#forget(folder))
        this.#folders.set(folder, { watcher, names: new Set(), identity: identityOf(statSync(at)) })
        return readdirSync(at, { withFileTypes: true })
      })
      for (const entry of entries) {
        this.#folders.get(folder)?.names.add(entry.name)
        const path = join(folder, entry.name)
        if (isNew && !this.#own.has(path)) this.#tell(path, false)
        if (entry.isDirectory() && !this.#isLeftOut(path, entry.name)) this.#add(path, isNew)
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC' || code === 'EMFILE') this.#fault = 'the system has no file watchers left'
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.watcher.close()
    this.#folders.delete(folder)
  }

  #touched(folder: string, name: string): void {
    const names = this.#folders.get(folder)?.names
    // A folder tells of itself by its own name when it goes.
    const path = join(folder, name)
    const stat = lstatBelow(this.#project, path)
    if (!names || (!stat && !names.has(name))) return
    if (!this.#isLeftOut(path, name)) this.#tell(path, names.has(name))
    if (!stat) {
      names.delete(name)
      this.#forget(path)
      return
    }
    names.add(name)
    if (!stat.isDirectory() || this.#isLeftOut(path, name)) return
    if (this.#folders.get(path)?.identity === identityOf(stat)) return
    this.#forget(path)
    this.#add(path, true)
  }

  #tell(path: string, wasThere: boolean): void {
    const full = join(this.#project, path)
    for (const [areas, touched] of this.#calls)
      if (!touched.has(path) && areas.some((area) => isInside(full, area))) touched.set(path, wasThere)
  }

  #changeOf(path: string, wasThere: boolean): Change[] {
    const stat = lstatBelow(this.#project, path)
    if (stat?.isDirectory() || (!stat && !wasThere)) return []
    const kind = !stat ? 'deleted' : wasThere ? 'changed' : 'created'
    const state = { type: 'file', mode: (stat?.mode ?? 0) & 0o7777, size: stat?.size ?? 0 } as const
    return [
      { kind, path, ...(stat ? { after: state } : { before: state }), isText: false, added: 0, removed: 0 },
    ]
  }
}

function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}
