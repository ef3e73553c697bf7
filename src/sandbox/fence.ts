// The fence: takes what is about to be started and a profile, gives back what to start instead, and says
// honestly what that holds. It starts nothing itself.
import { basename } from 'node:path'
import type { Duplex } from 'node:stream'
import type { SandboxMode } from '../config/config.ts'
import type { Enforcement } from '../tool/outcome.ts'
import type { Static } from '../tool/shape.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { CarriedChange } from './changes/carried-changes.ts'
import type { Layer } from './changes/layer.ts'
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
  /** It does nothing before it has read its handovers to their end, so it may be started before they are known. */
  readonly waits?: boolean
  /** Descriptors of the child that are pipes to the host, both ways; whoever starts it hands them to `started`. */
  readonly pipes?: readonly number[]
  /** Descriptor over which the engine, and not the program, is spoken to while it runs. */
  readonly control?: number | undefined
}

/** True when argv[0] says something that the path of the file does not. */
export function needsOwnName({ argv0, file }: SpawnSpec): boolean {
  return argv0 !== undefined && basename(argv0) !== basename(file)
}

export interface FencedSpec {
  readonly spec: SpawnSpec
  readonly enforcement: Enforcement
  /** Where what it writes to the project goes; absent: nothing is writable, or it goes there directly. */
  readonly layer?: Layer | undefined
  /** What must be in place before it starts (the proxy it is sent to); absent: everything is. */
  readonly ready?: Promise<void>
  /** Undone when the process is gone: cgroups, proxies. Whoever wraps without starting calls it. */
  release?(): void
  /**
   * Called with the child's pid right after the start (cgroup placement, memory watch). Settles once the sandbox was
   * compared with what was judged; before that `verdict` is not known.
   */
  started?(pid: number, pipeAt: (fd: number) => Duplex): Promise<void> | void
  /**
   * Asks the processes inside to end, where a signal to the group would kill them at once; false: nothing runs inside
   * yet, so there is nobody to ask.
   */
  terminate?(pid: number): boolean
  /** Ends everything inside at once, and leaves the engine the moment it needs to say what was written. */
  endInside?(pid: number): boolean
  /** Why the fence itself ended the process (MEMORY_LIMIT); asked once it is gone. */
  verdict?(): ToolError | undefined
}

export interface LayerStatus extends Static<typeof layerStatusShape> {}

/** Wants the writes of a process kept apart. */
export interface Holding {
  /** Makes the layer below a folder; called only where one can be mounted. */
  layer(state: string): Layer
  /** The process on a layer is gone. */
  released(layer: Layer): void
  /** Called where there will be none, before the process starts. */
  writesDirectly?(reason: string): void
  /** Why there is to be none (the tool is set to `direct`). */
  readonly isDirect?: string | undefined
  /** Nothing may start that would write directly. */
  readonly mustHold?: boolean
  /** The process serves several calls: between two of them it must see what changed in the project. */
  readonly isWarm?: boolean
}

/** A place of the host that a process finds under another name. */
export interface OverMount {
  readonly source: string
  readonly target: string
  readonly isWritable: boolean
}

export interface FenceOptions {
  /** In place of the mode of the settings, where the entry of a server says so (U3d). */
  readonly mode?: SandboxMode | undefined
  /** The tool it is for: what it reaches for is told of by its id. */
  readonly tool?: string | undefined
  /** Absent: what it writes goes to the files directly, which the label says. */
  readonly holding?: Holding | undefined
  /**
   * For a program that holds its network rule itself (Deno). It needs the egress proxy only to leave a network
   * namespace; then it is told the proxy's address, to open it among its own flags.
   */
  readonly openProxy?: (spec: SpawnSpec, address: string) => SpawnSpec
  /** Megabytes a runtime maps as data and never uses; the limit on data leaves them room. */
  readonly reservedMb?: number
  /** Extra paths the process must read: its own code, a worker's bootstrap. */
  readonly read?: readonly string[]
  /** Folders of the process itself, writable also where their surroundings are hidden: the home of a server (D10). */
  readonly own?: readonly string[]
  /** Mounts of the host's choosing over what is shown, in this order (D10). */
  readonly over?: readonly OverMount[]
  /** Values the egress proxy puts in place of `{{secret:NAME}}` in headers on the way to an allowed host. */
  readonly secrets?: { readonly [name: string]: string }
}

export interface Fence {
  /** Throws SANDBOX_UNAVAILABLE when the mode is `required` and a needed layer is missing. */
  wrap(spec: SpawnSpec, profile: Profile, options?: FenceOptions): FencedSpec
  /** What brings changes from the layer of a call to that of the held run around it (E13); absent: it has no layers. */
  carry?(changes: readonly CarriedChange[], layers: { readonly from: Layer; readonly into: Layer }): SpawnSpec
  layers(): readonly LayerStatus[]
  /** Ends proxies and watches; processes are the supervisor's. */
  close(): void
}
