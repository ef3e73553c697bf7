// The parts of a crib, put together: this file knows every one of them. What an embedder uses is in crib.ts.
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Engines } from '../automation/engines.ts'
import type { Catalog, ToolChange } from '../catalog/catalog.ts'
import { spotsOf } from '../catalog/places.ts'
import { Resolver } from '../catalog/resolver.ts'
import { Skills } from '../catalog/skills.ts'
import { isOfInterest } from '../catalog/walk.ts'
import type { Config } from '../config/config.ts'
import type { Ask } from '../config/folder-asks.ts'
import { type FolderTrust, notAccepted } from '../config/folder-trust.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import type { Spaces } from '../config/spaces.ts'
import { version } from '../config/version.ts'
import { noStoredTools } from '../events/stored-tools.ts'
import { Halt } from '../fleet/halt.ts'
import type { Traits } from '../formats/format.ts'
import { Approvals } from '../guards/approvals.ts'
import { haltedError } from '../guards/checks/halted.ts'
import { Offers } from '../guards/offers.ts'
import { standardParts } from '../guards/registry.ts'
import type { GuardServices } from '../guards/services.ts'
import { SkillCalls } from '../guards/skills/skill-calls.ts'
import { resultPart } from '../guards/wrappers/returns.ts'
import type { Call, CallOptions } from '../kernel/call.ts'
import { Kernel } from '../kernel/kernel.ts'
import { AccessLog } from '../runs/access-log.ts'
import type { CribView } from '../runtimes/agent/crib-view.ts'
import { skillPrompt } from '../runtimes/agent/skill-texts.ts'
import type { Discovered } from '../runtimes/mcp/definitions.ts'
import type { DiscoverOptions } from '../runtimes/mcp/foreign-tools.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import type { Followers } from '../runtimes/skill/fenced/followers.ts'
import { type Globals, makeGlobals } from '../runtimes/skill/globals.ts'
import { runsInHost } from '../runtimes/skill/runs-in-host.ts'
import type { OnAccess } from '../sandbox/access/access.ts'
import { ProjectChanges } from '../sandbox/changes/project-changes.ts'
import type { Fence } from '../sandbox/fence.ts'
import { openFence } from '../sandbox/open-fence.ts'
import { withHiddenStore } from '../sandbox/store-place.ts'
import { failureOf } from '../tool/failure-of.ts'
import type { HaltState } from '../tool/halt-state.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import { libraryPrincipal, type Principal } from '../tool/principal.ts'
import { type Problem, saidWithPlace } from '../tool/problem.ts'
import { parseRef } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import type { Inference } from '../trust/inference/inference.ts'
import type { Lock } from '../trust/lock/lock.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import type { SetAside } from '../trust/set-aside.ts'
import type { TrustStore } from '../trust/trust-store.ts'
import { type Voucher, voucherOf } from '../trust/vouched.ts'
import { Supervisor } from '../workers/supervisor.ts'
import { AddedTools } from './added-tools.ts'
import { agentsView } from './agents-view.ts'
import { loginToApi } from './api-login.ts'
import { Breadcrumbs } from './breadcrumbs.ts'
import { carryChanges } from './carry-changes.ts'
import { serverAsks } from './folder-servers.ts'
import { ForeignServers } from './foreign-servers.ts'
import { guardServices } from './guard-services.ts'
import { loadInference } from './load-inference.ts'
import { nameAsks } from './name-asks.ts'
import type { StartOptions } from './open-breadcrumbs.ts'
import type { CribOptions } from './open-crib.ts'
import { closedPlaces, placeAsks } from './place-asks.ts'
import type { Pieces } from './plugin.ts'
import { Protection } from './protection.ts'
import { runtimeEnv } from './runtime-env.ts'
import { Runtimes } from './runtimes.ts'
import { secretAsks } from './secret-asks.ts'
import { CribLogins } from './server-logins.ts'

