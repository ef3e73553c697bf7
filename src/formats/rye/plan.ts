// What the rye format hands to the runtimes: a tool's executor chain boiled down to data. Paths are absolute;
// templates (`{name}`, `${VAR}`) are still unexpanded, because params and environment are known only at the call.
import type { JsonObject } from '../../tool/json.ts'

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

export interface RyePlan {
  readonly primitive: RyePrimitive
  /** The defining file. */
  readonly toolFile: string
  /** The code file that runs; null for tools that are configuration only. */
  readonly codeFile: string | null
  /** The shipped or user-written runtime entry between tool and primitive; null when there is none. */
  readonly runtimeId: string | null
  readonly runtimeFile: string | null
  /**
   * How the code file is entered, found by reading it: a `function` is imported and called, a `script` is run as
   * the main program.
   */
  readonly entry: 'function' | 'script' | null
  readonly entryName: 'execute' | 'main' | 'default' | null
  /** The file's text mentions these flags, so they are passed. */
  readonly mentions: { readonly projectPath: boolean; readonly params: boolean }
  /** `config` merged primitive → runtime → tool. */
  readonly config: JsonObject
  /** The parts of it that R46 ranks separately, in seconds. */
  readonly timeouts: { readonly tool?: number; readonly toolConfig?: number; readonly runtimeConfig?: number }
  readonly interpreter: RyeInterpreter | null
  /** `env_config.env`, then `config.env`, unexpanded. */
  readonly env: { readonly [name: string]: string }
  readonly anchor: RyeAnchor | null
  readonly configResolve: { readonly requests: readonly RyeConfigRequest[]; readonly isList: boolean } | null
  readonly runtimeConfigResolve: {
    readonly requests: readonly RyeConfigRequest[]
    readonly isList: boolean
  } | null
  /** Names of declared parameters, for placeholders without a value. */
  readonly declaredParams: readonly string[]
}
