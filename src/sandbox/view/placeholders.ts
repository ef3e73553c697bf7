// A mount can protect only what exists, so a file that a tool must not be able to make is made empty before it
// starts. Placeholders go away with the fence, unless the sandbox of another process still stands on them; what a
// killed process left behind goes with the next fence.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { isAlive } from '../../config/is-alive.ts'
import { isInside } from '../../files/is-inside.ts'

/**
 * A placeholder says by its time who made it: so many seconds after 1970, and the id of the process. No file of a
 * person is that old, and one whose maker is gone can be taken away.
 */
const makerTime = 77_000_000
const maxProcesses = 2 ** 22

export class Placeholders {
  readonly #made: string[] = []

  /** An empty file, which says nothing: no settings, no pins. */
  file(path: string): void {
    try {
      writeFileSync(path, '', { flag: 'wx' })
      this.#made.push(path)
      utimesSync(path, makerTime + process.pid, makerTime + process.pid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }

  /** Takes over a placeholder whose maker was killed before it could remove it. */
  adopt(path: string): void {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > 0) return
    const maker = stat.mtimeMs / 1000 - makerTime
    if (Number.isInteger(maker) && maker > 0 && maker <= maxProcesses && !isAlive(maker))
      this.#made.push(path)
  }

  /** A folder with all its parents. */
  folder(path: string): void {
    const first = mkdirSync(path, { recursive: true })
    if (first === undefined) return
    const below = path.slice(first.length).split('/').filter(Boolean)
    this.#made.push(first)
    for (const name of below) this.#made.push(`${this.#made.at(-1)}/${name}`)
  }

  /** Removes what is still empty and nobody's mount point. */
  close(): void {
    if (this.#made.length === 0) return
    const mounted = mountPoints()
    for (const path of this.#made.splice(0).reverse()) {
      if (mounted.some((point) => path.endsWith(point) || isInside(point, path))) continue
      try {
        if (statSync(path).isDirectory()) rmdirSync(path)
        else if (statSync(path).size === 0) unlinkSync(path)
      } catch {
        // Already gone, or somebody put something there.
      }
    }
  }
}

/**
 * Makes something in a place a tool may write to, if this user may; false means that the tool, which has no other
 * rights, cannot make it either, and that there is nothing to protect.
 */
export function madeIfMay(make: () => void): boolean {
  try {
    make()
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/**
 * Mount points in the namespaces of all processes we can look at, and what is mounted there, named from the root of
 * its file system: a container has a placeholder under another name.
 */
function mountPoints(): string[] {
  const points = new Set<string>()
  const namespaces = new Set<string>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      if (namespaces.has(text)) continue
      namespaces.add(text)
      for (const line of text.split('\n')) {
        for (const point of line.split(' ', 5).slice(3))
          if (point !== '/')
            points.add(
              point.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
            )
      }
    } catch {
      // Gone, or not ours to look at.
    }
  }
  return [...points]
}