export interface OpenedParts {
  readonly spaces: Spaces
  readonly loaded: LoadedConfig
  readonly pieces: Pieces
  readonly catalog: Catalog
  readonly trust: TrustStore
  readonly lock: Lock
  readonly folder: FolderTrust
  readonly setAside: SetAside
}

export interface CribEvents {
  'tool-changed': [ToolChange]
  /** Files that a watched crib has just read again, absolute. */
  'files-changed': [readonly string[]]
  run: [Call]
  note: [{ readonly level: 'info' | 'warn' | 'error'; readonly message: string }]
}

export type CallCribOptions = Omit<Partial<CallOptions>, 'parent' | 'target'>

export class CribCore extends EventEmitter<CribEvents> {
  readonly spaces: Spaces
  readonly catalog: Catalog
  readonly kernel: Kernel
  /** Who is offered which tool. */
  readonly offers: Offers
  /** The keys this user trusts. */
  readonly trust: TrustStore
  /** What was approved, and what differs from it. */
  readonly lock: Lock
  /** What of the folder's own word counts. */
  readonly folder: FolderTrust
  /** What tools wrote and nobody accepted yet. */
  readonly setAside: SetAside
  /** Cascades and the main skill. */
  readonly skills: Skills
  /** What the contexts of all skills share. */
  readonly globals: Globals
  /** Breadcrumbs, secrets, run records; opened by their first use. */
  readonly crumbs: Breadcrumbs
  /** The log-ins to foreign servers. */
  readonly logins: CribLogins
  /** Told of what tools reach for. */
  readonly onAccess: OnAccess
  /** What no tool may change or make. */
  protected readonly protection: Protection
  /** Whether somebody stopped this crib, for all its processes. */
  readonly halt: Halt
  /** What calls changed in the crib's files. */
  readonly changed: ProjectChanges
  /** What tools reached for, denied and allowed. */
  readonly accesses: AccessLog
  readonly supervisor = new Supervisor()
  #fence: Fence | undefined
  /** Calls that wait for a person. */
  readonly approvals = new Approvals(() => this.config.approvals.timeoutMs)
  /** Whether requests in the store are run by this process. */
  servesRequests = false
  /** What whoever watches a request adds to its call. */
  requestOptions: ((given: Pick<CallOptions, 'runId' | 'trigger'>) => CallCribOptions) | undefined
  protected readonly options: CribOptions
  protected loaded: LoadedConfig
  protected readonly added = new AddedTools()
  #stored = noStoredTools
  /** What ships and what plugins add. */
  protected readonly pieces: Pieces
  readonly #runtimes: Runtimes
  readonly #services: GuardServices
  readonly foreign: ForeignServers
  protected readonly resolver: Resolver
  readonly #view: CribView
  #skillCalls!: SkillCalls
  #traits: ReadonlyMap<string, Traits> | undefined
  #watcher: { close(): Promise<void> } | undefined
  #closing: Promise<void> | undefined

