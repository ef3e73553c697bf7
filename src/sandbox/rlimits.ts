// Limits a process takes along through everything it starts. Address space is left alone: V8 reserves far more
// of it than it uses. As root the kernel does not count processes, and outside a user namespace it would count
// all of the user's, so that one is set inside only.
import { release } from 'node:os'
import type { Profile } from './profile.ts'

/** No single file grows beyond this. */
const fileBytes = 8 * 1024 ** 3

export interface RlimitOptions {
  /** A cgroup already holds memory: the limit per process would only turn a clean kill into odd failures. */
  readonly isMemoryHeld: boolean
  /** What the runtime maps and never uses. */
  readonly reservedMb?: number | undefined
}

export interface Rlimit {
  readonly resource: 'core' | 'file' | 'data'
  readonly bytes: number
}

export function rlimits(profile: Profile, options: RlimitOptions): Rlimit[] {
  const limits: Rlimit[] = [
    { resource: 'core', bytes: 0 },
    { resource: 'file', bytes: fileBytes },
  ]
  if (!options.isMemoryHeld)
    limits.push({ resource: 'data', bytes: dataBytes(profile.memoryMb, options.reservedMb) })
  return limits
}

/** Data is counted when it is mapped, not when it is used: some room above the limit that the watch holds. */
function dataBytes(memoryMb: number, reservedMb = 0): number {
  return Math.ceil(memoryMb * 1.1 + 256 + reservedMb) * 1024 * 1024
}

/** True when RLIMIT_NPROC counts exactly what runs in a user namespace: not root, Linux 5.14 or later. */
export function countsProcessesPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
}
