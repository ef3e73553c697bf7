// Whether a file stays inside a folder once every symbolic link is followed.
import { realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'

/** The real path of a file inside `folder`; null when it is missing, no file, or leads out. */
export function realFileInside(file: string, folder: string): string | null {
  try {
    if (!statSync(file).isFile()) return null
    return isInside(realpathSync(file), folder) ? file : null
  } catch {
    return null
  }
}

/** True when a real path lies under the real path of a folder. */
export function isInside(realPath: string, folder: string): boolean {
  try {
    const base = realpathSync(folder)
    return realPath === base || realPath.startsWith(base.endsWith(sep) ? base : `${base}${sep}`)
  } catch {
    return false
  }
}