  constructor(options: CribOptions, parts: OpenedParts) {
    super()
    const { spaces, loaded, pieces, catalog, trust, lock, folder, setAside } = parts
    this.setAside = setAside
    this.pieces = pieces
    this.#runtimes = new Runtimes(() => this.#runtimeEnv(), this.added.functions, pieces.runtimes)
    this.folder = folder
    this.options = options
    this.spaces = spaces
    this.loaded = loaded
    this.catalog = catalog
    this.trust = trust
    this.lock = lock
    this.skills = new Skills(catalog, spaces.project)
    this.changed = new ProjectChanges({
      project: spaces.project,
      stateFolder: spaces.state,
      userState: spaces.userState,
      settings: () => this.config.effects,
      protectedSet: () => this.protectedSet,
      mayBeRead: (path) => isOfInterest(path, pieces.endings) || this.protectedSet.why(path) !== undefined,
      setAside,
      carry: (changes, layers) => carryChanges(this, changes, layers),
    })
    this.crumbs = new Breadcrumbs({
      config: () => this.config,
      spaces,
      env: this.env,
      tools: () => catalog.tools,
      isSetAside: (file) => setAside.ofFile(file) !== undefined,
      onStoredTools: (stored) => {
        this.#stored = stored
        this.adoptTools()
      },
      useCache: options.cache !== false,
      log: (level, message) => this.note(level, message),
    })
    this.accesses = new AccessLog({
      hasStore: () =>
        /:\/\//.test(this.config.store) || existsSync(resolve(spaces.project, this.config.store)),
      store: () => this.crumbs.store(),
      onError: (error) => this.note('warn', errorData(error).message),
    })
    this.onAccess = options.watch?.onAccess ?? ((tool, access) => this.accesses.note(tool, access))
    this.protection = new Protection({
      catalog,
      spaces,
      config: () => this.config,
      closed: () => closedPlaces({ project: spaces.project, loaded: this.loaded }, folder),
      formats: () => pieces.formats(),
    })
    this.halt = new Halt({
      state: spaces.state,
      shared: () => (/:\/\//.test(this.config.store) ? this.crumbs.store() : null),
    })
    this.halt.on('changed', (state) => this.#haltChanged(state))
    this.#services = guardServices(this, {
      runtimes: this.#runtimes,
      skillCalls: () => this.#skillCalls,
      traits: (tool) => this.traitsOf(tool),
    })
    this.foreign = new ForeignServers(
      catalog,
      () => this.#runtimeEnv(),
      () => this.protectedSet,
    )
    this.logins = new CribLogins({
      isStored: () => this.crumbs.isThere,
      open: () => this.crumbs.openLogins(),
      target: async (server, principal) =>
        (await loginToApi(server, {
          tools: catalog.tools,
          profileOf: async (tool) => {
            await this.protection.load()
            return this.foreign.profileOf(tool, principal)
          },
          secret: (name, reason) => this.crumbs.secretNamed(name, reason),
        })) ?? this.foreign.loginTarget(server, principal),
      refresh: (server) => this.discover({ server, refresh: true, isPatient: true }),
    })
    this.resolver = new Resolver({
      catalog,
      skills: this.skills,
      spaces,
      config: () => this.config,
      isWatched: () => this.#watcher !== undefined,
      reload: () => this.reload(),
      importSkill: async (tool, signal) => {
        const { importEarly } = await import('../guards/skills/import-early.ts')
        return importEarly(tool, await this.#runtimes.of('skill'), this.#services, signal)
      },
      askServers: () => (this.foreign.hasUnasked ? this.discover() : undefined),
      confirm: (tool) => (this.lock.isActive ? this.foreign.confirm(tool) : undefined),
      whyMissing: (ref) => this.whyMissing(ref),
      whySilent: (ref) => this.foreign.whySilent(ref),
    })
    const chain = [...standardParts(this.#services), ...pieces.parts]
    this.offers = new Offers(chain, () => Object.keys(this.config.models).length > 0)
    this.kernel = new Kernel({
      parts: chain,
      resolve: this.resolver.resolve,
      weaver: (kernel) => {
        this.#skillCalls = this.#makeSkillCalls(kernel)
        return this.#skillCalls
      },
    })
    this.#view = agentsView({
      env: this.env,
      catalog,
      skills: this.skills,
      kernel: this.kernel,
      calls: this.#skillCalls,
      resolver: this.resolver,
      crumbs: this.crumbs,
      offers: this.offers,
      runsInHost: (tool) => this.runsInHost(tool),
    })
    this.globals = makeGlobals(loaded.config)
    catalog.on('tool-changed', (change) => this.emit('tool-changed', change))
    catalog.on('changed', () => this.kernel.recompose())
  }

  /** The environment settings and keys are read from. */
  get env(): NodeJS.ProcessEnv {
    return this.options.env ?? process.env
  }

  get config(): Config {
    return this.loaded.config
  }

  /** What the folder's files ask for beyond the defaults, accepted or not. */
  get asks(): Ask[] {
    const { tools } = this.catalog
    return [
      ...this.loaded.asks,
      ...this.#placeAsks,
      ...serverAsks(tools),
      ...nameAsks(tools, this.lock),
      ...secretAsks(tools, this),
    ]
  }

  /** Protected places that the folder's grants name. */
  get #placeAsks(): Ask[] {
    const { loaded, spaces } = this
    if (loaded.folderGrants.length === 0) return []
    const file = join(spaces.project, 'toolcrib.yaml')
    return placeAsks({ project: spaces.project, loaded, file }, this.protectedSet)
  }

