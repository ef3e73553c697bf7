// The fence: takes what is about to be started and a profile, gives back what to start instead, and says
// honestly what that holds. It starts nothing itself.
import { basename } from 'node:path'
import type { Enforcement } from '../tool/outcome.ts'
import type { Static } from '../tool/shape.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { Profile } from './profile.ts'
import type { layerStatusShape } from './profile-shape.ts'

/** A process about to be started. */
export interface SpawnSpec {
  /** Absolute path of the program. */
  readonly file: string
  /** argv[0], when it differs from the path (multi-call programs). */
  readonly argv0?: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment of the child. */
  readonly env: { readonly [name: string]: string }
  /** Bytes the child finds on descriptors, in files without a name: neither argv nor disk shows them. */
  readonly handovers?: readonly { readonly fd: number; readonly bytes: Uint8Array }[]
}

/** True when argv[0] says something that the path of the file does not. */
export function needsOwnName({ argv0, file }: SpawnSpec): boolean {
  return argv0 !== undefined && basename(argv0) !== basename(file)
}

export interface FencedSpec {
  readonly spec: SpawnSpec
  readonly enforcement: Enforcement
  /** What must be in place before it starts (the proxy it is sent to); absent: everything is. */
  readonly ready?: Promise<void>
  /** Undone when the process is gone: cgroups, proxies. Whoever wraps without starting calls it. */
  release?(): void
  /** Called with the child's pid right after the start (cgroup placement, memory watch). */
  started?(pid: number): void
  /**
   * Asks the processes inside to end, where a signal to the group would kill them at once; false: nothing runs inside
   * yet, so there is nobody to ask.
   */
  terminate?(pid: number): boolean
  /** Why the fence itself ended the process (MEMORY_LIMIT); asked once it is gone. */
  verdict?(): ToolError | undefined
}

export interface LayerStatus extends Static<typeof layerStatusShape> {}

export interface FenceOptions {
  /**
   * For a program that holds its network rule itself (Deno). It needs the egress proxy only to leave a network
   * namespace; then it is told the proxy's address, to open it among its own flags.
   */
  readonly openProxy?: (spec: SpawnSpec, address: string) => SpawnSpec
  /** Megabytes a runtime maps as data and never uses; the limit on data leaves them room. */
  readonly reservedMb?: number
  /** Extra paths the process must read: its own code, a worker's bootstrap. */
  readonly read?: readonly string[]
  /** Values the egress proxy puts in place of `{{secret:NAME}}` in headers on the way to an allowed host. */
  readonly secrets?: { readonly [name: string]: string }
}

export interface Fence {
  /** Throws SANDBOX_UNAVAILABLE when the mode is `required` and a needed layer is missing. */
  wrap(spec: SpawnSpec, profile: Profile, options?: FenceOptions): FencedSpec
  layers(): readonly LayerStatus[]
  /** Ends proxies and watches; processes are the supervisor's. */
  close(): void
}
