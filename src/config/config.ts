// The settings of a crib, complete: every key has a value here, whatever the user wrote.
import type { Json } from '../tool/json.ts'

export type TrustMode = 'off' | 'warn' | 'require'
/** What can put walls around a process. */
export const sandboxEngines = ['bubblewrap', 'launcher'] as const
export type SandboxEngine = (typeof sandboxEngines)[number]
export type SandboxMode = 'required' | 'preferred' | 'off'

export interface SkillsConfig {
  readonly contextMode: 'full' | 'readOnDemand'
  readonly allowScripts: boolean
  readonly disabled: readonly string[]
  /** null: all skills are enabled. */
  readonly enabled: readonly string[] | null
  readonly directory: string | null
  readonly extraDirs: readonly string[]
  /** null: the default list of skill paths. */
  readonly paths: readonly Json[] | null
  readonly env: readonly string[]
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  readonly nonlocals: { readonly [key: string]: Json }
  readonly promptEnv: readonly string[]
  readonly contextBytes: number
}

export interface ModelConfig {
  readonly provider: 'openai-compatible' | 'ollama' | 'anthropic'
  readonly model: string
  readonly baseURL?: string
  readonly apiKey?: string
  readonly maxTurns?: number
  readonly maxTokens?: number
  readonly maxCost?: number
  /** Per million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly currency?: string }
  /** False asks for whole answers. */
  readonly stream?: boolean
}

export interface McpServerConfig {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly cwd?: string
  readonly url?: string
  readonly headers?: { readonly [name: string]: string }
  readonly timeoutMs?: number
  readonly concurrency?: number
}

/** Rights an operator adds for one tool by its id. */
export interface ToolOverrides {
  readonly network?: boolean | readonly string[]
  readonly breadcrumbs?: { readonly read?: readonly string[]; readonly write?: readonly string[] }
  readonly tools?: readonly string[]
  readonly secrets?: readonly string[]
  /** Secrets the tool holds only as `{{secret:NAME}}`. */
  readonly placeholders?: readonly string[]
}

export interface TokenConfig {
  readonly name: string
  /** `env://NAME`, `secret://NAME` or the SHA-256 of the token; never the token itself. */
  readonly token: string
  readonly grants?: readonly string[]
  readonly allowedTools?: string
  readonly admin?: boolean
}

export interface DenoConfig {
  /** null: the npm package's binary, then PATH. */
  readonly path: string | null
  /** Calls that run at once, all tools together; more wait in line. */
  readonly concurrentCalls: number
  readonly workersPerTool: number
  readonly callsPerWorker: number
  readonly idleMs: number
  readonly loadTimeoutMs: number
  readonly outputBytes: number
  /** Per call; a single line is cut at `logLineBytes`. */
  readonly logBytes: number
  readonly logLineBytes: number
  /** Largest body of one `context.api` call. */
  readonly apiBytes: number
}

export interface Config {
  readonly roots: readonly string[]
  readonly trust: TrustMode
  readonly sandbox: {
    readonly mode: SandboxMode
    readonly require: readonly string[]
    /** null: the first engine that works. */
    readonly engine: SandboxEngine | null
  }
  readonly grants: {
    readonly default: readonly string[]
    readonly tools: { readonly [pattern: string]: readonly string[] }
  }
  readonly tools: { readonly [name: string]: ToolOverrides }
  readonly skills: SkillsConfig
  readonly approve: readonly string[]
  readonly approvals: { readonly timeoutMs: number }
  readonly secrets: { readonly file: string | null; readonly env: readonly string[] }
  readonly store: string
  readonly bus: string
  /** This node among those that share the store. */
  readonly fleet: {
    readonly name: string | null
    readonly concurrency: number
    readonly tools: { readonly [pattern: string]: number }
  }
  readonly serve: {
    readonly host: string
    readonly port: number
    readonly tokens: readonly TokenConfig[]
    readonly allowedHosts: readonly string[]
    readonly issuer: string | null
    readonly publicUrl: string | null
  }
  readonly models: { readonly [name: string]: ModelConfig | string }
  readonly mcp: {
    readonly servers: { readonly [name: string]: McpServerConfig }
    /** How long a listing waits for one server. */
    readonly listTimeoutMs: number
  }
  readonly limits: {
    readonly timeoutMs: number
    readonly memoryMb: number
    readonly processes: number
    readonly outputBytes: number
  }
  readonly env: { readonly expose: readonly string[] }
  readonly schedules: { readonly engine: 'builtin' | 'off' }
  readonly audit: { readonly params: 'shape' | 'full' }
  /** How long records of runs stay, such as `90d`. */
  readonly runs: { readonly keep: string }
  /** How long the feed can be asked for what happened. */
  readonly events: { readonly keep: string }
  readonly deno: DenoConfig
}

export const defaultConfig: Config = {
  roots: ['.'],
  trust: 'warn',
  sandbox: { mode: 'preferred', require: [], engine: null },
  grants: { default: ['fs.read', 'fs.write'], tools: {} },
  tools: {},
  skills: {
    contextMode: 'full',
    allowScripts: false,
    disabled: [],
    enabled: null,
    directory: null,
    extraDirs: [],
    paths: null,
    env: [],
    timeoutMs: 60_000,
    maxOutputBytes: 1_048_576,
    nonlocals: {},
    promptEnv: [],
    contextBytes: 32_768,
  },
  approve: [],
  approvals: { timeoutMs: 300_000 },
  secrets: { file: null, env: [] },
  store: '.toolcrib/crib.db',
  bus: 'memory',
  fleet: { name: null, concurrency: 16, tools: {} },
  serve: { host: '127.0.0.1', port: 4747, tokens: [], allowedHosts: [], issuer: null, publicUrl: null },
  models: {},
  mcp: { servers: {}, listTimeoutMs: 5_000 },
  limits: { timeoutMs: 300_000, memoryMb: 2_048, processes: 512, outputBytes: 16_777_216 },
  env: { expose: [] },
  schedules: { engine: 'builtin' },
  audit: { params: 'shape' },
  runs: { keep: '90d' },
  events: { keep: '7d' },
  deno: {
    path: null,
    concurrentCalls: 16,
    workersPerTool: 4,
    callsPerWorker: 1_000,
    idleMs: 60_000,
    loadTimeoutMs: 10_000,
    outputBytes: 1_048_576,
    logBytes: 262_144,
    logLineBytes: 8_192,
    apiBytes: 4_194_304,
  },
}