  /** What of them does not count. */
  protected get placeProblems(): Problem[] {
    return this.folder.unaccepted(this.#placeAsks).map((ask) => notAccepted(ask, this.folder.standingOf(ask)))
  }

  /** Who vouches for a tool as it stands now; null: nobody. */
  voucherOf(tool: Tool): Voucher | null {
    const { trust, lock, folder, catalog, spaces } = this
    return voucherOf(tool, { trust, lock, folder, tools: catalog.tools, spaces })
  }

  /** What no tool may change or make, as it is now; another object after every change of it. */
  get protectedSet(): ProtectedSet {
    return this.protection.set
  }

  /** What the code of tools can touch, as reading it tells; loaded by its first use. */
  async inference(): Promise<Inference> {
    this.lock.inference ??= await loadInference(this.spaces, this.options.cache !== false)
    return this.lock.inference
  }

  followersOf(call: Call): Followers | null {
    return this.#skillCalls.followersOf(call)
  }

  /** Whether the code that a skill brings runs inside this process (G14). */
  runsInHost(tool: Tool): boolean {
    return runsInHost(tool, { config: this.config, isVouched: (one) => this.voucherOf(one) !== null })
  }

  /** Finishes or takes back file changes that a process which died had not put in place to the end (E11). */
  async finishChanges(): Promise<void> {
    try {
      for (const { run, state } of await this.changed.recover())
        this.note(
          'warn',
          `The file changes of run ${run} were ${state === 'carried-through' ? 'put in place' : 'taken back'}: its process had died.`,
        )
    } catch (error) {
      this.note('error', errorData(error).message)
    }
  }

  /** Takes the tools of foreign MCP servers that an earlier run heard of; contacts nobody. */
  async recallForeignTools(): Promise<void> {
    if (this.foreign.servers.length > 0 || this.loaded.folderGrants.length > 0) await this.protection.load()
    await this.foreign.recall()
  }

  /** Takes the tools that live in the store; a store that cannot be read is told and hides no other tool. */
  async recallStoredTools(): Promise<void> {
    try {
      await this.crumbs.storedTools.recall()
    } catch (error) {
      this.note('error', error instanceof Error ? error.message : String(error))
    }
  }

  protected note(level: 'info' | 'warn' | 'error', message: string): void {
    const isHeard = this.emit('note', { level, message })
    if (!isHeard && level !== 'info') process.emitWarning(message, 'ToolcribWarning')
  }

  /**
   * Asks foreign MCP servers for their tools, those that were not asked lately. A server that cannot be reached
   * is a problem of the crib, not an error here.
   */
  async discover(options?: DiscoverOptions): Promise<void> {
    if (!this.loaded.fault) await this.foreign.discover(options)
  }

  /** What a server that is not in the crib offers; it runs fenced and is not taken in. */
  async tryServer(server: Tool): Promise<Discovered> {
    await this.protection.load()
    return this.foreign.tryOut(server)
  }

  /** Which values an argument of a foreign server's prompt or resource can have; the server says. */
  complete(tool: Tool, params: object, as: Principal, signal: AbortSignal): Promise<JsonObject> {
    return this.foreign.complete(tool, params, as, signal)
  }

  /** The part of a tool's result that its `returns` speaks of, where the format wraps it. */
  resultPart(tool: Tool, value: unknown): unknown {
    return resultPart(tool, value, this.traitsOf(tool))
  }

  /** The text of a markdown skill with its arguments put in, for whoever reads it; runs nothing. */
  expandPrompt(
    tool: Tool,
    args: { readonly [name: string]: unknown },
    reader: Principal = libraryPrincipal,
  ): string {
    const context = this.#view.blankContext(tool, args)
    const sources = { view: this.#view, config: this.config }
    return skillPrompt(tool, sources, { context, hasCall: true, reader, warn() {} })
  }

  /** The tool with the schemas that count now: `$resolve` looked up in a fresh context. */
  described(tool: Tool): Tool {
    return this.#view.described(tool)
  }

  /** Tools made in code and tools that live in the store, before those of files. */
  protected adoptTools(): void {
    this.catalog.setAddedTools([...this.added.tools, ...this.#stored.tools], this.#stored.withdrawn)
    this.kernel.recompose()
  }

  /** Starts what reacts to breadcrumbs and time: requests, subscriptions, schedules, bootstrap. */
  async startEngines(options: Omit<StartOptions, 'invoke'> = {}): Promise<Engines> {
    await this.ready()
    const engines = await this.crumbs.start({
      ...options,
      invoke: (ref, args, given) =>
        this.#invokeOnceLifted(ref, args, this.callOptions({ ...given, ...this.requestOptions?.(given) })),
      isHalted: () => this.halt.state.halted,
    })
    this.servesRequests = true
    this.catalog.on('changed', () => {
      engines.toolsChanged()
      this.crumbs.filesChanged().catch((error: Error) => this.note('error', error.message))
    })
    return engines
  }

  /** Work of events waits while the crib is halted, and what was stopped begins again afterwards. */
  async #invokeOnceLifted(ref: string, args: unknown, options: CallOptions): Promise<Outcome> {
    for (;;) {
      await this.halt.lifted(options.signal)
      if (options.signal?.aborted) return failureOf(new ToolError('CANCELLED', 'The crib is closing.'))
      const outcome = await this.kernel.invoke(ref, args, options)
      if (outcome.ok || outcome.error.code !== 'HALTED') return outcome
    }
  }

  #haltChanged({ halted, since, by }: HaltState): void {
    this.note(
      this.#watcher ? 'warn' : 'info',
      halted ? 'The crib is halted: everything is stopped.' : 'The crib goes on.',
    )
    if (!halted) return
    for (const call of this.kernel.running) call.abort(haltedError(since, by))
    void this.supervisor.endAll()
  }

  /** Reads changed files and settings again. */
  async reload(): Promise<void> {
    const overrides = this.options.config
    const read = await loadConfig({ spaces: this.spaces, env: this.env, overrides, trust: this.folder })
    this.loaded = withHiddenStore(read, this.spaces)
    const { config, stamp, fault } = this.loaded
    this.globals.config = config
    this.offers.forget()
    await this.catalog.reload({ config, configStamp: stamp, fault })
    await this.recallForeignTools()
    if (this.#watcher) void this.discover()
    this.kernel.recompose()
  }

  /** Follows the files: a change is read within a moment and announced as `tool-changed`. */
  async watch(): Promise<void> {
    if (this.#watcher) return
    const { FolderWatch } = await import('../catalog/watch-folders.ts')
    const { project, userConfig } = this.spaces
    this.#watcher = new FolderWatch({
      roots: [project, ...spotsOf(this.config, this.spaces).map(({ dir }) => dir)],
      files: [join(userConfig, 'config.yaml'), join(project, 'toolcrib.yaml')],
      folders: () => this.catalog.folders,
      onChange: async (paths) => {
        await this.reload()
        if (paths.length > 0) this.emit('files-changed', paths)
      },
      onFault: (message) => this.note('warn', message),
    })
    await this.foreign.follow()
    this.crumbs.storedTools.follow()
  }

  /** Ends watchers, workers and every process that was started. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #close(): Promise<void> {
    await this.#watcher?.close()
    this.halt.close()
    await this.crumbs.stop()
    for (const call of this.kernel.running) call.abort(new ToolError('CANCELLED', 'The crib was closed.'))
    await this.#runtimes.close()
    await this.logins.close()
    await this.supervisor.close()
    await this.accesses.flush()
    await this.crumbs.close()
    await this.changed.close()
    this.#fence?.close()
  }

  /** What stands between a process and the machine; opened with the settings of its first use. */
  get fence(): Fence {
    const { mode, require, engine } = this.config.sandbox
    this.#fence ??= openFence({
      mode,
      require,
      engine: engine ?? undefined,
      project: this.spaces.project,
      userState: this.spaces.userState,
      onAccess: this.onAccess,
      tracer: this.options.watch?.tracer,
    })
    return this.#fence
  }

