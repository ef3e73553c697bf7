// The foreign MCP servers of a crib. What speaks to them is loaded when there is one.

import type { Catalog } from '../catalog/catalog.ts'
import { specOf } from '../formats/mcp/server-tool.ts'
import type { DiscoverOptions, ForeignTools } from '../runtimes/mcp/foreign-tools.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import { grantsFor, narrowGrants } from '../sandbox/tool-grants.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'

export class ForeignServers {
  readonly #catalog: Catalog
  readonly #env: () => RuntimeEnv
  readonly #protectedSet: () => ProtectedSet
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

  /** Takes the tools that an earlier run heard of; contacts nobody. */
  async recall(): Promise<void> {
    if (!this.#tools && this.servers.length === 0) return
    if (!this.#tools) {
      const { ForeignTools } = await import('../runtimes/mcp/foreign-tools.ts')
      const env = this.#env()
      this.#tools ??= new ForeignTools({
        env,
        servers: () => this.servers,
        profileOf: (tool, principal) => {
          const own = grantsFor(tool, env.config)
          return makeProfile(tool, principal?.grants ? narrowGrants(own, principal.grants) : own, {
            config: env.config,
            spaces: env.spaces,
            protectedSet: this.#protectedSet(),
          })
        },
        adopt: (tools, problems) => this.#catalog.setForeignTools(tools, problems),
      })
    }
    this.#tools.recall()
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

  /** What is wrong with the server whose tool a ref seems to name. */
  async whySilent(ref: string): Promise<ToolError | undefined> {
    if (this.servers.length === 0) return undefined
    const { aboutServers } = await import('../runtimes/mcp/about-servers.ts')
    const [about] = aboutServers(this.servers, ref)
    if (!about) return undefined
    const message = `There is no tool "${ref}" in this crib: ${about.message}`
    return new ToolError('TOOL_NOT_FOUND', message, about.hint ? { hint: about.hint } : {})
  }
}
