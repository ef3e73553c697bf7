// The foreign MCP servers of a crib. What speaks to them is loaded when there is one.

import type { Catalog } from '../catalog/catalog.ts'
import { specOf } from '../formats/mcp/server-tool.ts'
import type { LoggedAside } from '../runtimes/mcp/connections.ts'
import type { Discovered } from '../runtimes/mcp/definitions.ts'
import type { DiscoverOptions, ForeignTools } from '../runtimes/mcp/foreign-tools.ts'
import { isInUse } from '../runtimes/mcp/is-in-use.ts'
import type { ServerLogLine } from '../runtimes/mcp/server-log.ts'
import type { Watch } from '../runtimes/mcp/watch-resource.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import type { LoginTarget } from '../runtimes/server-logins.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import type { Profile } from '../sandbox/profile.ts'
import { grantsFor, narrowGrants } from '../sandbox/tool-grants.ts'
import type { JsonObject } from '../tool/json.ts'
import { nearNames } from '../tool/near-names.ts'
import { identityOf, type Principal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'

/** What a server logged aside from every call. */
export type ServerSaid = Omit<LoggedAside, 'user'>

interface LogListener {
  readonly user: string
  tell(said: ServerSaid): void
}

export class ForeignServers {
  readonly #catalog: Catalog
  readonly #env: () => RuntimeEnv
  readonly #protectedSet: () => ProtectedSet
  readonly #logListeners = new Set<LogListener>()
  #tools: ForeignTools | undefined

  constructor(catalog: Catalog, env: () => RuntimeEnv, protectedSet: () => ProtectedSet) {
    this.#protectedSet = protectedSet
    this.#catalog = catalog
    this.#env = env
  }

  /** Their definitions. */
  get servers(): Tool[] {
    return this.#catalog.tools.filter((tool) => specOf(tool) !== undefined)
  }

  /** True when one was not asked for its tools yet. */
  get hasUnasked(): boolean {
    return this.#tools?.hasUnasked ?? false
  }

  /** What a tool that is reached over the network may touch, for this principal. */
  profileOf(tool: Tool, principal?: Principal): Profile {
    const { config, spaces } = this.#env()
    const own = grantsFor(tool, config)
    const grants = principal?.grants ? narrowGrants(own, principal.grants) : own
    return makeProfile(tool, grants, { config, spaces, protectedSet: this.#protectedSet() })
  }

  /** Takes the tools that an earlier run heard of; contacts nobody. */
  async recall(): Promise<void> {
    if (this.#tools || this.servers.length > 0) (await this.#opened()).recall()
  }

  /** What a server that is not in the crib says of itself. */
  async tryOut(server: Tool): Promise<Discovered> {
    return (await this.#opened()).tryOut(server)
  }

  /** Closes what is open to a server and asks it again. */
  async reconnect(name: string): Promise<void> {
    const tools = await this.#opened()
    await tools.reconnect(specOf(this.#named(name))!.name)
  }

  /** Ends what is open to every server. */
  async disconnect(): Promise<void> {
    await this.#tools?.disconnect()
  }

  /** Why a server says nothing; undefined when it does. */
  problemOf(name: string): Problem | undefined {
    return this.#named(name).problems[0]
  }

  /** What a server wrote lately, and when it came and went. */
  async logOf(name: string): Promise<readonly ServerLogLine[]> {
    return (await this.#opened()).logOf(specOf(this.#named(name))!.name)
  }

  async #opened(): Promise<ForeignTools> {
    if (this.#tools) return this.#tools
    const { ForeignTools } = await import('../runtimes/mcp/foreign-tools.ts')
    const env = this.#env()
    this.#tools ??= new ForeignTools({
      env,
      servers: () => this.servers,
      profileOf: (tool, principal) => this.profileOf(tool, principal),
      adopt: (tools, problems) => this.#catalog.setForeignTools(tools, problems),
      onLoggedAside: ({ user, ...said }) => {
        for (const listener of this.#logListeners) if (listener.user === user) listener.tell(said)
      },
    })
    return this.#tools
  }

  async discover(options?: DiscoverOptions): Promise<void> {
    await this.#tools?.discover(options)
  }

  /** Follows what they say of their lists. */
  async follow(): Promise<void> {
    await this.#tools?.follow()
  }

  /** Has a tool described by its server once more; undefined when that is not due, or it is no server's tool. */
  confirm(tool: Tool): Promise<void> | undefined {
    return this.#tools?.confirm(tool)
  }

  /** Which values an argument of a prompt or resource can have, as its server says. */
  async complete(tool: Tool, params: object, as: Principal, signal: AbortSignal): Promise<JsonObject> {
    return this.#tools ? this.#tools.complete(tool, params, as, signal) : {}
  }

  /** Tells servers that the folders of a client changed. */
  async rootsChanged(as: Principal, ask: () => Promise<unknown>): Promise<void> {
    await this.#tools?.rootsChanged(as, ask)
  }

  /** Tells what servers log aside from a call, on the connections of a principal's calls; gives back how to stop. */
  followLogs(as: Principal, tell: (said: ServerSaid) => void): () => void {
    const listener = { user: identityOf(as), tell }
    this.#logListeners.add(listener)
    return () => this.#logListeners.delete(listener)
  }

  /** Tells when a resource changes; gives back how to stop. */
  async watch(
    resource: () => Promise<Tool>,
    watch: Pick<Watch, 'uri' | 'onUpdated'>,
    as: Principal,
    signal: AbortSignal,
  ): Promise<() => void> {
    return (await this.#opened()).watch(resource, watch, as, signal)
  }

  /** A server as somebody logs in to it (U4); throws where that cannot be. */
  async loginTarget(name: string, principal: Principal): Promise<LoginTarget> {
    const server = this.#named(name)
    const target = isInUse(server) ? await this.#tools?.loginTarget(server, principal) : undefined
    if (target) return target
    const why =
      server.reason ??
      (specOf(server)!.transport === 'stdio' ? 'it runs here' : 'its entry has a header Authorization')
    throw new ToolError('FORBIDDEN', `"${name}" cannot be logged in to: ${why}.`, {
      hint: `See \`toolcrib why ${server.id}\`.`,
    })
  }

  #named(name: string): Tool {
    const server = this.servers.find((each) => specOf(each)!.name === name || each.id === name)
    if (server) return server
    const names = this.servers.map((each) => specOf(each)!.name)
    const [near] = nearNames(name, names)
    throw new ToolError('NOT_FOUND', `There is no MCP server "${name}" in this crib.`, {
      hint: near ? `Did you mean "${near}"?` : 'See `toolcrib list --kind server --all`.',
    })
  }

  /** What is wrong with the server whose tool a ref seems to name. */
  async whySilent(ref: string): Promise<ToolError | undefined> {
    if (this.servers.length === 0) return undefined
    const { aboutServers } = await import('../runtimes/mcp/about-servers.ts')
    const [about] = aboutServers(this.servers, ref)
    if (!about) return undefined
    if (about.code === 'mcp-login-needed')
      return new ToolError('AUTH_REQUIRED', about.message, {
        hint: about.hint,
        details: { server: about.server, ref },
      })
    const message = `There is no tool "${ref}" in this crib: ${about.message}`
    return new ToolError('TOOL_NOT_FOUND', message, about.hint ? { hint: about.hint } : {})
  }
}
