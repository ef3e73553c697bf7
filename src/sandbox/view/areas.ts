// The files a profile opens, as mounts: what is shown, what is writable, and what stays protected inside it.
// Asked anew for every start, because a protected file may have appeared since the last one.
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { statIfThere } from '../../files/stat-if-there.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { isSensitivePath } from '../access/sensitive.ts'
import { mayWrite, type Profile } from '../profile.ts'
import { madeIfMay, type Placeholders } from './placeholders.ts'

export interface AreaOptions {
  readonly project: string
  /** Paths shown read-only because the process needs them: its own code, its interpreter. */
  readonly extras: readonly string[]
  /** Folders of the process itself, writable. */
  readonly own?: readonly string[]
  readonly placeholders?: Placeholders | undefined
  /** Where the writes of the process go when they are held: nothing is made in the project then (E1). */
  readonly upper?: string | undefined
}

interface Mount {
  readonly path: string
  readonly isWritable: boolean
}

/** One mount, in nobody's language: the engines of the fence and of containers each have their own. */
export type AreaMount =
  | {
      readonly kind: 'bind'
      readonly source: string
      readonly target: string
      readonly isWritable: boolean
    }
  /** An empty folder in place of a hidden one. */
  | { readonly kind: 'blank'; readonly target: string }
  /** The blank folder has got what stays visible in it, and takes nothing more. */
  | { readonly kind: 'seal'; readonly target: string }

/** Mounts, parents before children, protection last. */
export function areaMounts(profile: Profile, given: AreaOptions): AreaMount[] {
  const options = { ...given, real: followedOnce() }
  const { real } = options
  const hidden = [...new Set(profile.hidden.flatMap((path) => [path, real(path)]))]
  const isHidden = (path: string) => hidden.some((folder) => isInside(path, folder))
  const granted: Mount[] = [
    ...profile.write.map((path) => ({ path, isWritable: mayWrite(profile, path) })),
    ...profile.read.map((path) => ({ path, isWritable: false })),
  ].filter((mount) => !isHidden(real(mount.path)))
  for (const mount of granted) prepare(mount, options)

  const extras = [
    ...options.extras.map((path) => ({ path, isWritable: false })),
    ...(options.own ?? []).map((path) => ({ path, isWritable: true })),
  ]
  const isShown = (path: string) =>
    exists(path) ||
    (options.upper !== undefined && isInside(path, options.project) && exists(inUpper(path, options)))
  const shown = sorted([...granted, ...extras.filter((mount) => !isHidden(mount.path))], isShown)
  const mounts = shown.flatMap((mount) => binds(mount, real))
  // What is held is judged before it counts: nothing must be there beforehand for it to be protected.
  const placeholders = options.upper === undefined ? options.placeholders : undefined
  mounts.push(...protection(profile, shown, { real, placeholders }))
  // What is shown under the name of a link is there by its real name too.
  const views = shown.flatMap((mount) => [mount, { ...mount, path: real(mount.path) }])
  for (const folder of hidden) {
    const inside = extras.filter((mount) => isInside(mount.path, folder))
    if (inside.length === 0 && !views.some((mount) => isInside(folder, mount.path))) continue
    mounts.push(...mask({ folder, real }, inside, options.upper === undefined ? views : []))
  }
  return mounts
}

/** Follows the links of a path once: whoever asks again gets the answer that was judged. */
type RealPath = (path: string) => string

function followedOnce(): RealPath {
  const known = new Map<string, string>()
  return (path) => {
    const real = known.get(path) ?? nearestRealPath(path)
    known.set(path, real)
    return real
  }
}

type Followed = AreaOptions & { readonly real: RealPath }

/** Where a path of the project is on the layer. */
function inUpper(path: string, { project, upper, real }: Followed): string {
  return upper! + real(path).slice(real(project).length)
}

/** Writable folders are made when missing, on the layer where there is one; a link out of the project opens nothing. */
function prepare(mount: Mount, options: Followed): void {
  const { project, upper, real } = options
  const led = real(mount.path)
  const isOutside = !isInside(mount.path, project)
  const fault = isOutside
    ? isSensitivePath(led) && 'where keys or passwords are'
    : !isInside(led, real(project)) && 'out of the crib'
  if (fault) {
    throw new ToolError(
      'PATH_OUTSIDE',
      `${mount.path} is granted to the tool and leads ${fault}, to ${led}.`,
      { hint: 'Remove the link, or grant the folder that is really meant.' },
    )
  }
  // What lies outside is there, or is not shown.
  if (isOutside) return
  if (mount.isWritable && !exists(mount.path))
    mkdirSync(upper === undefined ? mount.path : inUpper(mount.path, options), { recursive: true })
}

/** Parents first; of the same path the writable one; nothing that a shown parent already gives. */
function sorted(mounts: readonly Mount[], isShown: (path: string) => boolean): Mount[] {
  const byPath = new Map<string, Mount>()
  for (const mount of mounts) {
    if (mount.isWritable || !byPath.has(mount.path)) byPath.set(mount.path, mount)
  }
  const ordered = [...byPath.values()].sort((a, b) => a.path.length - b.path.length)
  return ordered.filter((mount) => {
    if (!isShown(mount.path)) return false
    const parent = ordered.findLast((other) => other !== mount && isInside(mount.path, other.path))
    return !parent || (mount.isWritable && !parent.isWritable)
  })
}

