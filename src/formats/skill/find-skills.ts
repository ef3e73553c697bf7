// Which files of a place are skills, and under which path entry each was found.
import { join, resolve } from 'node:path'
import { isBelowSkills, type SkillEntry, skillPathsOf } from '../../config/skill-paths.ts'
import { isInside } from '../../files/is-inside.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import type { FileEntry, FormatEnv, LookedIn, ScannedFolder, Unit } from '../format.ts'
import type { SkillFacts } from './settings.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')
/** The names of skill files. */
export const skillFile = /(?:^|\/)(?:SKILL\.md|skill\.md|[^/]+\.skill\.(?:md|js|mjs|ts))$/
const built = /(?:^|\/)dist\//
const dotFolder = /(?:^|\/)\.[^/]+\//

/** The skill files of a scanned folder as units; a file belongs to the first entry that holds it. */
export function skillUnits(scanned: ScannedFolder, env: FormatEnv): Unit[] {
  const paths = skillPathsOf(env.config, env.spaces)
  const own: SkillEntry = {
    dir: scanned.kind === 'ai' ? join(scanned.dir, 'skills') : scanned.dir,
    order: paths.entries.length + scanned.order,
    isExternal: false,
    ignore: [],
    isDefault: true,
  }
  // A place of skills that no entry names (an extra folder in tests, a tool's own) is an entry of its own.
  const entries = scanned.kind === 'crib' ? paths.entries : [...paths.entries, own]
  const ignores = picomatchList(paths.ignore)
  const compiled = entries.map((entry) => ({ entry, ignores: picomatchList(entry.ignore) }))
  const units: Unit[] = [...otherLayouts(scanned, own)]
  for (const file of scanned.files) {
    if (!skillFile.test(file.path) || hasCapitals(file.path, scanned)) continue
    const full = join(scanned.dir, file.path)
    for (const { entry, ignores: entryIgnores } of compiled) {
      if (!isInside(full, entry.dir) || isOfTreeWithin(full, entry, entries)) continue
      const under = full.slice(entry.dir.length + 1)
      const holdsSkills = scanned.kind === 'skills' || entry.dir.endsWith('/skills') || isBelowSkills(under)
      // The walk enters some dot folders for what else they hold.
      if (built.test(under) || (dotFolder.test(under) && !holdsSkills)) continue
      if (ignores(under) || entryIgnores(under)) break
      units.push({
        format: 'skill',
        scanned,
        files: [file],
        isCertain: true,
        note: JSON.stringify(factsOf(file, entry)),
      })
      break
    }
  }
  return units
}

/** Where other clients keep slash commands and agents: their own folder, or that of a plugin (D11b). */
const ownLayout = /^\.(?:claude|agents|codex|gemini)\/(commands|agents)\/.+\.md$/
const pluginLayout = /^(.*?)(commands|agents)\/[^/]+\.md$/

function otherLayouts(scanned: ScannedFolder, own: SkillEntry): Unit[] {
  if (scanned.kind !== 'crib') return []
  const plugins = new Set(
    scanned.files.flatMap(({ path }) => /^(.*?)\.claude-plugin\/plugin\.json$/.exec(path)?.[1] ?? []),
  )
  return scanned.files.flatMap((file): Unit[] => {
    const inPlugin = pluginLayout.exec(file.path)
    const kind =
      ownLayout.exec(file.path)?.[1] ?? (inPlugin && plugins.has(inPlugin[1]!) ? inPlugin[2] : undefined)
    if (kind === undefined || /(^|\/)README\.md$/i.test(file.path)) return []
    const layout = kind === 'commands' ? 'command' : 'agent'
    const note = JSON.stringify({ ...factsOf(file, own), form: 'markdown', layout })
    return [{ format: 'skill', scanned, files: [file], isCertain: false, note }]
  })
}

/** True for a `skill.md` beside a `SKILL.md`, which counts alone. */
function hasCapitals(path: string, { files }: ScannedFolder): boolean {
  if (!/(^|\/)skill\.md$/.test(path)) return false
  const capitals = `${path.slice(0, -'skill.md'.length)}SKILL.md`
  return files.some((file) => file.path === capitals)
}

/** What would be read as a skill, or make a folder's texts be read as a plugin's commands and agents (G6). */
const definitionName = new RegExp(
  `${skillFile.source}|(?:^|/)\\.claude-plugin/|(?:^|/)(?:commands|agents)/[^/]+\\.md$`,
)

/** The folders of the search path; where a whole root is searched, the names of skills anywhere in it. */
export function looksIn({ config, spaces }: FormatEnv): LookedIn {
  const roots = config.roots.map((root) => resolve(spaces.project, root))
  const dirs = skillPathsOf(config, spaces).entries.map(({ dir }) => dir)
  const isWhole = (dir: string) => [spaces.project, ...roots].some((root) => isInside(root, dir))
  const clients = ['.claude', '.agents', '.codex', '.gemini'].flatMap((client) =>
    ['commands', 'agents'].map((kind) => join(spaces.project, client, kind)),
  )
  const paths = [...dirs.filter((dir) => !isWhole(dir)), ...clients]
  return dirs.some(isWhole) ? { paths, names: definitionName } : { paths }
}

/** Another app's tree is its own also where an earlier entry has it inside. */
function isOfTreeWithin(file: string, outer: SkillEntry, entries: readonly SkillEntry[]): boolean {
  return entries.some(
    ({ dir, isExternal }) =>
      isExternal && dir !== outer.dir && isInside(dir, outer.dir) && isInside(file, dir),
  )
}

function factsOf(file: FileEntry, entry: SkillEntry): SkillFacts {
  return {
    form: formOf(file.path),
    entry: entry.order,
    entryDir: entry.dir,
    isExternal: entry.isExternal,
    realFile: file.realPath,
  }
}

export function formOf(path: string): SkillFacts['form'] {
  if (/(^|\/)(SKILL|skill)\.md$/.test(path)) return 'folder'
  return path.endsWith('.md') ? 'markdown' : 'code'
}

function picomatchList(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false
  return picomatch()([...globs], { dot: true })
}
