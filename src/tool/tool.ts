// What a tool is: plain, JSON-serialisable data, the same thing in the cache, the API and the console.
import type { Json, JsonObject } from './json.ts'
import type { Problem } from './problem.ts'

export type FormatName = 'rye' | 'tools-json' | 'tool-code' | 'skill' | 'mcp' | 'builtin'

/** Where a file stands; a higher tier hides the same id in a lower one. */
export type Tier = 'project' | 'user' | 'system'

export type ToolKind = 'callable' | 'middleware' | 'context' | 'runtime' | 'primitive' | 'library' | 'server'

/** `invalid`: has an error; `unavailable`: something is missing here; `shadowed`: only as `format:id`. */
export type ToolState = 'available' | 'invalid' | 'unavailable' | 'disabled' | 'shadowed' | 'quarantined'

export type TrustStatus = 'trusted' | 'untrusted' | 'tampered' | 'unsigned' | 'invalid' | 'unchecked'

export interface Trust {
  readonly status: TrustStatus
  readonly keyId?: string
  readonly signedAt?: string
  readonly owner?: string
  /** Where the key that vouches is kept. */
  readonly keyTier?: Tier
  /** Why, in words, when it is not trusted. */
  readonly reason?: string
}

export type JsonSchema = JsonObject

export interface ToolSource {
  /** Absolute path; null for tools made in code. */
  readonly file: string | null
  readonly line?: number
  /** SHA-256 of the defining file's bytes. */
  readonly digest: string
  /** Every file the definition or code is made of, absolute, the defining file first. */
  readonly files?: readonly string[]
}

export interface Limits {
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly cpuPercent?: number
  readonly processes?: number
  readonly outputBytes?: number
}

export interface RetryPolicy {
  /** Total number of attempts, the first included. */
  readonly maxAttempts: number
  readonly backoff: 'fixed' | 'linear' | 'exponential'
  readonly initialDelayMs: number
  readonly maxDelayMs: number
  readonly multiplier: number
}

export interface CostModel {
  readonly perCall: number
  readonly perMinute: number
  readonly estimatedSeconds?: number
  readonly currency: string
}

export interface Example {
  readonly title?: string
  readonly params: unknown
  /** Absent: only `returns` is checked. */
  readonly expect?: unknown
  /** An example that is expected to fail with this code. */
  readonly expectError?: string
  readonly match?: 'exact' | 'schema' | 'partial'
}

/** One element of an executor chain, the tool itself first. */
export interface ChainLink {
  readonly id: string
  readonly tier: Tier
  readonly kind: ToolKind
  readonly type: string
  readonly executor: string | null
  readonly digest: string
  readonly trust: TrustStatus
}

/** Which runtime runs the tool and what that runtime needs to know; the plan is the runtime's own shape. */
export interface RuntimeChoice {
  readonly name: string
  readonly plan: JsonObject
}

export interface Tool {
  readonly id: string
  /** What a model sees: `[A-Za-z0-9_-]{1,64}`, unique in the catalog. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly version: string
  readonly format: FormatName
  readonly kind: ToolKind
  readonly tier: Tier
  readonly state: ToolState
  /** Why it is not available, in words. */
  readonly reason?: string
  readonly aliases: readonly string[]
  /** null: the tool declares no parameters (skills: takes no arguments from outside). */
  readonly params: JsonSchema | null
  readonly returns: JsonSchema | null
  /** Capabilities; null when the definition does not speak of them (it then gets all that is granted). */
  readonly requires: readonly string[] | null
  readonly limits: Limits
  readonly retry?: RetryPolicy
  readonly cost?: CostModel
  readonly tags: readonly string[]
  readonly examples: readonly Example[]
  readonly hidden: boolean
  readonly source: ToolSource
  readonly runtime: RuntimeChoice | null
  readonly chain?: readonly ChainLink[]
  readonly trust: Trust
  readonly problems: readonly Problem[]
  /** Programs that must be on PATH: one inner list fully present is enough. Judged at every load. */
  readonly needsBins?: readonly (readonly string[])[]
  /** Secrets by name that the tool is given. */
  readonly secrets?: readonly string[]
  /** What only its format understands: metadata, actions, documentation, settings. */
  readonly extra?: { readonly [key: string]: Json }
}

/** Kinds that can be called by a person, a program or an agent. */
export function isCallableKind(kind: ToolKind): boolean {
  return kind === 'callable' || kind === 'context' || kind === 'middleware'
}

/** Fills the fields most tools leave alone, so that a format states only what it read. */
export function makeTool(given: Pick<Tool, 'id' | 'format' | 'tier' | 'source'> & Partial<Tool>): Tool {
  const problems = given.problems ?? []
  return {
    name: modelName(given.id),
    description: '',
    version: '0.0.0',
    kind: 'callable',
    state: problems.some((problem) => problem.severity === 'error') ? 'invalid' : 'available',
    aliases: [],
    params: null,
    returns: null,
    requires: null,
    limits: {},
    tags: [],
    examples: [],
    hidden: false,
    runtime: null,
    trust: { status: 'unchecked' },
    ...given,
    problems,
  }
}

/** The name a model sees for an id: every run outside `[A-Za-z0-9_-]` becomes `_`, at most 64 characters. */
export function modelName(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '')
  return clean.slice(0, 64) || 'tool'
}
