// Descriptors that this process was itself given and would pass on: Node marks only the low ones as its own.
// A child gets /dev/null in their place, so that no file or socket of whoever started us reaches a tool.
import { readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000
const highest = 1023
let found: readonly number[] | undefined

/** Numbers above 2 that a child would inherit; looked up once, since everything we open ourselves is not inherited. */
export function inheritedDescriptors(): readonly number[] {
  found ??= look()
  return found
}

function look(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && fd <= highest && isInherited(fd))
  } catch {
    return []
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    return false
  }
}
