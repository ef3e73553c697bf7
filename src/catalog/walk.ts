// One walk of a folder: names and sizes, nothing read. Ignore files are respected, symbolic links followed
// once, loops and unreadable folders reported. Synchronous, because that is several times faster here.
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { cribSkillFolders, isBelowSkills } from '../config/skill-paths.ts'
import { type IgnoreRules, ignoredBy, ignoreRulesOf } from '../files/ignore-files.ts'
import { isInside } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import type { FileEntry } from '../formats/format.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'

export interface Walked {
  readonly files: readonly FileEntry[]
  /** Folders entered and ignore files read, absolute, with their times before that; null for what was left out. */
  readonly seen: ReadonlyMap<string, number | null>
  readonly problems: readonly Problem[]
}

/** A path the walk left out, and why. */
export interface Ignored {
  readonly path: string
  readonly by: string
}

export interface WalkOptions {
  /** Below this prefix every file counts, whatever its ending (code in any language). */
  readonly everythingUnder?: string
  /** Endings of files that plugins read, beside those that count anyway. */
  readonly endings?: readonly string[]
  /** Of the entries of `dir` itself only this folder is looked at. */
  readonly only?: string
  /** `dir` is a folder of skills. */
  readonly holdsSkills?: boolean
  readonly onIgnored?: (ignored: Ignored) => void
  /** Whether a file or folder outside of the walked one counts, which a link in it leads to; absent: it does. */
  readonly mayRead?: (link: string, real: string, kind: 'file' | 'folder') => boolean
  /** From how many files on a folder is too large to be a crib; default 100,000. */
  readonly largeFrom?: number
}

const neverEntered = new Set(['.git', 'node_modules', '.toolcrib', '__pycache__', 'venv', '.venv'])
/** What other clients and their plugins keep beside skills (D11b). */
const clientFolders = new Set(['skills', 'commands', 'agents'])
const dotFoldersEntered = new Set([
  '.ai',
  '.claude-plugin',
  ...cribSkillFolders.flatMap((dir) => (dir.startsWith('.') ? [dir.split('/')[0]!] : [])),
])
const wantedEnding = /\.(py|ya?ml|json|[mc]?js|ts|sh|toml|md|sig)$/
const maxFiles = 200_000
const maxDepth = 64
const largeFrom = 100_000

/** Whether the name of a file says that a format, or the code of a tool, might read it. */
export function isOfInterest(path: string, endings: readonly string[] = []): boolean {
  return wantedEnding.test(path) || endings.some((ending) => path.endsWith(ending))
}

/** All files of interest under `dir`, sorted by path. */
export function walk(dir: string, options: WalkOptions = {}): Walked {
  return new Walk(dir, options).result()
}

/** True for folders that no walk looks into, whatever ignore files say; skills may lie in any dot folder (D11a). */
export function isNeverEntered(name: string, path = name): boolean {
  if (neverEntered.has(name)) return true
  return name.startsWith('.') && !dotFoldersEntered.has(name) && !isUnderSkills(path)
}

function isUnderSkills(path: string): boolean {
  return isBelowSkills(path) || cribSkillFolders.some((dir) => isInside(path, dir))
}

/** Of another client's folder only its skills are of interest. */
function isBesideSkills(path: string): boolean {
  const [client, inner, ...rest] = path.split('/')
  if (inner === undefined || !client!.startsWith('.') || rest.length > 0) return false
  return dotFoldersEntered.has(client!) && client !== '.ai' && !clientFolders.has(inner)
}

class Walk {
  readonly #dir: string
  readonly #realDir: string
  readonly #options: WalkOptions
  readonly #files: FileEntry[] = []
  readonly #seen = new Map<string, number | null>()
  readonly #problems: Problem[] = []
  readonly #linkedFolders = new Set<string>()
  #isFull = false
  /** Files by the first folder on their way, whether they matter or not. */
  readonly #counts = new Map<string, number>()

  constructor(dir: string, options: WalkOptions) {
    this.#dir = dir
    this.#realDir = nearestRealPath(dir)
    this.#options = options
  }

