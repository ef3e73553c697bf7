// What puts walls around a process: bubblewrap where it is installed, or our own launcher, which needs nothing but the
// kernel and Perl. Both get the same order and build the same view; the label of a run names the one that did.
import type { Duplex } from 'node:stream'
import { type SandboxEngine, sandboxEngines } from '../config/config.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { CarriedChange } from './changes/carried-changes.ts'
import type { Way } from './egress/egress.ts'
import type { SpawnSpec } from './fence.ts'
import { familyOf } from './process-tree.ts'
import type { Rlimit } from './rlimits.ts'
import type { ExpectedMounts } from './verify-mounts.ts'
import type { ViewStep } from './view/view-step.ts'

export const engineNames = sandboxEngines
export type EngineName = SandboxEngine

/** Whether a layer of the fence is one that makes walls. */
export function isEngine(name: string): name is EngineName {
  return (engineNames as readonly string[]).includes(name)
}

/** Everything an engine needs to know of one start. */
export interface EngineOrder {
  readonly spec: SpawnSpec
  readonly steps: readonly ViewStep[]
  /** The variables of the process inside. */
  readonly env: readonly (readonly [name: string, value: string])[]
  readonly way: Way | undefined
  /** Most processes inside, where the engine counts them. */
  readonly processes: number | undefined
  /** Files of cgroups into which the process writes itself before anything else. */
  readonly doors: readonly string[]
  readonly limits: readonly Rlimit[]
  /** The layer is looked at afresh when the host says so on a descriptor. */
  readonly isWarm?: boolean | undefined
  /** Brought from one folder inside into another, in place of starting a program (E13). */
  readonly carried?: {
    readonly from: string
    readonly into: string
    readonly changes: readonly CarriedChange[]
  }
}

/** What of an engine works on this machine; remembered between runs, so plain data. */
export interface EnginePowers {
  readonly version: string
  /** New user namespace, with further ones switched off inside. */
  readonly userNamespace: boolean
  /** A private /proc can be mounted. */
  readonly proc: boolean
  /** Our filter on system calls can be loaded. */
  readonly seccomp: boolean
  /** The kernel's Landlock refuses what is written elsewhere than where it may be, whatever the mounts allow. */
  readonly landlock: boolean
  /** A layer can be mounted, so that what a call writes is held apart (E1). */
  readonly layers: boolean
  /** What it mounted is compared with what was judged before the program starts (G10). */
  readonly verifies: boolean
}

export interface Engine extends EnginePowers {
  readonly name: EngineName
  readonly path: string
  /** Programs the engine itself starts inside. */
  readonly programs: readonly string[]
  /** Whether it can hold the number of processes. */
  readonly countsProcesses: boolean
  /** The process to start instead. */
  start(order: EngineOrder): SpawnSpec
  /** Why the program must not start, once the sandbox stands; undefined: it has been let go. */
  admit?(pipeAt: (fd: number) => Duplex, expected: ExpectedMounts): Promise<ToolError | undefined>
  /** Why no layer on a project can be mounted with its writes below a folder; undefined: it can. Absent: it never can. */
  whyNoLayer?(project: string, state: string): string | undefined
}

export interface EngineProbe {
  readonly found?: Engine
  /** Why it cannot be used, in its own or our words. */
  readonly reason?: string
}

/** How much of a fence it makes here; layers are asked for apart. */
export function strengthOf({ userNamespace, proc, seccomp, verifies }: EnginePowers): number {
  return [userNamespace, proc, seccomp, verifies].filter(Boolean).length
}

/** What a probe tries, strongest first. */
export const powerVariants = [true, false].flatMap((seccomp) =>
  [true, false].flatMap((proc) => [
    { seccomp, proc, userNamespace: true },
    { seccomp, proc, userNamespace: false },
  ]),
)

/** Whether a value of the probe cache is what a probe of this version wrote. */
export function isEnginePowers(value: unknown): value is EnginePowers {
  const powers = value as Partial<EnginePowers> | undefined
  return (
    typeof powers?.version === 'string' &&
    [
      powers.userNamespace,
      powers.proc,
      powers.seccomp,
      powers.landlock,
      powers.layers,
      powers.verifies,
    ].every((power) => typeof power === 'boolean')
  )
}

/** Kills the init of the namespace, and with it everything inside; the engine outside of it lives on for a moment. */
export function endInside(pid: number): boolean {
  const [, init] = familyOf(pid)
  if (init === undefined) return false
  try {
    return process.kill(init, 'SIGKILL')
  } catch {
    return false
  }
}

/**
 * A TERM to the group would end the engine itself and with it everything inside at once, without grace: it goes only
 * to what the namespace's init has started. To that init itself the kernel does not deliver it, so while nothing else
 * is inside the answer is false.
 */
export function terminateInside(pid: number): boolean {
  const inside = familyOf(pid).slice(2)
  for (const target of inside) {
    try {
      process.kill(target, 'SIGTERM')
    } catch {
      // Gone meanwhile.
    }
  }
  return inside.length > 0
}