  /** Settings that protect the user are unknown while their file is broken, so nothing runs. */
  protected ready(): undefined | Promise<void> {
    const { fault } = this.loaded
    if (fault) throw new ToolError('CONFIG_INVALID', saidWithPlace(fault), { hint: fault.hint })
    if (this.#closing) throw new ToolError('CANCELLED', 'The crib is closed.')
    this.halt.follow()
    if (this.crumbs.runs.isBehind || !this.#traits) return this.#catchUp()
    if (this.lock.isOutdated) this.catalog.markAgain()
    return undefined
  }

  async #catchUp(): Promise<void> {
    if (this.lock.isOutdated) this.catalog.markAgain()
    // A program that calls in a tight loop would never let the record be written.
    if (this.crumbs.runs.isBehind) await this.crumbs.runs.catchUp()
    if (!this.#traits) await this.halt.look()
    this.#traits ??= new Map(
      (await this.protection.load()).map((format) => [format.name, format.traits ?? plainTraits]),
    )
  }

  protected callOptions(options: CallCribOptions): CallOptions {
    // What narrowed a call in 0.1.0 must not be passed over.
    if ('caller' in options)
      throw new ToolError('CONFIG_INVALID', '`caller` is not an option of a call.', {
        hint: 'Say who asks with `principal: makePrincipal({ surface, name, grants, allowedTools })`.',
      })
    if (options === noOptions) return { strict: this.options.strict ?? false, principal: libraryPrincipal }
    return {
      strict: this.options.strict ?? false,
      ...options,
      principal: options.principal ?? libraryPrincipal,
    }
  }

  #makeSkillCalls(kernel: Kernel): SkillCalls {
    return new SkillCalls(kernel, {
      resolve: this.resolver.resolve,
      cascade: () => this.skills.cascade,
      surroundings: () => ({
        root: this.spaces.project,
        version: version(),
        nonlocals: this.config.skills.nonlocals,
        globals: this.globals,
      }),
      refresh: () => this.reload(),
    })
  }

  /** The format's own word on a `format:id` that leads nowhere: a disabled skill is not simply unknown. */
  protected async whyMissing(ref: string): Promise<ToolError | undefined> {
    const parsed = parseRef(ref)
    if (parsed.kind !== 'format') return undefined
    const format = (await this.pieces.formats()).find((each) => each.name === parsed.format)
    return format?.whyMissing?.(parsed.id, this.catalog.factsOf(parsed.format))
  }

  /** How a tool's format wants its parameters and results treated. */
  protected traitsOf(tool: Tool): Traits {
    return this.#traits?.get(tool.format) ?? plainTraits
  }

  #runtimeEnv(): RuntimeEnv {
    return runtimeEnv(this, () => this.#view)
  }
}

export const noOptions: CallCribOptions = {}
const plainTraits: Traits = { fillDefaults: true }
