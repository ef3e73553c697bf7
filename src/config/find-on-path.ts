// Finds programs as a shell would, but only in absolute folders of PATH: `.` and empty entries would let the
// current folder decide what runs.
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The first executable regular file of that name; a path with folders counts only when absolute. */
export function findOnPath(name: string, path: string | undefined = process.env['PATH']): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined
  if (!isBareName(name)) return undefined
  for (const dir of (path ?? '').split(delimiter)) {
    if (!isAbsolute(dir)) continue
    const file = join(dir, name)
    if (isProgram(file)) return file
  }
  return undefined
}

/** The same, symbolic links followed: the file that will really run. */
export function realProgram(name: string, path?: string | undefined): string | undefined {
  const found = findOnPath(name, path)
  return found === undefined ? undefined : realpathSync.native(found)
}

/** A name without any folder: what may be looked up on PATH. */
export function isBareName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name)
}

/**
 * Which programs of a gate are missing: one inner list fully present is enough. Of several incomplete lists the
 * one that lacks least is named.
 */
export function missingPrograms(
  alternatives: readonly (readonly string[])[],
  path: string | undefined = process.env['PATH'],
): readonly string[] {
  let fewest: readonly string[] | undefined
  for (const names of alternatives) {
    const missing = names.filter((name) => findOnPath(name, path) === undefined)
    if (missing.length === 0) return []
    if (!fewest || missing.length < fewest.length) fewest = missing
  }
  return fewest ?? []
}

function isProgram(file: string): boolean {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
