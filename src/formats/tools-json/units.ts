// Which folders are skills, by paths alone: an immediate subfolder of a skill root with a file `SKILL.md`.
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { cribSkillFolders } from '../../config/skill-paths.ts'
import type { FileEntry, FormatEnv, LookedIn, ScannedFolder, Unit } from '../format.ts'

/** What grouping found out; part of the cache key, because parsing depends on it. */
export interface UnitNote {
  readonly id: string
  /** Path of the folder under the scanned one. */
  readonly folder: string
  readonly realDir: string
  readonly rank: readonly number[]
  readonly isDisabled: boolean
}

const cribRoots = cribSkillFolders.map((dir) => `${dir}/`)
const tierRank = { project: 0, user: 1, system: 2 }

/** Skill roots of a scanned folder as prefixes of its paths, highest precedence first. */
function rootsOf(scanned: ScannedFolder): readonly string[] {
  if (scanned.kind === 'skills') return ['']
  return scanned.kind === 'ai' ? [`${scanned.ai}skills/`] : cribRoots
}

export function looksIn({ config, spaces }: FormatEnv): LookedIn {
  const roots = config.roots.map((root) => resolve(spaces.project, root))
  const { directory, extraDirs } = config.skills
  const extra = [...(directory ? [directory] : []), ...extraDirs].map((dir) => resolve(spaces.project, dir))
  return { paths: [...roots.flatMap((root) => cribRoots.map((dir) => join(root, dir))), ...extra] }
}

/** True when configuration leaves the skill out: `disabled` wins over `enabled`. */
function isDisabled(id: string, skills: Config['skills']): boolean {
  return skills.disabled.includes(id) || (skills.enabled !== null && !skills.enabled.includes(id))
}

export function skillUnits(scanned: ScannedFolder, config: Config): Unit[] {
  // The shipped skills are texts without commands; the skill format reads them.
  if (scanned.tier === 'system') return []
  return rootsOf(scanned).flatMap((root, index) =>
    [...foldersOf(scanned, root)].map(([id, files]) =>
      unitOf(scanned, { config, root, rootIndex: index, id, files }),
    ),
  )
}

function foldersOf(scanned: ScannedFolder, root: string): Map<string, Map<string, FileEntry>> {
  const folders = new Map<string, Map<string, FileEntry>>()
  for (const entry of scanned.files) {
    if (!entry.path.startsWith(root)) continue
    const [id, name, ...deeper] = entry.path.slice(root.length).split('/')
    if (!id || !name || deeper.length > 0) continue
    const folder = folders.get(id) ?? new Map<string, FileEntry>()
    folders.set(id, folder.set(name, entry))
  }
  for (const [id, files] of folders) if (!files.has('SKILL.md')) folders.delete(id)
  return folders
}

function unitOf(
  scanned: ScannedFolder,
  {
    config,
    root,
    rootIndex,
    id,
    files,
  }: {
    readonly config: Config
    readonly root: string
    readonly rootIndex: number
    readonly id: string
    readonly files: ReadonlyMap<string, FileEntry>
  },
): Unit {
  const skill = files.get('SKILL.md')!
  const folder = root + id
  const note: UnitNote = {
    id,
    folder,
    realDir: skill.realPath?.replace(/\/[^/]*$/, '') ?? join(scanned.dir, folder),
    rank: [tierRank[scanned.tier], scanned.order, rootIndex],
    isDisabled: isDisabled(id, config.skills),
  }
  const descriptor = files.get('tools.json')
  // A disabled skill's descriptor is not even opened.
  const wanted =
    descriptor && !note.isDisabled
      ? [descriptor, skill, files.get('allowlist.json'), files.get('execution.json')]
      : [skill]
  return {
    format: 'tools-json',
    scanned,
    files: wanted.filter((entry) => entry !== undefined),
    isCertain: false,
    reportsUnreadable: true,
    note: JSON.stringify(note),
  }
}
