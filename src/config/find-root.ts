// Which folder is the crib: the nearest one upwards that looks like one, else the current folder.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const marks = ['toolcrib.yaml', '.ai', 'skills']

/** The nearest parent of `from` (itself included) with `toolcrib.yaml`, `.ai/` or `skills/`. */
export function findRoot(from: string, home: string | undefined = process.env['HOME']): string {
  const start = resolve(from)
  for (let dir = start; ; dir = dirname(dir)) {
    // The home folder's own .ai is the user's tier, not a crib.
    if (dir !== home && marks.some((mark) => existsSync(join(dir, mark)))) return dir
    if (dirname(dir) === dir) return start
  }
}
