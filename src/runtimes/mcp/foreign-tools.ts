// The tools of foreign servers, as far as they are known: recalled from disk at once, asked for when needed.

import { specOf } from '../../formats/mcp/server-tool.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { JsonObject } from '../../tool/json.ts'
import { mcpToolName } from '../../tool/mcp-name.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { RuntimeEnv } from '../runtime.ts'
import type { LoginTarget } from '../server-logins.ts'
import type { LoggedAside } from './connections.ts'
import { type Discovered, footingOf, recallServer, recallSilence } from './definitions.ts'
import { isInUse } from './is-in-use.ts'
import type { ServerLogLine } from './server-log.ts'
import type { Watch } from './watch-resource.ts'

export interface ForeignToolsOptions {
  readonly env: RuntimeEnv
  /** The server entries of the catalog, as they are now. */
  servers(): readonly Tool[]
  /** What a tool may touch; with a principal, when that one asks. */
  profileOf(tool: Tool, principal?: Principal): Profile
  /** Takes the tools over into the catalog. */
  adopt(tools: readonly Tool[], problems: readonly Problem[]): void
  /** Told what a server logs that belongs to no call. */
  onLoggedAside(said: LoggedAside): void
}

export interface DiscoverOptions {
  /** Ask every server again, also one that answered a moment ago. */
  readonly refresh?: boolean
  /** Only this server. */
  readonly server?: string
  /** How long to wait for one server; default `mcp.listTimeoutMs`. */
  readonly timeoutMs?: number
  /** Gives servers time to start, and asks those that failed in another process too. */
  readonly isPatient?: boolean
  /** Told which servers are waited for, whenever that changes; nobody at the end. */
  onWaiting?(servers: readonly string[]): void
}

const freshMs = 10 * 60 * 1000
const retryMs = 10_000
/** How long a server that was silent is not asked again, where somebody would have to wait for it. */
const silentMs = 60_000
/** Notices of a server that come together are one. */
const burstMs = 100
/** One that says with every list that it has changed is left alone after so many. */
const maxRounds = 3
/** The time of a server nobody waits for, or whose tool is being called. */
const patientMs = 20_000

