// Small questions about absolute paths.
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** True when `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** The real path; of something missing, the real path of its nearest existing parent with the rest added. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
