// The tools of foreign servers, as far as they are known: recalled from disk at once, asked for when needed.
import { specOf } from '../../formats/mcp/index.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { mcpToolName } from '../../tool/mcp-name.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { type Discovered, recallServer } from './definitions.ts'

export interface ForeignToolsOptions {
  readonly env: RuntimeEnv
  /** The server entries of the catalog, as they are now. */
  servers(): readonly Tool[]
  /** What a tool may touch. */
  profileOf(tool: Tool): Profile
  /** Takes the tools over into the catalog. */
  adopt(tools: readonly Tool[], problems: readonly Problem[]): void
}

export interface DiscoverOptions {
  /** Ask every server again, also one that answered a moment ago. */
  readonly refresh?: boolean
  /** Only this server. */
  readonly server?: string
  /** How long one server may take. */
  readonly timeoutMs?: number
}

const freshMs = 10 * 60 * 1000
const retryMs = 10_000
const standardTimeoutMs = 20_000

export class ForeignTools {
  readonly #options: ForeignToolsOptions
  readonly #known = new Map<string, Discovered>()
  readonly #asking = new Map<string, Promise<void>>()
  /** Servers asked over a connection that still stands and that has said nothing of changes. */
  readonly #confirmed = new Set<string>()
  #isFollowing = false

  constructor(options: ForeignToolsOptions) {
    this.#options = options
  }

  /** Takes what the disk remembers and forgets servers that are gone; contacts nobody. */
  recall(): void {
    const servers = this.#servers()
    const names = new Set(servers.map((server) => server.id))
    for (const [id, { server }] of this.#known) {
      const now = servers.find((each) => each.id === id)
      if (!names.has(id) || now?.source.digest !== server.source.digest) this.#known.delete(id)
    }
    for (const server of servers) {
      if (this.#known.has(server.id)) continue
      const recalled = recallServer(server, this.#options.env.spaces)
      if (recalled) this.#known.set(server.id, recalled)
    }
    this.#adopt()
  }

  /** True when some server was never asked, or not for a while. */
  get hasUnasked(): boolean {
    return this.#servers().some((server) => !this.#isFresh(server))
  }

  /** Asks the servers that have not been asked lately, all at once; says nothing of failures but in problems. */
  async discover(options: DiscoverOptions = {}): Promise<void> {
    const wanted = this.#servers().filter((server) => {
      if (options.server !== undefined && specOf(server)!.name !== options.server) return false
      return options.refresh === true || !this.#isFresh(server)
    })
    if (wanted.length === 0) return
    await Promise.all(wanted.map((server) => this.#ask(server, options.timeoutMs ?? standardTimeoutMs)))
    this.#adopt()
  }

  /** From now on asks again when a server says that its tools changed. */
  async follow(): Promise<void> {
    if (this.#isFollowing || this.#servers().length === 0) return
    this.#isFollowing = true
    await this.#listen()
  }

  /** Makes sure that the tool's server was asked over the connection that stands; what it says is adopted. */
  async confirm(tool: Tool): Promise<void> {
    const server = this.#servers().find((each) => specOf(each)!.name === tool.extra?.['server'])
    if (!server || this.#confirmed.has(specOf(server)!.name)) return
    await this.#ask(server, standardTimeoutMs)
    this.#adopt()
  }

  async #listen(): Promise<void> {
    const { connectionsOf } = await import('./connections.ts')
    const connections = connectionsOf(this.#options.env)
    connections.onClosed = (server) => this.#confirmed.delete(server)
    connections.onToolsChanged = (server) => {
      this.#confirmed.delete(server)
      if (this.#isFollowing) void this.discover({ server, refresh: true })
    }
  }

  #servers(): readonly Tool[] {
    return this.#options
      .servers()
      .filter((server) => !['disabled', 'shadowed', 'quarantined'].includes(server.state))
  }

  #isFresh(server: Tool): boolean {
    const known = this.#known.get(server.id)
    return known !== undefined && Date.now() - known.askedAt < (known.problem ? retryMs : freshMs)
  }

  #ask(server: Tool, timeoutMs: number): Promise<void> {
    let asking = this.#asking.get(server.id)
    if (!asking) {
      asking = this.#contact(server, timeoutMs).finally(() => this.#asking.delete(server.id))
      this.#asking.set(server.id, asking)
    }
    return asking
  }

  async #contact(server: Tool, timeoutMs: number): Promise<void> {
    const { askServer } = await import('./ask-server.ts')
    await this.#listen()
    const controller = new AbortController()
    const { name } = specOf(server)!
    const late = new ToolError('TIMEOUT', `The MCP server "${name}" did not answer within ${timeoutMs} ms.`, {
      hint: 'Try its command by hand.',
    })
    const timer = setTimeout(() => controller.abort(late), timeoutMs)
    try {
      const { env, profileOf } = this.#options
      const heard = await askServer(server, profileOf(standIn(server, name)), env, controller.signal)
      this.#known.set(server.id, heard)
      if (!heard.problem) this.#confirmed.add(name)
    } finally {
      clearTimeout(timer)
    }
  }

  #adopt(): void {
    const all = this.#servers().flatMap((server) => this.#known.get(server.id) ?? [])
    this.#options.adopt(
      all.flatMap((known) => known.tools),
      all.flatMap((known) => known.problem ?? []),
    )
  }
}

/** A server is asked with the rights its tools have, so that one connection serves both. */
function standIn(server: Tool, name: string): Tool {
  return { ...server, id: mcpToolName(name, 'any'), kind: 'callable', runtime: { name: 'mcp', plan: {} } }
}
