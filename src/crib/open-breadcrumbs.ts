// Puts breadcrumbs together: the store with its checks, secrets, run log and broker, and, when a server wants
// them, the engines that react.

import { crumbChecks } from '../automation/crumb-checks.ts'
import type { EngineParts } from '../automation/engine.ts'
import { type EngineOptions, Engines } from '../automation/engines.ts'
import { OwnRequests } from '../automation/own-requests.ts'
import { RequestEngine } from '../automation/requests.ts'
import { tickCheck } from '../automation/schedules.ts'
import { newNode } from '../config/node-identity.ts'
import { CatalogCrumb } from '../events/catalog-crumb.ts'
import { crumbBroker } from '../events/crumb-broker.ts'
import { Crumbs } from '../events/crumbs.ts'
import type { RunLog } from '../runs/run-log.ts'
import { Secrets } from '../secrets/secrets.ts'
import { type Bus, StoreBus } from '../store/bus.ts'
import type { Clock } from '../store/clock.ts'
import { defaultWorkspace } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import type { Notify } from '../tool/notify.ts'
import type { KnownTokens, Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'

export interface OpenBreadcrumbsOptions {
  readonly store: CrumbStore
  readonly clock?: Clock
  readonly workspaces?: readonly string[]
  /** Those of another store, for one that holds none of its own. */
  readonly secrets?: Secrets
  /** Where the secrets key lies; made on first use unless it is configured. */
  readonly keyFile: string
  readonly isKeyConfigured?: boolean
  readonly keyText?: string
  readonly secretEnvNames?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Every tool of the catalog, in precedence order. */
  tools?(): readonly Tool[]
  /** Whether one sees a tool, for those that are narrowed; absent: none. */
  maySee?(tool: Tool, principal: Principal): boolean
  /** Awaited after a write that concerns a tool, whoever wrote it here. */
  onToolWritten?(): Promise<void>
  readonly runLog?: RunLog
  readonly log?: Notify
}

export interface StartOptions extends EngineOptions, Pick<EngineParts, 'invoke' | 'mustBeInSight'> {
  /** How requests reach this node; default: the store's own queue. */
  readonly bus?: Bus
  /** Who holds leases and claims; default: this process, told apart from all others. */
  readonly node?: string
  /** The tokens of the server, by which it is known what was taken away since. */
  readonly tokens?: KnownTokens
  /** True while the crib is halted. */
  isHalted?(): boolean
}

export class OpenBreadcrumbs {
  readonly store: CrumbStore
  readonly crumbs: Crumbs
  readonly secrets: Secrets
  readonly broker
  readonly #options: OpenBreadcrumbsOptions
  readonly #clock: Clock
  #engines: Engines | null = null
  #ownEngine: RequestEngine | null = null

  constructor(options: OpenBreadcrumbsOptions) {
    this.#options = options
    this.#clock = options.clock ?? options.store.clock
    this.store = options.store
    const { store } = this
    const tools = (): readonly Tool[] => options.tools?.() ?? []
    const log: Notify = options.log ?? (() => {})
    const checks = {
      ...crumbChecks({
        tools,
        workspaces: options.workspaces ?? [defaultWorkspace],
        warn: (message) => log('warn', message),
      }),
      'schedule.tick.v1': tickCheck(store, this.#clock),
    }
    this.crumbs = new Crumbs({
      store,
      clock: this.#clock,
      checks,
      onToolWritten: async () => options.onToolWritten?.(),
    })
    this.secrets =
      options.secrets ??
      new Secrets({
        store,
        clock: this.#clock,
        keyFile: options.keyFile,
        isConfigured: options.isKeyConfigured ?? false,
        keyText: options.keyText,
        envNames: options.secretEnvNames ?? [],
        env: options.env,
        audit: (access) =>
          options.runLog?.record({
            kind: 'secret',
            runId: '',
            tool: access.by,
            caller: access.by,
            surface: 'tool',
            startedAt: new Date(this.#clock.now()).toISOString(),
            ok: access.isReleased,
            reason: `${access.name}: ${access.reason}`,
          }),
      })
    this.broker = crumbBroker({
      crumbs: this.crumbs,
      secrets: this.secrets,
      mayCall: (id, principal) => {
        const tool = tools().find((one) => one.id === id)
        return tool !== undefined && (options.maySee?.(tool, principal) ?? false)
      },
    })
  }

  get engines(): Engines | null {
    return this.#engines
  }

  /** Starts requests, subscriptions, schedules and bootstrap. Resolves when all of them listen. */
  async start(options: StartOptions): Promise<Engines> {
    if (this.#engines) return this.#engines
    const parts = this.#engineParts(options)
    const workspaces = this.#options.workspaces ?? [defaultWorkspace]
    const catalog = new CatalogCrumb(this.crumbs, this.#clock, workspaces[0]!, parts.tools)
    this.#engines = new Engines(parts, catalog, { workspaces, ...options })
    await this.#engines.start()
    return this.#engines
  }

  /** Starts nothing but what runs the requests that this process is handed. */
  async startOwn(options: StartOptions): Promise<OwnRequests> {
    const bus = new OwnRequests(this.store, this.#clock)
    this.#ownEngine = new RequestEngine(this.#engineParts({ ...options, bus }), {
      workspaces: this.#options.workspaces,
      ...options,
    })
    await this.#ownEngine.start()
    return bus
  }

  #engineParts(options: StartOptions): EngineParts {
    return {
      store: this.store,
      bus: options.bus ?? new StoreBus(this.store),
      clock: this.#clock,
      node: options.node ?? newNode(),
      invoke: options.invoke,
      mustBeInSight: options.mustBeInSight,
      tools: () => this.#options.tools?.() ?? [],
      tokens: options.tokens,
      isHalted: options.isHalted,
      log: this.#options.log ?? (() => {}),
    }
  }

  /** Stops the engines; the store stays open, it is its opener's. */
  async close(): Promise<void> {
    await Promise.all([this.#engines?.stop(), this.#ownEngine?.stop()])
    await this.#options.runLog?.flush()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
