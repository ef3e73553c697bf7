// The skill path entries of a crib, in search order: where skills are looked for, what is left out, and which
// entries are another app's tree that keeps to itself.
import { dirname, join, resolve } from 'node:path'
import type { Config } from './config.ts'
import { fromHome, type Spaces } from './spaces.ts'

export interface SkillEntry {
  /** Absolute folder. */
  readonly dir: string
  /** Position in the search order: earlier wins. */
  readonly order: number
  /** Another app's tree: its skills look up refs and authority in it only. */
  readonly isExternal: boolean
  /** Globs under `dir` that are left out. */
  readonly ignore: readonly string[]
  readonly isDefault: boolean
}

export interface SkillPaths {
  readonly entries: readonly SkillEntry[]
  /** Globs under any entry that are left out. */
  readonly ignore: readonly string[]
  /** Entries that could not be read, as written. */
  readonly faults: readonly string[]
}

/** Folders of a crib that hold skills, its own and those of other clients, highest precedence first (D11a). */
export const cribSkillFolders = [
  'skills',
  '.agents/skills',
  '.claude/skills',
  '.github/skills',
  '.codex/skills',
  '.cursor/skills',
  '.gemini/skills',
] as const
/** Whether a path leads through a folder of skills and no dot folder before it: dot folders below hold skills too (D11a). */
export function isBelowSkills(path: string): boolean {
  return /^(?:[^./][^/]*\/)*skills\//.test(path)
}

/** Folders of the user's home that hold skills, beside Toolcrib's own. */
export const userSkillFolders = ['.agents/skills', '.claude/skills'] as const

const defaultEntries = [...cribSkillFolders.map((dir) => `./${dir}`), '.']

/** Reads `skills.paths`, `skills.directory`, the user's skills and `skills.extraDirs` in their order. */
export function skillPathsOf(config: Config, spaces: Spaces): SkillPaths {
  const read = readEntries(config.skills.paths ?? defaultEntries, spaces)
  const entries = [...read.entries]
  const add = (dir: string) => {
    const path = resolve(spaces.project, fromHome(dir, spaces))
    entries.push({ dir: path, order: entries.length, isExternal: false, ignore: [], isDefault: true })
  }
  if (config.skills.paths === null) {
    for (const root of config.roots.map((dir) => resolve(spaces.project, dir))) {
      if (root !== spaces.project) for (const dir of defaultEntries) add(join(root, dir))
    }
  }
  if (config.skills.directory) add(config.skills.directory)
  add(join(spaces.userAi, 'skills'))
  for (const dir of userSkillFolders) add(join(dirname(spaces.userAi), dir))
  for (const dir of config.skills.extraDirs) add(dir)
  add(join(spaces.system, 'skills'))
  return { ...read, entries }
}

/** Reads a list of entries: `"dir"`, `{internal, ignore}`, `{external}`, `{ignore}`. */
function readEntries(given: readonly unknown[], spaces: Spaces): SkillPaths {
  const entries: SkillEntry[] = []
  const ignore: string[] = []
  const faults: string[] = []
  for (const item of given) {
    const map = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {}
    const dir = typeof item === 'string' ? item : (map['internal'] ?? map['external'])
    const globs = texts(map['ignore'])
    if (typeof dir === 'string') {
      entries.push({
        dir: resolve(spaces.project, fromHome(dir, spaces)),
        order: entries.length,
        isExternal: typeof map['external'] === 'string',
        ignore: globs,
        isDefault: false,
      })
    } else if (globs.length > 0) ignore.push(...globs)
    else faults.push(JSON.stringify(item))
  }
  return { entries, ignore, faults }
}

function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item): item is string => typeof item === 'string')
}
