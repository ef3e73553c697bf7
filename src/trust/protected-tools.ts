// The files that the tools of the catalog are made of and run from, where no definition folder holds them already.
import { basename, dirname } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { packageMarks } from '../formats/package-marks.ts'
import type { Tool } from '../tool/tool.ts'
import { type ProtectedPlace, place } from './protected-place.ts'
import type { ProtectedSources } from './protected-set.ts'
import { filesOf } from './tool-files.ts'

export interface ToolPlaces {
  readonly places: readonly ProtectedPlace[]
  /** Folders of the project on the way to a tool that no other place holds. */
  readonly folders: readonly string[]
  /** Folders beside whose scripts Python looks for modules first, by the tool that is made of one. */
  readonly modules: ReadonlyMap<string, string>
}

export function toolPlaces(sources: ProtectedSources, known: readonly ProtectedPlace[]): ToolPlaces {
  const { project } = sources.spaces
  const held = new Set(known.map(({ path }) => path))
  const places: ProtectedPlace[] = []
  const folders = new Set<string>()
  const modules = new Map<string, string>()
  for (const tool of sources.tools) {
    if (tool.tier === 'system') continue
    for (const file of madeOf(tool, project)) {
      if (!isHeld(file, held)) {
        places.push(place(file, madeOfReason(tool)))
        held.add(file)
        if (file.endsWith('.py')) modules.set(dirname(file), tool.id)
      }
      const marks = packageMarks(file, isHeld(dirname(file), held))
      for (let at = dirname(file); isInside(at, project); at = dirname(at)) {
        if (!isHeld(at, held)) folders.add(at)
        for (const path of marks.map((mark) => `${at}/${mark}`)) {
          if (isHeld(path, held)) continue
          places.push(place(path, `it says how ${tool.id} is loaded`))
          held.add(path)
        }
      }
    }
  }
  return { places, folders: [...folders], modules }
}

/** Why a file of a tool is protected. */
export function madeOfReason({ id }: Tool): string {
  return `${id} is made of it`
}

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
