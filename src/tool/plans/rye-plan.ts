// What the rye format hands to the runtimes: a tool's executor chain boiled down to data. Paths are absolute;
// templates (`{name}`, `${VAR}`) are still unexpanded, because params and environment are known only at the call.
import type { JsonObject } from '../json.ts'

export type RyePrimitive = 'subprocess' | 'worker' | 'http_client' | 'mcp_client' | 'docker' | 'filesystem'

export interface RyeInterpreter {
  readonly type: 'local_binary' | 'system_binary' | 'command'
  readonly var?: string
  readonly binary?: string
  readonly candidates?: readonly string[]
  readonly searchPaths?: readonly string[]
  readonly searchRoots?: readonly string[]
  readonly resolveCmd?: readonly string[]
  readonly fallback?: string
}

export interface RyeAnchor {
  readonly mode: 'auto' | 'always' | 'never'
  readonly markersAny: readonly string[]
  readonly root: 'tool_dir' | 'tool_parent' | 'project_path'
  readonly lib?: string
  readonly cwd?: string
  readonly envPaths: {
    readonly [variable: string]: { readonly prepend: readonly string[]; readonly append: readonly string[] }
  }
}

export interface RyeConfigRequest {
  readonly path: string
  readonly mode: 'deep_merge' | 'first_match'
}

/** Which files beside the tool are part of what is trusted when the anchor is active. */
export interface RyeVerifyDeps {
  readonly scope: 'anchor' | 'tool_dir' | 'tool_siblings' | 'tool_file'
  readonly recursive: boolean
  readonly extensions: readonly string[]
  readonly excludeDirs: readonly string[]
}

/** The `mcp_server` entry that `config.server` names. */
export interface RyeServer {
  readonly id: string
  readonly file: string
  readonly config: JsonObject
}

export interface RyePlan {
  readonly primitive: RyePrimitive
  /** The tier's `.ai` folder the tool stands in: scripts and server files may not leave it. */
  readonly ai: string
  /** The defining file. */
  readonly toolFile: string
  /** The code file that runs; null for tools that are configuration only. */
  readonly codeFile: string | null
  /** The shipped or user-written runtime entry between tool and primitive; null when there is none. */
  readonly runtimeId: string | null
  readonly runtimeFile: string | null
  /**
   * How the code file is entered, found by reading it: a `function` is imported and called, a `script` is run as
   * the main program. A runtime of the subprocess primitive that has a `config.worker` hands its functions to the
   * worker primitive; the plan then says `worker` here already.
   */
  readonly entry: 'function' | 'script' | null
  /** A shell script or a command: starting other programs is its nature and needs no capability. */
  readonly startsPrograms: boolean
  readonly entryName: 'execute' | 'main' | 'default' | null
  /** The file's text mentions these flags, so they are passed. */
  readonly mentions: { readonly projectPath: boolean; readonly params: boolean }
  /**
   * `config` merged primitive → runtime → tool. Of a runtime: `worker` is an absolute path here, `shell` is the argv
   * put before a data file's own `command` (dropped for others), `flags` is `mentioned` or `params`.
   */
  readonly config: JsonObject
  /** The parts of it that R46 ranks separately, in seconds. */
  readonly timeouts: { readonly tool?: number; readonly toolConfig?: number; readonly runtimeConfig?: number }
  readonly interpreter: RyeInterpreter | null
  /** `env_config.env`, then `config.env`, unexpanded. */
  readonly env: { readonly [name: string]: string }
  readonly anchor: RyeAnchor | null
  readonly verifyDeps: RyeVerifyDeps | null
  /** For mcp tools: the resolved server entry; null when only `config.server_config_path` leads to it. */
  readonly server: RyeServer | null
  readonly configResolve: { readonly requests: readonly RyeConfigRequest[]; readonly isList: boolean } | null
  readonly runtimeConfigResolve: {
    readonly requests: readonly RyeConfigRequest[]
    readonly isList: boolean
  } | null
  /** Names of declared parameters, for placeholders without a value. */
  readonly declaredParams: readonly string[]
}
