// What a tool of a foreign MCP server hands to the mcp runtime: how its server is reached, as the files say it.
import type { ServerAuth } from './server-auth.ts'

export interface ServerLimits {
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly processes?: number
  readonly outputBytes?: number
}

/** One server; `${VAR}` in its texts stands for a variable of the host and is filled in at the call. */
export interface McpServerSpec {
  readonly name: string
  readonly transport: 'stdio' | 'http'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** A file of the crib with more of its environment. */
  readonly envFile?: string
  readonly cwd?: string
  readonly url?: string
  /** It speaks HTTP with server-sent events, the transport of 2024-11-05. */
  readonly isSse?: boolean
  readonly headers?: { readonly [name: string]: string }
  /** How it is logged in to; absent: its own answer decides (U4). */
  readonly auth?: ServerAuth
  readonly timeoutMs?: number
  readonly concurrency?: number
  /** The fence of its process in place of that of the settings, as far as these let it (U3d). */
  readonly sandbox?: 'required' | 'preferred' | 'off'
  /** Less than the settings let a process have. */
  readonly limits?: ServerLimits
  /** One process serves every principal; else each has its own (G23). */
  readonly shared?: boolean
  /** Its own names of the tools that are taken in; absent: all. */
  readonly includeTools?: readonly string[]
  /** Those that are left out. */
  readonly excludeTools?: readonly string[]
  /** Written by the operator in toolcrib.yaml, not found in a folder. */
  readonly isOperators: boolean
}

export interface McpPlan {
  readonly server: McpServerSpec
  /** The server's own name of the tool or prompt, or the address of the resource or of its template. */
  readonly tool: string
  /** What it is to the server; absent: a tool. */
  readonly as?: 'prompt' | 'resource' | 'template' | 'instructions'
}
