// The files that the tools of the catalog are made of and run from, where no definition folder holds them already.
import { basename, dirname, extname } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import type { Tool } from '../tool/tool.ts'
import { type ProtectedPlace, place } from './protected-place.ts'
import type { ProtectedSources } from './protected-set.ts'
import { filesOf } from './tool-files.ts'

export interface ToolPlaces {
  readonly places: readonly ProtectedPlace[]
  /** Folders of the project on the way to a tool that no other place holds. */
  readonly folders: readonly string[]
}

export function toolPlaces(sources: ProtectedSources, known: readonly ProtectedPlace[]): ToolPlaces {
  const { project } = sources.spaces
  const held = new Set(known.map(({ path }) => path))
  const places: ProtectedPlace[] = []
  const folders = new Set<string>()
  for (const tool of sources.tools) {
    if (tool.tier === 'system') continue
    for (const file of madeOf(tool, project)) {
      if (!isHeld(file, held)) {
        places.push(place(file, `${tool.id} is made of it`))
        held.add(file)
      }
      const isScript = loadsByPackage.has(extname(file))
      for (let at = dirname(file); isInside(at, project); at = dirname(at)) {
        if (!isHeld(at, held)) folders.add(at)
        if (isScript && !isHeld(`${at}/package.json`, held)) {
          places.push(place(`${at}/package.json`, `it says how ${tool.id} is loaded`))
          held.add(`${at}/package.json`)
        }
      }
    }
  }
  return { places, folders: [...folders] }
}

/** Node reads in the nearest `package.json` how it takes these. */
const loadsByPackage = new Set(['.js', '.ts'])

function isHeld(path: string, held: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (held.has(at)) return true
    if (at === dirname(at)) return false
  }
}

/** A skill's folder is all its own: texts, scripts and data that are read with it. */
function madeOf(tool: Tool, project: string): string[] {
  const files = filesOf(tool, project)
  const folders = files.filter((file) => basename(file) === 'SKILL.md').map(dirname)
  return [...files, ...folders.filter((folder) => folder !== project)]
}
