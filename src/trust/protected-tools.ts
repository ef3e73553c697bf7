// The files that the tools of the catalog are made of and run from, where no definition folder holds them already.
import { basename, dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { isInside } from '../files/is-inside.ts'
import { importedFiles } from '../formats/imported-files.ts'
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
  const add = (path: string, reason: string, isFixed = false) => {
    if (isHeld(path, held)) return false
    places.push(place(path, reason, isFixed))
    held.add(path)
    return true
  }
  /** What decides, in the folders above a file, how it is loaded. */
  const addAround = (file: string, name: string, isFixed = false) => {
    const marks = packageMarks(file, isHeld(dirname(file), held))
    for (let at = dirname(file); isInside(at, project); at = dirname(at)) {
      if (!isHeld(at, held)) folders.add(at)
      for (const mark of marks) add(`${at}/${mark}`, `it says how ${name} is loaded`, isFixed)
    }
  }
  for (const plugin of pluginFiles(sources.config, project)) {
    for (const file of [plugin, ...importedFiles(plugin, project)]) {
      add(file, 'a plugin of the crib is made of it', true)
      addAround(file, 'a plugin of the crib', true)
    }
  }
  for (const tool of sources.tools) {
    if (tool.tier === 'system') continue
    for (const file of madeOf(tool, project)) {
      if (add(file, madeOfReason(tool)) && file.endsWith('.py')) modules.set(dirname(file), tool.id)
      addAround(file, tool.id)
    }
  }
  return { places, folders: [...folders], modules }
}

/** Its code runs in the host. */
function pluginFiles({ plugins }: Config, project: string): string[] {
  return plugins.filter((name) => /^[./]/.test(name)).map((name) => resolve(project, name))
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