  result(): Walked {
    this.#enter(this.#dir, { prefix: '', outerRules: [], depth: 0, viaLink: false })
    this.#reportSize()
    this.#files.sort((a, b) => byCodeUnits(a.path, b.path))
    return { files: this.#files, seen: this.#seen, problems: this.#problems }
  }

  #enter(
    folder: string,
    {
      prefix,
      outerRules,
      depth,
      viaLink,
    }: {
      readonly prefix: string
      readonly outerRules: readonly IgnoreRules[]
      readonly depth: number
      readonly viaLink: boolean
    },
  ): void {
    if (depth > maxDepth) {
      this.#report(
        'folder-too-deep',
        folder,
        `${folder} lies deeper than ${maxDepth} folders and is left out.`,
        'Move it up, or add it to .toolcribignore.',
      )
      return
    }
    let entries: Dirent[]
    try {
      this.#seen.set(folder, statSync(folder).mtimeMs)
      entries = readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      this.#report(
        'folder-unreadable',
        folder,
        `${folder} cannot be listed: ${(error as Error).message}.`,
        'Check its permissions.',
      )
      return
    }
    const own = ignoreRulesOf(folder, prefix, entries)
    for (const { file, mtimeMs } of own) this.#seen.set(file, mtimeMs)
    const rules = [...outerRules, ...own]
    // Put together by hand: `join` would take a third of a walk.
    const within = depth === 0 ? join(folder, sep) : folder + sep
    for (const entry of entries) {
      if (this.#options.only !== undefined && prefix === '' && entry.name !== this.#options.only) continue
      const full = within + entry.name
      const path = prefix + entry.name
      if (!entry.isDirectory()) this.#count(path)
      if (entry.isFile()) this.#file(full, path, rules, viaLink ? nearestRealPath(full) : undefined)
      else if (entry.isDirectory()) {
        if (this.#mayEnter(full, path, entry.name, rules))
          this.#enter(full, { prefix: `${path}/`, outerRules: rules, depth: depth + 1, viaLink })
      } else if (entry.isSymbolicLink()) this.#link(full, { path, name: entry.name, rules, depth })
    }
  }

  #mayEnter(full: string, path: string, name: string, rules: readonly IgnoreRules[]): boolean {
    const isLeftOut =
      isNeverEntered(name, this.#options.holdsSkills ? `skills/${path}` : path) || isBesideSkills(path)
    const by = isLeftOut ? `folders named ${name} are never entered` : ignoredBy(`${path}/`, rules)
    if (by) this.#leaveOut(full, path, by)
    return !by
  }

  #leaveOut(full: string, path: string, by: string): void {
    this.#seen.set(full, null)
    this.#options.onIgnored?.({ path, by })
  }

  #isWanted(path: string): boolean {
    return isOfInterest(path, this.#options.endings)
  }

  #file(full: string, path: string, rules: readonly IgnoreRules[], realPath: string | undefined): void {
    const everywhere = this.#options.everythingUnder
    if (!this.#isWanted(path) && !(everywhere && path.startsWith(everywhere))) return
    const by = ignoredBy(path, rules)
    if (by) {
      this.#leaveOut(full, path, by)
      return
    }
    if (this.#files.length >= maxFiles) {
      if (this.#isFull) return
      this.#isFull = true
      this.#report(
        'too-many-files',
        this.#dir,
        `${this.#dir} holds more than ${maxFiles} files of interest; the rest is left out.`,
        'Name smaller folders in `roots`, or add a .toolcribignore.',
      )
      return
    }
    const stat = statIfThere(full)
    if (stat?.isFile()) this.#files.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, realPath })
  }

  #link(
    full: string,
    {
      path,
      name,
      rules,
      depth,
    }: {
      readonly path: string
      readonly name: string
      readonly rules: readonly IgnoreRules[]
      readonly depth: number
    },
  ): void {
    this.#seen.set(full, null)
    let real: string
    try {
      real = realpathSync(full)
    } catch (error) {
      const isLoop = (error as NodeJS.ErrnoException).code === 'ELOOP'
      if (isLoop || this.#isWanted(name)) {
        this.#report(
          isLoop ? 'symlink-loop' : 'symlink-broken',
          full,
          `${full} is a symbolic link that leads ${isLoop ? 'in a circle' : 'nowhere'}.`,
          'Remove or fix the link.',
        )
      }
      return
    }
    const stat = lstatSync(real, { throwIfNoEntry: false })
    if (stat?.isFile() && this.#mayRead(full, path, real)) this.#file(full, path, rules, real)
    if (!stat?.isDirectory() || !this.#mayEnter(full, path, name, rules)) return
    const isSecondWay = this.#linkedFolders.has(real) || isInside(real, this.#realDir)
    const isLoop = isInside(this.#realDir, real) || isInside(nearestRealPath(dirname(full)), real)
    // Skills are linked on purpose: from where they are kept, or one skill root as another.
    if (isSecondWay && !isLoop && isInSkillRoot(full, this.#dir)) {
      if (this.#linkedFolders.has(real) || isInSkillRoot(real, this.#realDir)) return
    } else if (isSecondWay || isLoop) {
      this.#report(
        'symlink-loop',
        full,
        `${full} is a symbolic link to a folder that is already part of the walk.`,
        'Remove the link.',
      )
      return
    }
    if (!isInside(real, this.#realDir) && this.#options.mayRead?.(full, real, 'folder') === false) return
    this.#linkedFolders.add(real)
    this.#enter(full, { prefix: `${path}/`, outerRules: rules, depth: depth + 1, viaLink: true })
  }

  #mayRead(full: string, path: string, real: string): boolean {
    const { mayRead, everythingUnder } = this.#options
    if (!mayRead || isInside(real, this.#realDir)) return true
    const isAsked =
      this.#isWanted(path) || (everythingUnder !== undefined && path.startsWith(everythingUnder))
    return isAsked && mayRead(full, real, 'file')
  }

  #count(path: string): void {
    const slash = path.indexOf('/')
    const first = slash < 0 ? '.' : path.slice(0, slash)
    this.#counts.set(first, (this.#counts.get(first) ?? 0) + 1)
  }

  /** A crib that is too large to be looked through is said to be, with the folders that make it so (G5). */
  #reportSize(): void {
    const limit = this.#options.largeFrom ?? largeFrom
    let total = 0
    for (const count of this.#counts.values()) total += count
    if (total <= limit) return
    const largest = [...this.#counts].sort((a, b) => b[1] - a[1]).slice(0, 3)
    const named = largest.map(([folder, count]) => `${folder} (${count})`).join(', ')
    this.#report(
      'too-many-files',
      this.#dir,
      `${this.#dir} holds ${total} files, more than ${limit}; most lie in ${named}.`,
      'Name smaller folders in `roots`, or add these to .toolcribignore.',
    )
  }

  #report(code: string, file: string, message: string, hint: string): void {
    this.#problems.push({
      code,
      severity: code === 'too-many-files' ? 'error' : 'warning',
      message,
      hint,
      file,
    })
  }
}

function isInSkillRoot(path: string, dir: string): boolean {
  return cribSkillFolders.some((root) => isInside(path, join(dir, root)))
}
