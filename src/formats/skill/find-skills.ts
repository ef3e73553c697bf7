// Which files of a place are skills, and under which path entry each was found.
import { join } from 'node:path'
import { type SkillEntry, skillPathsOf } from '../../config/skill-paths.ts'
import { isInside } from '../../files/is-inside.ts'
import { lazyModule } from '../../tool/lazy-module.ts'
import type { FileEntry, FormatEnv, Place, Unit } from '../format.ts'
import type { SkillFacts } from './settings.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')
/** The names of skill files. */
export const skillFile = /(?:^|\/)(?:SKILL\.md|[^/]+\.skill\.(?:md|js|mjs|ts))$/
const neverEntered = /(?:^|\/)(?:node_modules|dist|\.[^/]+)\//

/** The skill files of a place as units; a file belongs to the first entry that holds it. */
export function skillUnits(place: Place, env: FormatEnv): Unit[] {
  const paths = skillPathsOf(env.config, env.spaces)
  const own: SkillEntry = {
    dir: place.kind === 'ai' ? join(place.dir, 'skills') : place.dir,
    order: paths.entries.length + place.order,
    isExternal: false,
    ignore: [],
    isDefault: true,
  }
  // A place of skills that no entry names (an extra folder in tests, a tool's own) is an entry of its own.
  const entries = place.kind === 'crib' ? paths.entries : [...paths.entries, own]
  const ignores = picomatchList(paths.ignore)
  const compiled = entries.map((entry) => ({ entry, ignores: picomatchList(entry.ignore) }))
  const units: Unit[] = []
  for (const file of place.files) {
    if (!skillFile.test(file.path)) continue
    const full = join(place.dir, file.path)
    for (const { entry, ignores: entryIgnores } of compiled) {
      if (!isInside(full, entry.dir) || isOfTreeWithin(full, entry, entries)) continue
      const under = full.slice(entry.dir.length + 1)
      if (neverEntered.test(under)) continue
      if (ignores(under) || entryIgnores(under)) break
      units.push({
        format: 'skill',
        place,
        files: [file],
        isCertain: true,
        note: JSON.stringify(factsOf(file, entry)),
      })
      break
    }
  }
  return units
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
    ...(file.realPath ? { realFile: file.realPath } : {}),
  }
}

export function formOf(path: string): SkillFacts['form'] {
  if (path === 'SKILL.md' || path.endsWith('/SKILL.md')) return 'folder'
  return path.endsWith('.md') ? 'markdown' : 'code'
}

function picomatchList(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false
  return picomatch()([...globs], { dot: true })
}
