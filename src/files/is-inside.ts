// Whether one path lies inside another, by their names alone; where links lead is `real-path.ts`. The folder itself
// is inside, and so is `..data`, which is a name like any other (Kubernetes mounts have it).
import { relative, resolve } from 'node:path'

/**
 * True when `path` is `folder` or lies below it. Relative paths count from the working folder.
 * @example
 * isInside('/crib/..data/x', '/crib/') // true
 * isInside('/crib/../x', '/crib') // false
 */
export function isInside(path: string, folder: string): boolean {
  const inner = plainPath(path)
  const outer = plainPath(folder)
  if (!inner.startsWith(outer)) return false
  return inner.length === outer.length || outer === '/' || inner.charCodeAt(outer.length) === slash
}

/**
 * The way from `folder` to `path`, '' for the folder itself; undefined when `path` lies outside.
 * @example
 * pathWithin('/crib/a/b', '/crib') // 'a/b'
 */
export function pathWithin(path: string, folder: string): string | undefined {
  return isInside(path, folder) ? relative(folder, path) : undefined
}

/** The path as people read it: from `folder` where it lies inside, else as it is. */
export function shortPath(path: string, folder: string): string {
  return pathWithin(path, folder) || path
}

const slash = 47
const oddPart = /\/\.{1,2}(?:\/|$)/

/** As `resolve`: absolute, without `.`, `..`, doubled and trailing slashes. Most paths are plain already, which is cheap to see. */
export function plainPath(path: string): string {
  const isPlain =
    path.charCodeAt(0) === slash &&
    path.charCodeAt(path.length - 1) !== slash &&
    !path.includes('//') &&
    !(path.includes('/.') && oddPart.test(path))
  return isPlain ? path : resolve(path)
}
