// Who asks. Grants, allow lists and the audit record hang on it.

export type Surface = 'cli' | 'mcp' | 'http' | 'library' | 'event' | 'agent' | 'tool' | 'console'

export interface Caller {
  readonly surface: Surface
  /** The person, token or agent behind the call, by name, never by secret. */
  readonly name?: string
  /** Id of the calling tool, when a tool calls a tool. */
  readonly tool?: string
  /** allowed-tools list that binds this caller; absent means no restriction. */
  readonly allowedTools?: string
  /** Grants that narrow what the crib grants; absent means all the crib grants. */
  readonly grants?: readonly string[]
  /** A public call comes from outside (CLI, MCP, HTTP, an agent), an internal one from a tool's code. */
  readonly isPublic: boolean
}

/** The caller a program is when it uses the library. */
export const libraryCaller: Caller = { surface: 'library', isPublic: true }
