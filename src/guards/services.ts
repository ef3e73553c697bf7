// What the guards need of the house, given by the composition root. Everything that can change is a function.
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import type { Traits, VerifyFile } from '../formats/format.ts'
import type { Call } from '../kernel/call.ts'
import type { Runtime } from '../runtimes/runtime.ts'
import type { Outcome } from '../tool/outcome.ts'
import type { Tool, Trust } from '../tool/tool.ts'
import type { Drift } from '../trust/lock/drift.ts'
import type { RunRef } from './delegate.ts'
import type { LeavePlace } from './fleet-place.ts'

export interface GuardServices {
  readonly config: Config
  readonly spaces: Spaces
  traits(tool: Tool): Traits
  runtime(tool: Tool): Runtime | Promise<Runtime>
  /** Calls another tool on behalf of a running one. */
  invoke(ref: string, args: unknown, from: Call): Promise<Outcome>
  /** Calls what a tool's metadata names, in the name of the tool that declares it. */
  readonly runRef: RunRef
  /** Judges a file whose content is about to be used. */
  readonly verifyFile: VerifyFile
  /** The worst verdict over all files a tool is made of. */
  trustOf(tool: Tool): Trust | Promise<Trust>
  /** How a tool differs from what was approved; null: not at all, or nothing was pinned. */
  driftOf(tool: Tool): Drift | null | Promise<Drift | null>
  /** Values of the secrets a tool names; throws SECRET_MISSING naming all that are missing. */
  secretsOf(call: Call): Promise<{ readonly [name: string]: string }>
  /** Waits for a person's decision; throws APPROVAL_DENIED. */
  approval(call: Call): Promise<{ readonly by: string }>
  /** Waits for a place under the limit of the tool over all nodes; null when it has none. */
  place(call: Call): Promise<LeavePlace> | null
  /** Keeps the record that somebody allowed a call. */
  allowed(call: Call, reason: string): void
  /** Keeps the record of a finished call. */
  record(call: Call): void
}
