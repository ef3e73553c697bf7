// Breadcrumbs, secrets and records as a crib holds them: nothing is opened until something is asked for. A run record
// opens only the database; the rest comes when it is used.

import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Engines } from '../automation/engines.ts'
import type { OwnRequests } from '../automation/own-requests.ts'
import type { Config } from '../config/config.ts'
import { keepMs } from '../config/keep-ms.ts'
import type { Spaces } from '../config/spaces.ts'
import type { ListParams, SearchParams, WriteResult } from '../events/crumbs.ts'
import type { Feed, FeedOptions } from '../events/feed.ts'
import { StoredToolFeed } from '../events/stored-tool-feed.ts'
import type { StoredTools } from '../events/stored-tools.ts'
import type { FleetReport } from '../fleet/fleet-report.ts'
import { FleetSlots } from '../fleet/fleet-slots.ts'
import { toolLimit, toolLimits } from '../fleet/tool-limits.ts'
import type { Call } from '../kernel/call.ts'
import { RunLog } from '../runs/run-log.ts'
import type { Broker } from '../runtimes/deno/broker.ts'
import type { Logins } from '../secrets/logins/logins.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { released, secretsOfCall } from '../secrets/secrets-of-call.ts'
import type { Bus } from '../store/bus.ts'
import { type Clock, systemClock } from '../store/clock.ts'
import type { CrumbItem } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { isStoreFault } from '../store/store-error.ts'
import { underLease } from '../store/under-lease.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Notify } from '../tool/notify.ts'
import { defaultOwner, libraryPrincipal, type Principal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import { chainSeal, secretsKey } from './crib-keys.ts'
import type { OpenBreadcrumbs, StartOptions } from './open-breadcrumbs.ts'
import { Rehearsal, rehearsalOf } from './rehearsal.ts'
import { checkSeeds, seed } from './seed-crib.ts'

export interface BreadcrumbsParts {
  /** The settings as they are now. */
  config(): Config
  readonly spaces: Spaces
  readonly env: NodeJS.ProcessEnv
  /** Every tool of the catalog, in precedence order. */
  tools(): readonly Tool[]
  /** Whether a list shows this one the tool. */
  maySee(tool: Tool, principal: Principal): boolean
  /** Whether a tool wrote a file, so that it counts for nothing. */
  isSetAside(file: string): boolean
  /** Told of the tools that live in the store and not in files, whenever they change. */
  onStoredTools(stored: StoredTools): void
  /** False keeps no cache on disk. */
  readonly useCache?: boolean
  readonly log?: Notify
  readonly clock?: Clock
}

export class Breadcrumbs {
  readonly runs: RunLog
  /** The tools that live in the store, on their way to the catalog. */
  readonly storedTools: StoredToolFeed
  /** The store as running tools see it. */
  readonly broker: Broker = {
    open: (run) => {
      const opened = rehearsalOf(run.call as Call) ?? this.#opened
      return opened ? opened.broker.open(run) : this.#openForCall().then(({ broker }) => broker.open(run))
    },
  }
  readonly #parts: BreadcrumbsParts
  #store: Promise<CrumbStore> | null = null
  #open: Promise<OpenBreadcrumbs> | null = null
  #opened: OpenBreadcrumbs | null = null
  #bus: Promise<Bus> | null = null
  #seedProblems: readonly Problem[] = []
  /** What seeding writes is taken over once, after it. */
  #isSeeding = false
  #recordFault: string | null = null
  readonly #slots = new FleetSlots(() => this.store())

  constructor(parts: BreadcrumbsParts) {
    this.#parts = parts
    this.storedTools = new StoredToolFeed({
      ...parts,
      clock: this.#clock,
      store: () => this.store(),
      onError: (error) => this.#log('error', error.message),
    })
    this.runs = new RunLog({
      store: () => this.store(),
      params: () => parts.config().audit.params,
      seal: chainSeal(parts),
      onError: (error) => this.#noteFault(error),
    })
  }

  /** What was wrong with seeding files, after the engines started. */
  get problems(): readonly Problem[] {
    return this.#seedProblems
  }

  get engines(): Promise<Engines | null> {
    return this.#open ? this.#open.then((open) => open.engines) : Promise.resolve(null)
  }

  /** False for a database in a file that nobody has made yet. */
  get isThere(): boolean {
    const { store } = this.#parts.config()
    return /:\/\//.test(store) || existsSync(resolve(this.#parts.spaces.project, store))
  }

  /** The database, opened once. */
  store(): Promise<CrumbStore> {
    if (!this.#store) {
      this.#store = this.#openStore()
      this.#store.catch(() => {
        this.#store = null
      })
    }
    return this.#store
  }

  /** Breadcrumbs, secrets and all that hangs on them. */
  open(): Promise<OpenBreadcrumbs> {
    if (!this.#open) {
      this.#open = this.store().then((store) => this.#openOn(store))
      this.#open.then(
        (opened) => {
          this.#opened = opened
        },
        () => {
          this.#open = null
        },
      )
    }
    return this.#open
  }

  async create(
    body: unknown,
    principal: Principal = libraryPrincipal,
    options: { readonly idempotencyKey?: string } = {},
  ): Promise<WriteResult> {
    return (await this.open()).crumbs.create(body, principal, options)
  }

  /** All fields, context untouched; NOT_FOUND when there is none. */
  async get(id: string, principal: Principal = libraryPrincipal): Promise<JsonObject> {
    return (await this.open()).crumbs.full(id, principal)
  }

  async list(
    params: ListParams = {},
    principal: Principal = libraryPrincipal,
  ): Promise<{ items: CrumbItem[]; next?: string }> {
    return (await this.open()).crumbs.list(params, principal)
  }

  async search(params: SearchParams, principal: Principal = libraryPrincipal): Promise<CrumbItem[]> {
    return (await this.open()).crumbs.search(params, principal)
  }

  async update(
    id: string,
    changes: unknown,
    principal: Principal = libraryPrincipal,
    ifMatch: number | null = null,
  ): Promise<WriteResult> {
    return (await this.open()).crumbs.update(id, changes, principal, ifMatch)
  }

  async remove(
    id: string,
    principal: Principal = libraryPrincipal,
    ifMatch: number | null = null,
  ): Promise<void> {
    await (await this.open()).crumbs.remove(id, principal, { ifMatch })
  }

  /** Follows the feed: what came after `since`, then what comes. */
  async *watch(options: FeedOptions = {}, principal: Principal = libraryPrincipal): Feed {
    yield* await this.follow(options, principal)
  }

  /** The same; what is written after it is settled comes. */
  async follow(options: FeedOptions = {}, principal: Principal = libraryPrincipal): Promise<Feed> {
    const { followFeed } = await import('../events/feed.ts')
    return followFeed(await this.store(), principal, options)
  }

  /** The values of the secrets a tool names; throws SECRET_MISSING with all that are missing. */
  async secretsFor(call: Call): Promise<{ [name: string]: string }> {
    const { secrets } = await this.#openForCall()
    return secretsOfCall(call, secrets, this.#parts.config())
  }

  /** The value of a secret for the crib itself, such as a token it asks for; undefined when there is none. */
  async secretNamed(name: string, reason: string): Promise<string | undefined> {
    const { secrets } = await this.open()
    const value = await released(() => secrets.release(name, defaultOwner, { place: {}, by: 'crib', reason }))
    return value ?? undefined
  }

  /** Opens the log-ins to foreign servers. */
  async openLogins(): Promise<Logins> {
    const [{ Logins }, { SecretBox }] = await Promise.all([
      import('../secrets/logins/logins.ts'),
      import('../secrets/secret-box.ts'),
    ])
    const { isKeyConfigured: isConfigured, ...place } = secretsKey(this.#parts)
    return new Logins({
      store: await this.store(),
      box: new SecretBox({ ...place, isConfigured }),
      secret: (name, server) => this.secretNamed(name, `for the server ${server}`),
      clientDocument: () => this.#parts.config().mcp.clientDocument,
    })
  }

  /** Files changed under a running server: tools whose file has gone go too. */
  async filesChanged(): Promise<void> {
    await this.storedTools.sweep((await this.open()).crumbs)
  }

  /** What starting would report of the files that are seeded; opens no store. */
  checkSeeds(): Promise<Problem[]> {
    return checkSeeds(this.#parts, this.#clock.now())
  }

  get #clock(): Clock {
    return this.#parts.clock ?? systemClock
  }

  /** Seeds the files' crumbs, then starts requests, subscriptions, schedules and bootstrap. */
  async start(options: StartOptions): Promise<Engines> {
    const { crumbs, store } = await this.open()
    const { config, spaces } = this.#parts
    // One node at a time: the next one finds everything done.
    this.#isSeeding = true
    await underLease(store, 'seeding', async () => {
      this.#seedProblems = await seed(this.#parts, crumbs)
    }).finally(() => {
      this.#isSeeding = false
    })
    for (const { severity, file, message } of this.#seedProblems)
      if (severity !== 'info')
        this.#log(
          severity === 'error' ? 'error' : 'warn',
          `${relative(spaces.project, file ?? '')}: ${message}`,
        )
    await this.storedTools.watch(store)
    return (await this.open()).start({
      ...this.#requestOptions(),
      schedules: config().schedules.engine,
      keep: { eventsMs: keepMs(config().events.keep), runsMs: keepMs(config().runs.keep) },
      nodeName: config().fleet.name ?? undefined,
      bus: await this.bus(),
      ...options,
    })
  }

  /** Starts nothing but what runs the requests that this process is handed. */
  async startOwn(options: StartOptions): Promise<OwnRequests> {
    return (await this.open()).startOwn({ ...this.#requestOptions(), ...options })
  }

  #requestOptions(): Pick<StartOptions, 'concurrency' | 'limits'> {
    const { config, tools } = this.#parts
    const { concurrency } = config().fleet
    return { concurrency, limits: () => toolLimits(config().fleet.tools, tools()) }
  }

  /** A throw-away store with what the files hold, for the calls it is given to; secrets are the crib's own. */
  rehearse(): Rehearsal {
    return new Rehearsal(async () => {
      const { secrets } = await this.#openForCall()
      const { openSqliteStore } = await import('../store/sqlite/sqlite-store.ts')
      const opened = await this.#openOn(openSqliteStore(':memory:'), {
        secrets,
        // What is written there is no tool of this crib.
        onToolWritten: async () => {},
      })
      await seed(this.#parts, opened.crumbs)
      return opened
    })
  }

  /** Waits for a slot under the limit of the call's tool over all nodes; null when it has none. */
  slot(call: Call): Promise<() => Promise<void>> | null {
    const most = toolLimit(this.#parts.config().fleet.tools, call.tool)
    return most === null ? null : this.#slots.take(call.tool, most, call.signal)
  }

  /** How work reaches this node; opened by the engines. */
  bus(): Promise<Bus> {
    this.#bus ??= this.#openBus()
    this.#bus.catch(() => {
      this.#bus = null
    })
    return this.#bus
  }

  /** The nodes of this crib and how their work stands. */
  async fleet(): Promise<FleetReport> {
    const [store, bus, engines] = await Promise.all([this.store(), this.bus(), this.engines])
    const { fleetReport } = await import('../fleet/fleet-report.ts')
    return fleetReport(store, bus, engines?.member.node ?? null, engines?.subscriptions.status() ?? [])
  }

  /** What keeps the store or the bus from being used now, by name; nothing when both are well. */
  async faults(): Promise<{ readonly [part: string]: string }> {
    const faults: { [part: string]: string } = {}
    const look = async (part: string, check: () => Promise<void>): Promise<void> => {
      try {
        await check()
      } catch (error) {
        faults[part] = (error as Error).message
      }
    }
    await look('store', async () => (await this.store()).check())
    if (!faults['store'] && this.#parts.config().bus !== 'memory')
      await look('bus', async () => (await this.bus()).check())
    return faults
  }

  /** A store that cannot be used is not the tool's failure. */
  async #openForCall(): Promise<OpenBreadcrumbs> {
    try {
      return await this.open()
    } catch (error) {
      if (!isStoreFault(error)) throw error
      throw new ToolError('STORE_UNAVAILABLE', error.message, {
        hint: error.hint,
        retryable: error.code === 'STORE_BUSY',
      })
    }
  }

  /** Stops the engines: claims and leases go back, nothing new is taken. */
  async stop(): Promise<void> {
    await this.storedTools.stop()
    if (this.#open) await (await this.#open.catch(() => null))?.close()
    if (this.#bus) await (await this.#bus.catch(() => null))?.close()
  }

  async close(): Promise<void> {
    await this.stop()
    this.#slots.close()
    await this.runs.flush()
    if (this.#store) await (await this.#store.catch(() => null))?.close()
  }

  async #openStore(): Promise<CrumbStore> {
    const { config, spaces, clock } = this.#parts
    const { openStore } = await import('../store/open-store.ts')
    return openStore(config(), spaces.project, clock)
  }

  async #openBus(): Promise<Bus> {
    const { openBus } = await import('../store/open-store.ts')
    return openBus(this.#parts.config().bus, await this.store(), (level, message) =>
      this.#log(level, message),
    )
  }

  async #openOn(
    store: CrumbStore,
    more: { readonly secrets?: Secrets; onToolWritten?(): Promise<void> } = {},
  ): Promise<OpenBreadcrumbs> {
    const { OpenBreadcrumbs } = await import('./open-breadcrumbs.ts')
    const { config, env, tools, maySee, clock, log } = this.#parts
    return new OpenBreadcrumbs({
      store,
      clock,
      log,
      tools,
      maySee,
      // Before the write is answered, so that a process that ends then has left it to the next one.
      onToolWritten: async () => (this.#isSeeding ? undefined : this.storedTools.adopt()),
      runLog: this.runs,
      ...secretsKey(this.#parts),
      secretEnvNames: config().secrets.env,
      env,
      ...more,
    })
  }

  /** A record that cannot be written is told once; the calls themselves go on. */
  #noteFault(error: unknown): void {
    const { message, hint } = errorData(error)
    if (message === this.#recordFault) return
    this.#recordFault = message
    this.#log('error', `Runs are not recorded: ${message} ${hint ?? ''}`.trimEnd())
  }

  #log(level: 'info' | 'warn' | 'error', message: string): void {
    if (this.#parts.log) this.#parts.log(level, message)
    else process.emitWarning(message, 'ToolcribWarning')
  }
}
