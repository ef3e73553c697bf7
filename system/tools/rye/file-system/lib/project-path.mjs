// Paths of the file tools: relative to the project, and inside it after every link is followed.
import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The absolute path a parameter means; throws when it leads out of the project or into the crib's own state. */
export function projectPath(project, path) {
  const root = realpathSync(project)
  const wanted = isAbsolute(path) ? resolve(path) : resolve(root, path)
  const real = realPathOfNearest(wanted)
  const inside = relative(root, real)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw new Error(`${path} is outside the project`)
  if (inside === '.toolcrib' || inside.startsWith(`.toolcrib${sep}`)) throw new Error(`${path} belongs to Toolcrib itself`)
  return real
}

/** A path as results show it: relative to the project, with forward slashes. */
export function shownPath(project, path) {
  return relative(realpathSync(project), path).split(sep).join('/') || '.'
}

// A file that does not exist yet lies where its nearest existing folder lies.
function realPathOfNearest(path) {
  try {
    return realpathSync(path)
  } catch (error) {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    return join(realPathOfNearest(dirname(path)), path.slice(dirname(path).length))
  }
}
