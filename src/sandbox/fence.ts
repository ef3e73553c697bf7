// The fence: takes what is about to be started and a profile, gives back what to start instead, and says
// honestly what that holds. It starts nothing itself.
import type { Enforcement } from '../tool/outcome.ts'
import type { Profile } from './profile.ts'

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
}

export interface FencedSpec {
  readonly spec: SpawnSpec
  readonly enforcement: Enforcement
  /** Undone when the process is gone: temp folders, cgroups, proxies. */
  release?(): void
  /** Called with the child's pid right after the start (cgroup placement, memory watch). */
  started?(pid: number): void
}

export interface LayerStatus {
  readonly name: string
  readonly available: boolean
  readonly detail: string
  /** The one command that makes it available. */
  readonly fix?: string
}

export interface FenceOptions {
  /** Extra paths the process must read: its own code, a worker's bootstrap. */
  readonly read?: readonly string[]
}

export interface Fence {
  /** Throws SANDBOX_UNAVAILABLE when the mode is `required` and a needed layer is missing. */
  wrap(spec: SpawnSpec, profile: Profile, options?: FenceOptions): FencedSpec
  layers(): readonly LayerStatus[]
}
