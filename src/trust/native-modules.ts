// Compiled Python modules. A folder is read again only when it changed: this is asked before every call.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

interface Known {
  readonly changedMs: number
  readonly inode: number
  readonly files: readonly string[]
}

/** A folder changed just now may change again within one tick of the clock and keep its time. */
const settledMs = 100
const mostKnown = 10_000
const known = new Map<string, Known>()

/** `name.so`, `name.cpython-312-x86_64-linux-gnu.so`: Python takes them before `name.py`. */
export function nativeModules(folder: string, name: string): string[] {
  return filesIn(folder)
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => join(folder, file))
}

function filesIn(folder: string): readonly string[] {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return []
  const changedMs = Math.max(stat.mtimeMs, stat.ctimeMs)
  const last = known.get(folder)
  if (last?.changedMs === changedMs && last.inode === stat.ino) return last.files
  const files = readdirSync(folder).filter((file) => /\.(?:so|pyd)$/.test(file))
  if (known.size >= mostKnown) known.clear()
  if (Date.now() - changedMs > settledMs) known.set(folder, { changedMs, inode: stat.ino, files })
  else known.delete(folder)
  return files
}