export class ForeignTools {
  readonly #options: ForeignToolsOptions
  readonly #known = new Map<string, Discovered>()
  readonly #asking = new Map<string, Promise<void>>()
  /** Servers asked over a connection that still stands and that has said nothing of changes. */
  readonly #confirmed = new Set<string>()
  /** How often a server said that its tools changed. */
  readonly #notices = new Map<string, number>()
  readonly #soon = new Map<string, NodeJS.Timeout>()
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
    const isPatient = options.isPatient === true || this.#isFollowing
    if (!isPatient && !options.refresh) this.#recallSilence()
    const wanted = this.#servers().filter((server) => {
      if (options.server !== undefined && specOf(server)!.name !== options.server) return false
      return options.refresh === true || !this.#isFresh(server)
    })
    if (wanted.length === 0) return
    const { listTimeoutMs } = this.#options.env.config.mcp
    const waitMs =
      options.timeoutMs ?? (options.isPatient ? Math.max(patientMs, listTimeoutMs) : listTimeoutMs)
    const askMs = isPatient ? Math.max(patientMs, waitMs) : waitMs
    // One that failed before is asked in the background by a process that goes on, and joins when it answers.
    const waiting = new Set<string>()
    const asked = wanted.flatMap((server) => {
      const { name } = specOf(server)!
      const isAside =
        this.#isFollowing && !options.refresh && this.#known.get(server.id)?.problem !== undefined
      if (!isAside) waiting.add(name)
      const answered = this.#ask(server, askMs).then(() => {
        if (waiting.delete(name)) options.onWaiting?.([...waiting])
      })
      if (!isAside) return [answered]
      // A fault of ours, which no answer is, comes again and is told where somebody waits.
      answered.catch(() => {})
      return []
    })
    options.onWaiting?.([...waiting])
    await atMost(waitMs, Promise.all(asked), askMs)
    options.onWaiting?.([])
  }

  /** What a server that is not in the catalog says; nothing of it is taken over. */
  async tryOut(server: Tool): Promise<Discovered> {
    const { askServer } = await import('./ask-server.ts')
    await this.#listen()
    return askServer(server, this.#profileOf(server), this.#options.env, patientMs)
  }

  /** Ends what is open to a server, also what hangs, and asks it again. */
  async reconnect(server: string): Promise<void> {
    const { connectionsOf } = await import('./connections.ts')
    await connectionsOf(this.#options.env).close(server)
    await this.discover({ server, refresh: true, isPatient: true })
  }

  /** Ends what is open to every server (G25). */
  async disconnect(): Promise<void> {
    const { connectionsOf } = await import('./connections.ts')
    await connectionsOf(this.#options.env).closeAll()
  }

  /** Tells servers that the folders of a client changed. */
  async rootsChanged(as: Principal, ask: () => Promise<unknown>): Promise<void> {
    const { connectionsOf } = await import('./connections.ts')
    await connectionsOf(this.#options.env).rootsChanged(as, ask)
  }

  async logOf(server: string): Promise<readonly ServerLogLine[]> {
    const { connectionsOf } = await import('./connections.ts')
    return connectionsOf(this.#options.env).logs.of(server)
  }

  /** From now on asks again when a server says that its tools changed. */
  async follow(): Promise<void> {
    if (this.#isFollowing || this.#servers().length === 0) return
    this.#isFollowing = true
    await this.#listen()
  }

  /**
   * Makes sure that the tool's server was asked over the connection that stands; what it says is adopted. One that is
   * kept apart is always asked for again: its server may be as it was approved once more.
   */
  confirm(tool: Tool): Promise<void> | undefined {
    const name = tool.details?.server
    if (typeof name !== 'string' || (this.#confirmed.has(name) && tool.state !== 'quarantined'))
      return undefined
    const server = this.#servers().find((each) => specOf(each)!.name === name)
    return server && this.#ask(server, patientMs)
  }

  /** Asks the server of a prompt or resource which values an argument of it can have. */
  async complete(tool: Tool, params: object, as: Principal, signal: AbortSignal): Promise<JsonObject> {
    const { completionOf } = await import('./ask-server.ts')
    const { env, profileOf } = this.#options
    return completionOf(tool, { profile: profileOf(tool, as), principal: as, env }, params, signal)
  }

  /** Tells when a resource changes, as its server says; gives back how to stop. */
  async watch(
    resource: () => Promise<Tool>,
    watch: Pick<Watch, 'uri' | 'onUpdated'>,
    as: Principal,
    signal: AbortSignal,
  ): Promise<() => void> {
    const { watchOf } = await import('./ask-server.ts')
    const { env, profileOf } = this.#options
    await this.#listen()
    const asked = async () => {
      const tool = await resource()
      return { tool, profile: profileOf(tool, as), principal: as, env }
    }
    return watchOf(asked, watch, signal)
  }

  /** The server as somebody logs in to it; undefined where there is nothing to log in to. */
  async loginTarget(server: Tool, principal: Principal): Promise<LoginTarget | undefined> {
    const [{ targetFor }, { forPrincipal, loginTargetOf }] = await Promise.all([
      import('./server-target.ts'),
      import('./login-target.ts'),
    ])
    const { env } = this.#options
    const { target } = await targetFor(specOf(server)!, env)
    return loginTargetOf(forPrincipal(target, principal), this.#profileOf(server).network)
  }

  async #listen(): Promise<void> {
    const { connectionsOf } = await import('./connections.ts')
    const connections = connectionsOf(this.#options.env)
    connections.onLoggedAside = (said) => this.#options.onLoggedAside(said)
    connections.onClosed = (server) => this.#confirmed.delete(server)
    connections.onListChanged = (server) => {
      this.#confirmed.delete(server)
      this.#notices.set(server, (this.#notices.get(server) ?? 0) + 1)
      if (this.#isFollowing && !this.#soon.has(server))
        this.#soon.set(server, setTimeout(() => this.#again(server), burstMs).unref())
    }
  }

  #again(server: string): void {
    this.#soon.delete(server)
    this.discover({ server, refresh: true }).catch(() => {})
  }

  get #isGoing(): boolean {
    try {
      this.#options.env.demandGoing?.()
      return true
    } catch {
      return false
    }
  }

  #servers(): readonly Tool[] {
    return this.#options.servers().filter(isInUse)
  }

  #isFresh(server: Tool): boolean {
    const known = this.#known.get(server.id)
    if (known === undefined) return false
    const maxAgeMs = !known.problem ? freshMs : known.isSilent && !this.#isFollowing ? silentMs : retryMs
    return Date.now() - known.askedAt < maxAgeMs
  }

  /** Takes over what other processes met with a moment ago, so that a server that hangs is waited for once. */
  #recallSilence(): void {
    const failed = this.#servers().flatMap((server) => {
      if (this.#isFresh(server)) return []
      const { env } = this.#options
      return recallSilence(server, footingOf(this.#profileOf(server), env), env.spaces, silentMs) ?? []
    })
    for (const failure of failed) this.#known.set(failure.server.id, this.#withKnownTools(failure))
    if (failed.length > 0) this.#adopt()
  }

  /** A server that was only silent keeps the tools it named before. */
  #withKnownTools(failure: Discovered): Discovered {
    const before = failure.isSilent ? this.#known.get(failure.server.id) : undefined
    return before ? { ...failure, tools: before.tools } : failure
  }

  #ask(server: Tool, timeoutMs: number): Promise<void> {
    // What is known stands while the crib is halted: asking would start the server.
    if (!this.#isGoing) return Promise.resolve()
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
    const { name } = specOf(server)!
    for (let round = 1; ; round++) {
      const noticed = this.#notices.get(name)
      const heard = await askServer(server, this.#profileOf(server), this.#options.env, timeoutMs)
      this.#known.set(server.id, this.#withKnownTools(heard))
      // What it said may be older than the notice that came meanwhile.
      const isCurrent = this.#notices.get(name) === noticed
      if (isCurrent && !heard.problem) this.#confirmed.add(name)
      if (isCurrent || heard.problem || round === maxRounds) break
    }
    // Each on its own: one that is slow does not hold back the others.
    this.#adopt()
  }

  /** A server is asked with the rights its tools have, so that one connection serves both. */
  #profileOf(server: Tool): Profile {
    const id = mcpToolName(specOf(server)!.name, 'any')
    return this.#options.profileOf({
      ...server,
      id,
      kind: 'callable',
      runtime: { name: 'mcp', plan: { server: specOf(server)!, tool: '' } },
    })
  }

  #adopt(): void {
    const all = this.#servers().flatMap((server) => this.#known.get(server.id) ?? [])
    this.#options.adopt(
      all.flatMap((known) => known.tools),
      all.flatMap(({ problem, gaps = [] }) => (problem ? [problem, ...gaps] : gaps)),
    )
  }
}

/** Waits for all that were asked, but not longer than `waitMs`; those that may take `askMs` go on. */
async function atMost(waitMs: number, asked: Promise<unknown>, askMs: number): Promise<void> {
  if (askMs <= waitMs) {
    await asked
    return
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([asked, late])
  clearTimeout(timer)
}