function binds({ path, isWritable }: Mount, real: RealPath): AreaMount[] {
  const led = real(path)
  const own = bind(led, isWritable)
  return led === path ? [own] : [own, bind(led, isWritable, path)]
}

function bind(source: string, isWritable: boolean, target: string = source): AreaMount {
  return { kind: 'bind', source, target, isWritable }
}

interface Keeping {
  readonly real: RealPath
  readonly placeholders: Placeholders | undefined
}

/**
 * Read-only mounts over protected paths in writable areas, and writable ones over what is granted inside them,
 * outer ones first. The folders on the way become mounts of their own: a mount point cannot be renamed, its
 * parent could be.
 */
function protection(profile: Profile, shown: readonly Mount[], { real, placeholders }: Keeping): AreaMount[] {
  const areas = shown.filter((mount) => mount.isWritable).map(({ path }) => path)
  const kept = [
    ...new Set(profile.readOnly.flatMap((path) => keptPaths(path, areas, { real, placeholders }))),
  ]
  const reopened = profile.write
    .flatMap((path) => [...new Set([path, real(path)])])
    .filter((path) => kept.some((folder) => isInside(path, folder)))
  const tops = areas.flatMap((path) => [path, real(path)])
  const layers = [
    ...kept.map((path) => ({ path, isWritable: false })),
    ...reopened.map((path) => ({ path, isWritable: true })),
  ].sort((one, other) => one.path.length - other.path.length)
  const mounts: AreaMount[] = []
  const pinned = new Set<string>()
  for (const { path, isWritable } of layers) {
    const around = layers.findLast((layer) => layer.path !== path && isInside(path, layer.path))
    // Inside something read-only nothing more is to be protected, and nothing can be renamed.
    if (around?.isWritable === false) {
      if (isWritable) mounts.push(bind(real(path), true, path))
      continue
    }
    const area = tops.findLast((top) => isInside(path, top))!
    for (const folder of foldersBetween(around?.path ?? area, path)) {
      if (!pinned.has(folder)) mounts.push(bind(real(folder), true, folder))
      pinned.add(folder)
    }
    mounts.push(bind(real(path), isWritable, path))
  }
  return mounts
}

/**
 * The paths under which a protected one can be reached in a writable area: what is opened through a link is there by
 * its real name too. A mount cannot stand on a link, only on what it leads to; the link itself could be replaced.
 */
function keptPaths(path: string, areas: readonly string[], { real, placeholders }: Keeping): string[] {
  const area = areas.findLast((top) => isInside(path, top))
  if (area === undefined || !isThere(path, area, placeholders)) return []
  const realArea = real(area)
  const led = real(path)
  const leadsToFile = statIfThere(path) !== undefined
  if (led !== realArea + path.slice(area.length) || !leadsToFile) {
    if (believed.test(path)) throw linkError(path)
    if (!isInside(led, realArea) || !leadsToFile) return []
  }
  return [led, area + led.slice(realArea.length)]
}

function linkError(path: string): ToolError {
  return new ToolError(
    'SANDBOX_UNAVAILABLE',
    `${path} is a link: a tool that may write beside it could put a file of its own in its place.`,
    { hint: 'Put the file itself there, or let tools write to a folder of their own (fs.write:out/**).' },
  )
}

/** The folders below `top` on the way to `path`, outermost first. */
function foldersBetween(top: string, path: string): string[] {
  const folders: string[] = []
  for (let at = dirname(path); isInside(at, top) && at !== top; at = dirname(at)) folders.unshift(at)
  return folders
}

const madeWhenMissing = /\/(toolcrib\.yaml|toolcrib\.lock|\.ai\/config\/keys|\.git\/hooks)$/
/** What no grant opens, because it says what the next call may do. */
const believed = /\/(toolcrib\.yaml|toolcrib\.lock)$/

/**
 * Makes what is missing and would be believed if the tool made it: settings, pins, keys, hooks. Deeper paths only
 * when their first folder is there: without `.git` or `.ai` there is nothing to take over.
 */
function isThere(path: string, area: string, placeholders: Placeholders | undefined): boolean {
  if (exists(path)) {
    if (madeWhenMissing.test(path)) placeholders?.adopt(path)
    return true
  }
  if (!madeWhenMissing.test(path) || !placeholders) return false
  const [first, ...rest] = path.slice(area.length).split('/').filter(Boolean)
  if (first === undefined) return false
  if (rest.length > 0 && !statIfThere(join(area, first))?.isDirectory()) return false
  return madeIfMay(() => (extname(path) === '' ? placeholders.folder(path) : placeholders.file(path)))
}

function mask(
  { folder, real }: { readonly folder: string; readonly real: RealPath },
  inside: readonly Mount[],
  shown: readonly Mount[],
): AreaMount[] {
  const isWritable = shown.some((mount) => mount.isWritable && isInside(folder, mount.path))
  if (!exists(folder)) {
    // Missing in a writable area: made now, so that the tool cannot make it with content of its own.
    if (!isWritable && inside.length === 0) return []
    if (isWritable && !madeIfMay(() => mkdirSync(folder, { recursive: true }))) return []
  }
  if (exists(folder) && !statSync(folder).isDirectory()) return [bind('/dev/null', false, folder)]
  return [
    { kind: 'blank', target: folder },
    ...inside.flatMap((mount) => binds(mount, real)),
    { kind: 'seal', target: folder },
  ]
}

/** Also false below something that is no folder: in a linked work tree `.git` is a file. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
