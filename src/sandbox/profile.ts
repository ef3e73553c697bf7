// What one call may touch, as data. Computed from the tool's needs and the grants; enforced by the fence.

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
  /** Absolute paths that stay read-only even where a parent is writable, and cannot be made when missing. */
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
