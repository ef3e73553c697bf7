// The settings of a crib, complete: every key has a value here, whatever the user wrote. What each key means and may
// hold is declared in config-shape.ts.
import type { Static } from '../tool/shape.ts'
import type {
  configShape,
  mcpServerShape,
  modelShape,
  tokenShape,
  toolOverridesShape,
} from './config-shape.ts'

/** What can put walls around a process, the faster one first: see `fence-cold` in docs/performance.md. */
export const sandboxEngines = ['launcher', 'bubblewrap'] as const
export type SandboxEngine = (typeof sandboxEngines)[number]

/** What becomes of the file changes of a call (E9). */
export const effectPolicies = ['commit', 'hold', 'discard', 'direct'] as const
export type EffectPolicy = (typeof effectPolicies)[number]

/** What an MCP client is given: the tools, or the means to find and call them. */
export const exposures = ['all', 'search', 'code'] as const
export type Expose = (typeof exposures)[number]

export interface Config extends Static<typeof configShape> {}
export type TrustMode = Config['trust']
export type SandboxMode = Config['sandbox']['mode']
export type DenoConfig = Config['deno']
export interface ModelConfig extends Static<typeof modelShape> {}
export interface McpServerConfig extends Static<typeof mcpServerShape> {}
export interface TokenConfig extends Static<typeof tokenShape> {}

/** Rights an operator adds for one tool by its id. */
export interface ToolOverrides extends Static<typeof toolOverridesShape> {}

/** Settings as a user writes them: what is left out keeps its value. */
export type GivenConfig = {
  readonly [K in Exclude<keyof Config, 'sandbox'>]?: Config[K] extends string | readonly unknown[]
    ? Config[K]
    : Partial<Config[K]>
} & { readonly sandbox?: SandboxMode | Partial<Config['sandbox']> }

export const defaultConfig: Config = {
  roots: ['.'],
  trust: 'warn',
  sandbox: { mode: 'preferred', require: [], engine: null },
  grants: { default: ['fs.read', 'fs.write'], tools: {} },
  tools: {},
  skills: {
    contextMode: 'full',
    allowScripts: false,
    host: 'vouched',
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
    tools: 'auto',
    contextBytes: 32_768,
  },
  offers: {},
  system: true,
  approve: [],
  plugins: [],
  effects: {
    default: 'commit',
    tools: {},
    files: 10_000,
    bytes: 1_073_741_824,
    keep: { days: 14, bytes: 2_147_483_648 },
    onConflict: 'merge',
    onStop: 'drop',
  },
  approvals: { timeoutMs: 300_000 },
  secrets: { file: null, env: [] },
  store: '.toolcrib/crib.db',
  bus: 'memory',
  fleet: { name: null, concurrency: 16, tools: {} },
  serve: { host: '127.0.0.1', port: 4747, tokens: [], allowedHosts: [], issuer: null, publicUrl: null },
  models: {},
  mcp: { servers: {}, listTimeoutMs: 5_000, clientDocument: null },
  apis: {},
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
