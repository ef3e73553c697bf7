// What `toolcrib add` came to, for people and for programs.

export interface Added {
  /** Absolute paths of what was written. */
  readonly files: readonly string[]
  /** Ids of the tools that can be called now. */
  readonly tools: readonly string[]
  /** What the person should know, in sentences. */
  readonly notes: readonly string[]
  /** The code of what went wrong, where a part could not be taken in. */
  readonly failure?: string | undefined
  /** What would be written, by path under the crib; only where nothing was. */
  readonly texts?: { readonly [path: string]: string } | undefined
}

export interface AddOptions {
  readonly dryRun: boolean
  /** Id of the new tool, or name of the new server. */
  readonly id?: string
  readonly example?: string
  /** Watch its first call and write the grants it needs. */
  readonly learns?: boolean
  /** Operations of an API: globs on the id, `#tag`, or `METHOD /path`. */
  readonly include?: readonly string[] | undefined
}

/** Several things taken in by one command. */
export function joinAdded(all: readonly Added[]): Added {
  const texts = all.flatMap((one) => (one.texts ? [one.texts] : []))
  return {
    files: all.flatMap(({ files }) => files),
    tools: all.flatMap(({ tools }) => tools),
    notes: saidOnce(all.flatMap(({ notes }) => notes)),
    failure: all.find(({ failure }) => failure !== undefined)?.failure,
    texts: texts.length > 0 ? Object.assign({}, ...texts) : undefined,
  }
}

/** What holds for all of them stands once, at the end. */
function saidOnce(notes: readonly string[]): string[] {
  return notes.filter((note, at) => notes.lastIndexOf(note) === at)
}

export function notWritten({ dryRun }: AddOptions): string {
  return dryRun ? 'Nothing was written (--dry-run).' : 'Nothing was written; add --yes to write it.'
}
