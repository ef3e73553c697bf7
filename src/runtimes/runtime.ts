// The seam every runtime plugs into: prepare what a tool needs once, run one attempt, close. A runtime knows
// nothing of guards and surfaces; it gets finished params and gives back a raw value or throws a ToolError.
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import type { OnAccess } from '../sandbox/access/access.ts'
import type { CallChanges } from '../sandbox/changes/call-changes.ts'
import type { Fence } from '../sandbox/fence.ts'
import type { Profile } from '../sandbox/profile.ts'
import type { CallerAnswers } from '../tool/caller-answers.ts'
import type { Json } from '../tool/json.ts'
import type { Enforcement, LogLevel, Outcome, Progress } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { WritingCode } from '../trust/inference/writing-code.ts'
import type { Seal } from '../trust/seal-tool.ts'
import type { Supervisor } from '../workers/supervisor.ts'
import type { CribView } from './agent/crib-view.ts'
import type { Broker } from './deno/broker.ts'
import type { ElicitHandler, SampleHandler } from './mcp/caller-handlers.ts'
import type { ServerLogins } from './server-logins.ts'
import type { Followers } from './skill/fenced/followers.ts'

/** One attempt at running a tool. */
export interface Attempt {
  readonly tool: Tool
  /** Validated, defaults filled. */
  readonly params: unknown
  /** What the caller passed, untouched: tells a given parameter from a filled default. */
  readonly args: unknown
  readonly runId: string
  /** Made when somebody asks for it; `onStop` costs less. */
  readonly signal: AbortSignal
  /** Calls back when the attempt is stopped, at once when it was; gives what takes the listener away again. */
  onStop(listener: () => void): () => void
  /** Infinite for a service, which runs until it ends by itself or `signal` fires. */
  readonly timeoutMs: number
  readonly profile: Profile
  /** Holds apart what its processes write; absent: it may write nothing, or nobody asked for that. */
  readonly changes?: CallChanges | undefined
  /** Secrets released to this call, by name. */
  readonly secrets: { readonly [name: string]: string }
  readonly strict: boolean
  log(level: LogLevel, message: string, data?: Json): void
  progress(progress: Progress): void
  /** Adds facts to the outcome's `meta`. */
  meta(facts: { readonly [key: string]: Json }): void
  enforced(enforcement: Enforcement): void
  /** While a plan is made: names what a run would end with on this machine, although there is a plan. */
  lacks?(missing: ToolError): void
  /** Calls another tool as this one: an ordinary call with all guards. */
  invoke(ref: string, args: unknown): Promise<Outcome>
  /** Puts a question to a person at the caller's side; absent where nobody can be asked. */
  readonly elicit?: ElicitHandler | undefined
  /** Asks the caller's model; absent where there is none. */
  readonly sample?: SampleHandler | undefined
  /** Asks which folders the caller works in; absent where it does not say. */
  readonly roots?: CallerAnswers['onRoots']
  /** The kernel's own call object; only in-process runtimes look at it. */
  readonly call: object
}

export interface RuntimeEnv {
  readonly config: Config
  readonly spaces: Spaces
  readonly supervisor: Supervisor
  readonly fence: Fence
  /** Told of what tools reach for where the host does it for them. */
  readonly onAccess?: OnAccess
  /** Judges a file whose bytes are about to run in this process; throws a TRUST_ error. */
  readonly verifyFile?: (file: string, bytes: Uint8Array) => void
  /** Whether a tool wrote a file of settings, so that it counts for nothing (G7); absent: none did. */
  isSetAside?(file: string, bytes: Uint8Array): boolean
  /** What the files of a tool must be when they are imported; absent or null: whatever they are. */
  sealOf?(tool: Tool): Seal | null
  /** Whether somebody the user trusts vouches for a tool as it stands now; absent: nobody does. */
  isVouched?(tool: Tool): boolean
  /** Whose code changes files, as reading it tells; absent: nobody's is known to. */
  readonly writing?: Pick<WritingCode, 'writes' | 'ready'>
  /** The value of a secret that the entry of a foreign server names (D11); absent or undefined: there is none. */
  serverSecret?(name: string, server: string): Promise<string | undefined>
  /** The log-ins to foreign servers (U4); absent: a crib without a store. */
  readonly logins?: ServerLogins
  /** Throws HALTED while the crib is stopped; absent: nobody stops it. */
  demandGoing?(): void
  /** The breadcrumb store as tools may use it; absent: a crib without a store. */
  readonly broker?: Broker
  /** The crib as agents and built-in tools see it. */
  readonly view?: CribView
  /** Takes note of a tool that turned out, once its code was loaded, to be more than its file shows. */
  adopt?(tool: Tool): void
  /** The middleware that stands right behind a call that is itself middleware. */
  followersOf?(call: object): Followers | null
  /** The program the lock file pins for a tool's binary; absent or undefined: nothing is pinned. */
  pinnedBinary?(tool: Tool, binary: string): PinnedBinary | undefined
}

export interface PinnedBinary {
  /** Absolute real path. */
  readonly path: string
  /** SHA-256 of the file. */
  readonly digest: string
}

export interface Runtime {
  readonly name: string
  /**
   * Runs one attempt: a promise of the tool's result, or the result where it is there at once. Throws or rejects with
   * a ToolError; aborts when `signal` fires.
   */
  run(attempt: Attempt): unknown
  /** What a run would do, for a dry run; starts nothing (parameter resolvers of tools-json excepted). */
  plan?(attempt: Attempt): Promise<{ readonly [key: string]: Json }>
  /** Throws what every call of the tool would end with here, whatever its arguments: a program or model is missing. */
  ready?(attempt: Attempt): void | Promise<void>
  /** Loads the code of a tool without calling it, where only the code says what the tool is; see `RuntimeEnv.adopt`. */
  load?(tool: Tool): Promise<void>
  close?(): Promise<void>
}

export type RuntimeFactory = (env: RuntimeEnv) => Runtime

/** A runtime that is opened by the first call that needs it. */
export interface LateRuntime {
  readonly name: string
  open(env: RuntimeEnv): Runtime | Promise<Runtime>
}
