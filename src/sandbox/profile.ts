// What one call may touch, as data. Computed from the tool's needs and the grants; enforced by the fence.
import { isWithin } from './paths.ts'

export type NetworkRule =
  | { readonly mode: 'none' }
  /** Public addresses, and whatever `hosts` lists. */
  | { readonly mode: 'public'; readonly hosts: readonly string[] }
  | { readonly mode: 'hosts'; readonly hosts: readonly string[] }

export interface Profile {
  readonly network: NetworkRule
  /** Absolute paths that can be read (folders with all below), besides the interpreter and its libraries. */
  readonly read: readonly string[]
  /** Absolute paths that can be written, and therefore read. */
  readonly write: readonly string[]
  /** Absolute folders that are hidden even where a parent is readable. */
  readonly hidden: readonly string[]
  /** Absolute paths that stay read-only where a parent is writable; a path of `write` inside one opens itself again. */
  readonly readOnly: readonly string[]
  /** False: programs other than the interpreter are not to be started. */
  readonly subprocess: boolean
  /** Capabilities `rye.execute…` in effect: which tools it may call over the host's channel. */
  readonly calls: readonly string[]
  readonly memoryMb: number
  /** Share of one processor; null when nobody asked for a limit. */
  readonly cpuPercent: number | null
  readonly processes: number
  readonly outputBytes: number
}

/** Whether a path lies in a writable area: of all paths above it in `write` and `readOnly` the nearest counts. */
export function mayWrite(
  { write, readOnly }: Pick<Profile, 'write' | 'readOnly'>,
  path: string,
  real: (path: string) => string = (given) => given,
): boolean {
  const nearest = (paths: readonly string[]) =>
    Math.max(0, ...paths.map(real).map((one) => (isWithin(path, one) ? one.length : 0)))
  return nearest(write) > nearest(readOnly)
}

/** A profile that allows nothing, as a base for tests and for tools that declare no needs. */
export const closedProfile: Profile = {
  network: { mode: 'none' },
  read: [],
  write: [],
  hidden: [],
  readOnly: [],
  subprocess: false,
  calls: [],
  memoryMb: 2_048,
  cpuPercent: null,
  processes: 512,
  outputBytes: 16_777_216,
}
