// What `toolcrib add` came to, for people and for programs.

export interface Added {
  /** Absolute paths of what was written. */
  readonly files: readonly string[]
  /** Ids of the tools that can be called now. */
  readonly tools: readonly string[]
  /** What the person should know, in sentences. */
  readonly notes: readonly string[]
  /** What would be written, by path under the crib; only where nothing was. */
  readonly texts?: { readonly [path: string]: string }
}

export interface AddOptions {
  readonly dryRun: boolean
  /** Id of the new tool, or name of the new server. */
  readonly id?: string
  readonly example?: string
}
