// What no tool may change or make unless a grant names it (G6): computed from the catalog, the settings and the formats.
// The only place that answers "is this path protected, and why". By names alone: callers give real paths, and every
// place is known by its real path too.
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside, pathWithin } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import type { Format } from '../formats/format.ts'
import type { Tool } from '../tool/tool.ts'
import { gitProgramPlace, ignoreAndLoadNames, reasonOfName, selfRunningName } from './protected-names.ts'
import { ownPlaces } from './protected-own.ts'
import { type ProtectedPlace, place } from './protected-place.ts'
import { toolPlaces } from './protected-tools.ts'

export interface ProtectedSources {
  readonly config: Config
  readonly spaces: Spaces
  /** All tools of the catalog. */
  readonly tools: Iterable<Tool>
  readonly formats: readonly Format[]
  /** Places inside which no grant opens anything: only the folder's own file names them, and nobody accepted that. */
  readonly closed?: readonly string[]
}

export class ProtectedSet {
  /** Every known place, whether it exists or not; none lies inside another that is as firm. */
  readonly places: readonly ProtectedPlace[]
  readonly #tops: readonly string[]
  readonly #guarded: ReadonlySet<string>
  /** Names of files that some format reads as definitions wherever they are. */
  readonly #definitions: readonly RegExp[]
  readonly #closed: readonly string[]
  /** Folders from which Python loads modules before its own, by the tool whose script lies there. */
  readonly #modules: ReadonlyMap<string, string>

  constructor(sources: ProtectedSources) {
    const { spaces, config } = sources
    const roots = [...new Set([spaces.project, ...config.roots.map((root) => resolve(spaces.project, root))])]
    const looked = sources.formats.flatMap((format) => format.looksIn?.({ config, spaces }) ?? [])
    const own = [
      ...ownPlaces(config, spaces),
      ...looked.flatMap(({ paths }) =>
        paths.map((path) => place(path, 'tools are defined there, and a new one would be offered')),
      ),
    ]
    const ofTools = toolPlaces(sources, own)
    const guarded = new Set([...roots, ...ofTools.folders])
    const named = [...guarded].flatMap((folder) => ignoreAndLoadNames(folder))
    this.places = compact([...own, ...ofTools.places, ...named].flatMap(withRealPath))
    this.#tops = [...new Set(roots.flatMap((root) => [root, nearestRealPath(root)]))]
    this.#guarded = new Set([...guarded].flatMap((folder) => [folder, nearestRealPath(folder)]))
    this.#closed = sources.closed ?? []
    this.#modules = ofTools.modules
    this.#definitions = looked.flatMap(({ names }) => names ?? [])
  }

  /** The place that protects a path; undefined when a tool may change or make what is there. */
  why(path: string): ProtectedPlace | undefined {
    // A signature beside a file speaks of that file.
    if (path.endsWith('.sig') && !this.places.some((one) => isInside(path, one.path)))
      return this.why(path.slice(0, -4))
    const around = this.places.filter((one) => isInside(path, one.path))
    const found =
      around.find((one) => one.isFixed) ?? gitProgramPlace(path) ?? around[0] ?? this.#byName(path)
    const isClosed = found && this.#closed.some((closed) => isInside(path, closed))
    return isClosed ? { ...found, isFixed: true } : found
  }

  /** As `why`, for a path that is removed, moved or replaced: what holds a protected place goes with it. */
  whyReplaced(path: string): ProtectedPlace | undefined {
    return this.why(path) ?? this.places.find((one) => isInside(one.path, path))
  }

  /** `next`: what is asked for below the name. */
  #asModule(folder: string, name: string, next: string | undefined): string | undefined {
    const tool = this.#modules.get(folder)
    const isModule = /\.(?:py[cdw]?|so|pth)$/.test(name) || /^__init__\.py[cdw]?$/.test(next ?? '')
    return tool !== undefined && isModule ? `${tool} would load it as a module` : undefined
  }

  #byName(path: string): ProtectedPlace | undefined {
    const top = this.#tops.find((folder) => isInside(path, folder))
    if (top === undefined) return undefined
    let folder = top
    const names = pathWithin(path, top)!.split('/').filter(Boolean)
    for (const [index, name] of names.entries()) {
      const full = join(folder, name)
      const reason =
        selfRunningName(name, basename(folder)) ??
        this.#asModule(folder, name, names[index + 1]) ??
        (this.#guarded.has(folder) ? reasonOfName(name) : undefined)
      if (reason !== undefined) return place(full, reason)
      folder = full
    }
    return this.#definitions.some((names) => names.test(path))
      ? place(path, 'its name makes it the definition of a tool')
      : undefined
  }
}

function withRealPath(one: ProtectedPlace): ProtectedPlace[] {
  const real = nearestRealPath(one.path)
  return real === one.path ? [one] : [one, { ...one, path: real }]
}

/** Without repeats and without what lies inside another place that is as firm. */
function compact(places: readonly ProtectedPlace[]): ProtectedPlace[] {
  const kept = new Map<string, ProtectedPlace>()
  const ordered = [...places].sort(
    (a, b) => a.path.length - b.path.length || Number(b.isFixed) - Number(a.isFixed),
  )
  for (const one of ordered) {
    let isHeld = false
    for (let at = one.path; !isHeld; at = dirname(at)) {
      const holder = kept.get(at)
      isHeld = holder !== undefined && (holder.isFixed || !one.isFixed)
      if (at === dirname(at)) break
    }
    if (!isHeld) kept.set(one.path, one)
  }
  return [...kept.values()]
}
