// What checks and wrappers need of the crib, given by the composition root. Everything that can change is a function.

import type { Config } from '../config/config.ts'
import type { Ask } from '../config/folder-asks.ts'
import type { Spaces } from '../config/spaces.ts'
import type { Traits, VerifyFile } from '../formats/format.ts'
import type { Call } from '../kernel/call.ts'
import type { Runtime } from '../runtimes/runtime.ts'
import type { ProjectChanges } from '../sandbox/changes/project-changes.ts'
import type { HaltState } from '../tool/halt-state.ts'
import type { Outcome } from '../tool/outcome.ts'
import type { Tool, Trust } from '../tool/tool.ts'
import type { Inference } from '../trust/inference/inference.ts'
import type { Drift } from '../trust/lock/drift.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import type { SetAside } from '../trust/set-aside.ts'
import type { Approvals } from './approvals.ts'
import type { MetadataCall } from './skills/skill-calls.ts'
import type { LeaveSlot } from './wrappers/fleet-slot.ts'

export interface GuardServices {
  /** What calls change in the project. */
  readonly changes: ProjectChanges
  readonly config: Config
  readonly spaces: Spaces
  /** What no tool may change or make; another object after every change of it. */
  readonly protectedSet: ProtectedSet
  /** What tools wrote and nobody accepted yet. */
  readonly setAside: SetAside
  /** Whether the crib was stopped for everybody. */
  haltState(): HaltState
  traits(tool: Tool): Traits
  runtime(tool: Tool): Runtime | Promise<Runtime>
  /** Calls another tool on behalf of a running one. */
  invoke(ref: string, args: unknown, from: Call): Promise<Outcome>
  /** Calls what a tool's metadata names, in the name of the tool that declares it. */
  runRef(given: MetadataCall): Promise<unknown>
  /** The plan of such a call; rejects with what it would be refused with. */
  rehearseRef(given: MetadataCall): Promise<unknown>
  /** The nearest tool whose metadata states a key for this one: the tool itself, or one above it. */
  declaredBy(tool: Tool, key: string): Tool
  /** The tool that runs as middleware of another under a name. */
  middleware(tool: Tool, name: string): Tool | undefined
  /** Judges a file whose content is about to be used. */
  readonly verifyFile: VerifyFile
  /** The worst verdict over all files a tool is made of. */
  trustOf(tool: Tool): Trust | Promise<Trust>
  /** Whether somebody the user trusts vouches for a tool as it stands now. */
  isVouched(tool: Tool): boolean
  /** The user accepted the crib's folder, so that an unsigned tool of it is the user's own. */
  isFolderAccepted(): boolean
  /** What the folder's settings ask for and the user did not accept; null: everything counts. */
  openAsks(): readonly Ask[] | null
  /** What the code of tools can touch. */
  inference(): Promise<Inference>
  /** How a tool differs from what was approved; null: not at all, or nothing was pinned. */
  driftOf(tool: Tool): Drift | null | Promise<Drift | null>
  /** Values of the secrets a tool names; throws SECRET_MISSING naming all that are missing. */
  secretsOf(call: Call): Promise<{ readonly [name: string]: string }>
  /** Where a person can be asked. */
  readonly approvals: Pick<
    Approvals,
    'ask' | 'refuseUnattended' | 'agree' | 'agreedForThread' | 'demandAgreed'
  >
  /** Waits for a slot under the limit of the tool over all nodes; null when it has none. */
  slot(call: Call): Promise<LeaveSlot> | null
  /** Keeps the record that somebody allowed a call. */
  allowed(call: Call, reason: string): void
  /** Keeps the record of a finished call. */
  record(call: Call): void
}
