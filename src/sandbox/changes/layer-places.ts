// Where layers can be kept: in the user's state folder, or, where that lies inside the project or on a file system that
// cannot hold one, in a private folder among the temporary files. Never inside the project: the kernel refuses that.
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'

/** Folders to try, in this order; an empty project stands for none in particular. */
export function layerPlaces(project: string, userState: string): string[] {
  const name = `toolcrib-${process.getuid?.() ?? 'user'}`
  const places = [userState, join('/var/tmp', name), join(tmpdir(), name)]
  const outside = places.filter(
    (place) => project === '' || !isInside(nearestRealPath(place), nearestRealPath(project)),
  )
  return [...new Set(outside)].filter((place) => place === userState || isPrivate(place))
}

/** Makes a folder among those of everybody; false when it is not ours alone. */
function isPrivate(place: string): boolean {
  try {
    mkdirSync(place, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
  }
  const stat = lstatSync(place)
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0
}

/** The path itself or the nearest folder above it that exists. */
export function nearestThere(path: string): string {
  for (let at = path; ; at = dirname(at)) if (isThere(at) || dirname(at) === at) return at
}

/** False also where a part of the path is no folder: a service may have /dev/null as its home. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
