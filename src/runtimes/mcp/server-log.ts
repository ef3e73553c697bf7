// What foreign servers wrote lately, kept in memory for whoever looks after them.

export interface ServerLogLine {
  readonly at: string
  /** `crib`: said by us, of the connection; `server`: written by the server, which nobody need believe. */
  readonly by: 'crib' | 'server'
  readonly text: string
}

const maxLines = 400
const maxChars = 2_000
const maxServers = 200

export class ServerLogs {
  readonly #lines = new Map<string, ServerLogLine[]>()

  add(server: string, by: ServerLogLine['by'], text: string): void {
    const lines = this.#lines.get(server) ?? []
    if (lines.length === 0 && this.#lines.size >= maxServers) return
    this.#lines.set(server, lines)
    const at = new Date().toISOString()
    for (const line of text.split('\n')) {
      const clean = line.trimEnd()
      if (clean === '') continue
      lines.push({ at, by, text: clean.length > maxChars ? `${clean.slice(0, maxChars)} [cut]` : clean })
    }
    if (lines.length > maxLines) lines.splice(0, lines.length - maxLines)
  }

  /** Oldest first. */
  of(server: string): readonly ServerLogLine[] {
    return this.#lines.get(server) ?? []
  }
}
