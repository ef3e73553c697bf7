// What foreign servers wrote lately, kept in memory for whoever looks after them.

export interface ServerLogLine {
  readonly at: string
  /** `crib`: said by us, of the connection; `server`: written by the server, which nobody need believe. */
  readonly by: 'crib' | 'server'
  readonly text: string
}

const mostLines = 400
const mostChars = 2_000
const mostServers = 200

export class ServerLogs {
  readonly #lines = new Map<string, ServerLogLine[]>()

  add(server: string, by: ServerLogLine['by'], text: string): void {
    const lines = this.#lines.get(server) ?? []
    if (lines.length === 0 && this.#lines.size >= mostServers) return
    this.#lines.set(server, lines)
    const at = new Date().toISOString()
    for (const line of text.split('\n')) {
      const clean = line.trimEnd()
      if (clean === '') continue
      lines.push({ at, by, text: clean.length > mostChars ? `${clean.slice(0, mostChars)} [cut]` : clean })
    }
    if (lines.length > mostLines) lines.splice(0, lines.length - mostLines)
  }

  /** Oldest first. */
  of(server: string): readonly ServerLogLine[] {
    return this.#lines.get(server) ?? []
  }
}
