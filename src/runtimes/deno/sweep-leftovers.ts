// Removes throw-away folders of workers whose host died without cleaning up. Folders of a living host stay.
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../config/is-alive.ts'

let isDone = false

/** Once per process; what cannot be removed is left for the system. */
export function sweepLeftovers(dir = tmpdir()): void {
  if (isDone) return
  isDone = true
  let names: string[]
  try {
    names = readdirSync(dir)
  } catch {
    return
  }
  for (const name of names) {
    const owner = /^toolcrib-deno-(\d+)-/.exec(name)?.[1]
    if (owner === undefined || isAlive(Number(owner))) continue
    try {
      rmSync(join(dir, name), { recursive: true, force: true })
    } catch {
      // Another user's.
    }
  }
}
