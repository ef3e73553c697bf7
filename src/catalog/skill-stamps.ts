// Whether skill files came, went or changed since they were read, told without a walk: by the times of the known skill
// files and of the folders that were entered. A folder whose time changed is listed once more, alone.
import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { statIfThere } from '../files/stat-if-there.ts'
import type { ScannedFolder } from '../formats/format.ts'
import { skillFile } from '../formats/skill/find-skills.ts'
import { isNeverEntered } from './walk.ts'

const ignoreFile = /^\.(?:git|toolcrib)ignore$/
/** Two writes within one tick of the clock have one time, so a time as young as this proves nothing. */
const youngMs = 50
const atLeastMs = 1_000

/** As `performance.now()`, which loads a library of Node's on its first use. */
function uptimeMs(): number {
  return process.uptime() * 1_000
}

export class SkillStamps {
  readonly #scanned: readonly ScannedFolder[]
  readonly #seen: ReadonlyMap<string, number | null>
  readonly #readAt: number
  /** Built for the first look: most processes end before one is due. */
  #files: Map<string, string> | undefined
  readonly #folders = new Map<string, number>()
  #lookedAt = uptimeMs()

  /** `seen`: what the walk saw, see `Walked`; `readAt`: when it began. */
  constructor(scanned: readonly ScannedFolder[], seen: ReadonlyMap<string, number | null>, readAt: number) {
    this.#scanned = scanned
    this.#seen = seen
    this.#readAt = readAt
  }

  /** At most one look per second: a change is noticed by whatever is called a second after it. */
  get isDue(): boolean {
    return process.uptime() * 1_000 - this.#lookedAt >= atLeastMs
  }

  /** True when a skill file or an ignore file came, went or changed. */
  haveChanged(): boolean {
    this.#lookedAt = uptimeMs()
    const files = this.#known()
    for (const [file, stamp] of files) if (stampOf(file) !== stamp) return true
    for (const [folder, time] of this.#folders) if (this.#isOther(folder, time)) return true
    return false
  }

  #known(): Map<string, string> {
    if (this.#files) return this.#files
    const isOld = (mtimeMs: number) => mtimeMs < this.#readAt - youngMs
    this.#files = new Map()
    for (const { dir, tier, files } of this.#scanned) {
      if (tier === 'system') continue
      for (const { path, size, mtimeMs } of files)
        if (skillFile.test(path))
          this.#files.set(join(dir, path), isOld(mtimeMs) ? `${mtimeMs}:${size}` : 'young')
    }
    for (const [path, time] of this.#seen)
      if (time !== null) this.#folders.set(path, isOld(time) ? time : Number.NaN)
    return this.#files
  }

  #isOther(folder: string, time: number): boolean {
    const now = Date.now()
    const stat = statIfThere(folder)
    const mtimeMs = stat?.mtimeMs ?? -1
    if (mtimeMs === time) return false
    if (!stat?.isDirectory()) return true
    if (listed(folder).some((entry) => this.#isNew(folder, entry))) return true
    this.#folders.set(folder, mtimeMs < now - youngMs ? mtimeMs : Number.NaN)
    return false
  }

  /** What is gone was noticed at its own path; here counts only what may hold skills and was not there. */
  #isNew(folder: string, entry: Dirent): boolean {
    const mayMatter =
      entry.isDirectory() || entry.isSymbolicLink()
        ? !isNeverEntered(entry.name)
        : skillFile.test(entry.name) || ignoreFile.test(entry.name)
    if (!mayMatter) return false
    const path = join(folder, entry.name)
    return !this.#files!.has(path) && !this.#seen.has(path)
  }
}

function stampOf(file: string): string {
  const stat = statIfThere(file)
  return stat ? `${stat.mtimeMs}:${stat.size}` : 'gone'
}

function listed(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
