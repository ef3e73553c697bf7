// Follows the folders that the catalog's walk entered, and no others: what ignore files leave out is not watched, and
// no link is followed out of the crib (G5). Changes that come together are read together.
import { existsSync, type FSWatcher, realpathSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { realPathOf } from '../files/real-path.ts'
import { isNeverEntered } from './walk.ts'

const settleMs = 40
/** Whoever writes without end must not keep everybody from hearing of anything. */
const maxSettleMs = 1_000
/** More changes at once are told as one that nobody knows the place of. */
const maxPaths = 10_000
const pollMs = 2_000
/** A look at every file takes at most this part of the time. */
const pollShare = 1 / 20
/** No watchers left, or no descriptors for them. */
const usedUp = new Set(['ENOSPC', 'EMFILE', 'ENFILE'])

export interface WatchParts {
  /** Folders a link may not lead out of. */
  readonly roots: readonly string[]
  /** Single files that count too, such as the user's settings. */
  readonly files: readonly string[]
  /** What the last walk entered, absolute. */
  folders(): readonly string[]
  /** Reads again; the next call waits until this one is done. Without paths nobody knows what changed. */
  onChange(paths: readonly string[]): Promise<void>
  /** Told once of each kind of fault. */
  onFault(message: string): void
  /** Watches one folder; replaced by tests. */
  readonly watchFolder?: typeof watch
}

export class FolderWatch {
  readonly #parts: WatchParts
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #told = new Set<string>()
  #changed = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #noticedAt = 0
  #running: Promise<void> = Promise.resolve()
  #isPolling = false
  #isClosed = false

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#follow()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#leaveAll()
    await this.#running
  }

  /** Watches the folders that came and leaves those that went; true when one came. */
  #follow(): boolean {
    if (this.#isPolling || this.#isClosed) return false
    const roots = this.#parts.roots.flatMap((dir) => realPathOf(dir) ?? [])
    const files = this.#parts.files.map((file) => dirname(file)).filter((dir) => existsSync(dir))
    const walked = new Set(this.#parts.folders().filter((dir) => leadsInto(dir, roots)))
    const wanted = new Set([...walked, ...files])
    for (const [dir, watcher] of this.#watchers)
      if (!wanted.has(dir)) {
        watcher.close()
        this.#watchers.delete(dir)
      }
    const added = [...wanted].filter((dir) => !this.#watchers.has(dir))
    for (const dir of added) if (!this.#isPolling) this.#watch(dir, !walked.has(dir))
    return added.length > 0
  }

  #watch(dir: string, isForFiles: boolean): void {
    try {
      const watcher = (this.#parts.watchFolder ?? watch)(dir, (_event, name) => {
        const path = name === null ? dir : join(dir, name.toString())
        const isWanted = isForFiles ? this.#parts.files.includes(path) : !isUnwatched(name?.toString() ?? '')
        if (isWanted || this.#parts.files.includes(path)) this.#notice(path)
      })
      watcher.on('error', (error) => this.#fail(dir, error))
      this.#watchers.set(dir, watcher)
    } catch (error) {
      this.#fail(dir, error as NodeJS.ErrnoException)
    }
  }

  #fail(dir: string, error: NodeJS.ErrnoException): void {
    const code = error.code ?? error.message
    const isNew = !this.#told.has(code)
    this.#told.add(code)
    if (!usedUp.has(code)) {
      if (isNew) this.#parts.onFault(`Not every change of a file will be noticed: ${dir}: ${error.message}.`)
      return
    }
    if (this.#isPolling) return
    this.#isPolling = true
    this.#leaveAll()
    this.#parts.onFault(
      `The system has no file watchers left (${code}), so files are looked at every few seconds. Raise fs.inotify.max_user_watches and max_user_instances with sysctl, or name fewer folders in \`roots\`.`,
    )
    this.#poll(pollMs)
  }

  #notice(path: string): void {
    if (this.#changed.size === 0) this.#noticedAt = performance.now()
    if (this.#changed.size <= maxPaths) this.#changed.add(path)
    clearTimeout(this.#timer)
    const leftMs = this.#noticedAt + maxSettleMs - performance.now()
    this.#timer = setTimeout(() => this.#read(), Math.max(0, Math.min(settleMs, leftMs)))
  }

  #read(): void {
    const paths = this.#changed.size > maxPaths ? [] : [...this.#changed]
    this.#changed = new Set()
    this.#running = this.#running.then(async () => {
      await this.#parts.onChange(paths).catch(() => {})
      // What was written into a new folder before it was watched is found by one more look.
      if (this.#follow()) await this.#parts.onChange([]).catch(() => {})
    })
  }

  #poll(afterMs: number): void {
    this.#timer = setTimeout(() => {
      const startedAt = performance.now()
      this.#running = this.#parts
        .onChange([])
        .catch(() => {})
        .then(() => {
          if (!this.#isClosed) this.#poll(Math.max(pollMs, (performance.now() - startedAt) / pollShare))
        })
    }, afterMs).unref()
  }

  #leaveAll(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }
}

function leadsInto(dir: string, roots: readonly string[]): boolean {
  try {
    const real = realpathSync(dir)
    return roots.some((root) => isInside(real, root))
  } catch {
    return false
  }
}

/** Names that no walk reads, so that nothing depends on them. */
function isUnwatched(name: string): boolean {
  return isNeverEntered(name) && !name.includes('ignore') && name !== '.mcp.json' && !name.startsWith('.env')
}
