// Which parts is a crib made of? They are put together here. How it lives is in crib-life.ts, what an embedder uses in
// crib.ts.
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import type { OutwardLinks } from '../catalog/outward-links.ts'
import { Resolver } from '../catalog/resolver.ts'
import { Skills } from '../catalog/skills.ts'
import type { ToolChange } from '../catalog/tool-changes.ts'
import { isOfInterest } from '../catalog/walk.ts'
import type { Config } from '../config/config.ts'
import type { Ask } from '../config/folder-asks.ts'
import type { FolderTrust } from '../config/folder-trust.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Spaces } from '../config/spaces.ts'
import { noStoredTools } from '../events/stored-tools.ts'
import { Halt } from '../fleet/halt.ts'
import type { Traits } from '../formats/format.ts'
import { Approvals } from '../guards/approvals.ts'
import type { Offers } from '../guards/offers.ts'
import { resultPart } from '../guards/wrappers/returns.ts'
import type { Call, CallOptions } from '../kernel/call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { AccessLog } from '../runs/access-log.ts'
import { skillPrompt } from '../runtimes/agent/skill-texts.ts'
import type { DiscoverOptions } from '../runtimes/mcp/foreign-tools.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import type { Followers } from '../runtimes/skill/fenced/followers.ts'
import { type Globals, makeGlobals } from '../runtimes/skill/globals.ts'
import { runsInHost } from '../runtimes/skill/runs-in-host.ts'
import type { OnAccess } from '../sandbox/access/access.ts'
import { ProjectChanges } from '../sandbox/changes/project-changes.ts'
import type { Fence } from '../sandbox/fence.ts'
import { openFenceOfModes } from '../sandbox/fence-of-modes.ts'
import { CribLogins } from '../secrets/logins/crib-logins.ts'
import { libraryPrincipal, type Principal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import { parseRef } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import type { Inference } from '../trust/inference/inference.ts'
import { WritingCode } from '../trust/inference/writing-code.ts'
import type { Lock } from '../trust/lock/lock.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import type { SetAside } from '../trust/set-aside.ts'
import type { TrustStore } from '../trust/trust-store.ts'
import { type Voucher, voucherOf } from '../trust/vouched.ts'
import { Supervisor } from '../workers/supervisor.ts'
import { AddedTools } from './added-tools.ts'
import { Breadcrumbs } from './breadcrumbs.ts'
import { type Calling, makeCalling } from './calling.ts'
import { carryChanges } from './carry-changes.ts'
import { asksOf, placeProblemsOf } from './crib-asks.ts'
import { auditFolder } from './crib-keys.ts'
import { ForeignServers } from './foreign-servers.ts'
import { loadInference } from './load-inference.ts'
import { loginParts } from './login-parts.ts'
import type { CribOptions, OpenedParts } from './open-crib.ts'
import { closedPlaces } from './place-asks.ts'
import type { Pieces } from './plugin.ts'
import { Protection } from './protection.ts'
import { runtimeEnv } from './runtime-env.ts'
import { Runtimes } from './runtimes.ts'

export interface CribEvents {
  'tool-changed': [ToolChange]
  /** Files that a watched crib has just read again, absolute. */
  'files-changed': [readonly string[]]
  run: [Call]
  note: [{ readonly level: 'info' | 'warn' | 'error'; readonly message: string }]
}

export type CallCribOptions = Omit<Partial<CallOptions>, 'parent' | 'target'>

export abstract class CribCore extends EventEmitter<CribEvents> {
  readonly spaces: Spaces
  readonly catalog: Catalog
  /** The keys this user trusts. */
  readonly trust: TrustStore
  /** What was approved, and what differs from it. */
  readonly lock: Lock
  /** What of the folder's own word counts. */
  readonly folder: FolderTrust
  /** What tools wrote and nobody accepted yet. */
  readonly setAside: SetAside
  readonly links: OutwardLinks
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
  /** Whose code changes files. */
  readonly writing: WritingCode
  /** What tools reached for, denied and allowed. */
  readonly accesses: AccessLog
  readonly supervisor = new Supervisor()
  protected openedFence: Fence | undefined
  /** Calls that wait for a person. */
  readonly approvals = new Approvals(() => this.config.approvals.timeoutMs)
  /** What whoever watches a request adds to its call. */
  requestOptions: ((given: Pick<CallOptions, 'runId' | 'trigger'>) => CallCribOptions) | undefined
  protected readonly options: CribOptions
  /** The settings that count now; another object after every reading of them. */
  config!: Config
  #loaded!: LoadedConfig
  protected readonly added = new AddedTools()
  #stored = noStoredTools
  /** What ships and what plugins add. */
  protected readonly pieces: Pieces
  protected readonly runtimes: Runtimes
  #calling: Calling | undefined
  readonly foreign: ForeignServers
  protected readonly resolver: Resolver
  /** Of each format; absent until the formats are loaded. */
  protected traits: ReadonlyMap<string, Traits> | undefined
  protected watcher: { close(): Promise<void> } | undefined

  constructor(options: CribOptions, parts: OpenedParts) {
    super()
    const { spaces, loaded, pieces, catalog, trust, lock, folder, setAside, links } = parts
    this.links = links
    this.setAside = setAside
    this.pieces = pieces
    this.runtimes = new Runtimes(() => this.#runtimeEnv(), this.added.functions, pieces.runtimes)
    this.folder = folder
    this.options = options
    this.spaces = spaces
    this.loaded = loaded
    this.catalog = catalog
    this.trust = trust
    this.lock = lock
    this.writing = new WritingCode(spaces.project, () => this.inference())
    this.skills = new Skills(catalog, spaces.project)
    this.changed = new ProjectChanges({
      project: spaces.project,
      stateFolder: spaces.state,
      userState: spaces.userState,
      ownFolders: [auditFolder(spaces)],
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
      maySee: (tool, principal) => this.offers.isVisible(tool, principal),
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
    this.foreign = new ForeignServers(
      catalog,
      () => this.#runtimeEnv(),
      () => this.protectedSet,
    )
    this.logins = new CribLogins(loginParts(this, this.protection))
    this.resolver = new Resolver({
      catalog,
      skills: this.skills,
      spaces,
      config: () => this.config,
      isWatched: () => this.watcher !== undefined,
      reload: () => this.reload(),
      importSkill: async (tool, signal) => {
        const { importEarly } = await import('../guards/skills/import-early.ts')
        return importEarly(tool, await this.runtimes.of('skill'), this.calling.services, signal)
      },
      askServers: () => (this.foreign.hasUnasked ? this.discover() : undefined),
      confirm: (tool) => (this.lock.isActive ? this.foreign.confirm(tool) : undefined),
      whyMissing: (ref) => this.whyMissing(ref),
      whySilent: (ref) => this.foreign.whySilent(ref),
    })
    this.globals = makeGlobals(loaded.config)
    catalog.on('tool-changed', (change) => this.emit('tool-changed', change))
    catalog.on('changed', () => this.recompose())
  }

  /** Reads changed files and settings again. */
  abstract reload(): Promise<void>

  /** Asks foreign MCP servers for their tools, those that were not asked lately. */
  abstract discover(options?: DiscoverOptions): Promise<void>

  /** What carries calls; a crib that is only listed has none. */
  protected get calling(): Calling {
    this.#calling ??= makeCalling(this, {
      pieces: this.pieces,
      resolver: this.resolver,
      runtimes: this.runtimes,
      protection: this.protection,
      traits: this.traitsOf,
    })
    return this.#calling
  }

  /** What was worked out for calls by the tools and settings of before counts no more. */
  protected recompose(): void {
    this.#calling?.offers.forget()
    this.#calling?.kernel.recompose()
  }

  get kernel(): Kernel {
    return this.calling.kernel
  }

  /** Who is offered which tool. */
  get offers(): Offers {
    return this.calling.offers
  }

  /** The calls under way. */
  protected get running(): readonly Call[] {
    return this.#calling?.kernel.running ?? []
  }

  /** The environment settings and keys are read from. */
  get env(): NodeJS.ProcessEnv {
    return this.options.env ?? process.env
  }

  protected get loaded(): LoadedConfig {
    return this.#loaded
  }

  protected set loaded(loaded: LoadedConfig) {
    this.#loaded = loaded
    this.config = loaded.config
    if (this.#calling) this.#calling.services.config = loaded.config
    this.recompose()
  }

  /** What the folder's files ask for beyond the defaults, accepted or not. */
  get asks(): Ask[] {
    return asksOf(this, this.loaded)
  }

  /** What of the protected places that its grants name does not count. */
  protected get placeProblems(): Problem[] {
    return placeProblemsOf(this, this.loaded)
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
    return this.calling.skillCalls.followersOf(call)
  }

  /** Whether the code that a skill brings runs inside this process (G14). */
  runsInHost(tool: Tool): boolean {
    return runsInHost(tool, {
      config: this.config,
      isVouched: (one) => this.voucherOf(one) !== null,
      writes: (one) => this.writing.writes(one),
    })
  }

  protected note(level: 'info' | 'warn' | 'error', message: string): void {
    const isHeard = this.emit('note', { level, message })
    if (!isHeard && level !== 'info') process.emitWarning(message, 'ToolcribWarning')
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
    const { view } = this.calling
    const context = view.blankContext(tool, args)
    const sources = { view, config: this.config }
    return skillPrompt(tool, sources, { context, hasCall: true, reader, warn() {} })
  }

  /** The tool with the schemas that count now: `$resolve` looked up in a fresh context. */
  described(tool: Tool): Tool {
    return this.calling.view.described(tool)
  }

  /** Tools made in code and tools that live in the store, before those of files. */
  protected adoptTools(): void {
    this.catalog.setAddedTools([...this.added.tools, ...this.#stored.tools], this.#stored.withdrawn)
    this.recompose()
  }

  /** What stands between a process and the machine; opened with the settings of its first use. */
  get fence(): Fence {
    const { mode, require, engine } = this.config.sandbox
    this.openedFence ??= openFenceOfModes({
      mode,
      require,
      engine: engine ?? undefined,
      project: this.spaces.project,
      userState: this.spaces.userState,
      onAccess: this.onAccess,
      tracer: this.options.watch?.tracer,
    })
    return this.openedFence
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

  /** The format's own word on a `format:id` that leads nowhere: a disabled skill is not simply unknown. */
  protected async whyMissing(ref: string): Promise<ToolError | undefined> {
    const parsed = parseRef(ref)
    if (parsed.kind !== 'format') return undefined
    const format = (await this.pieces.formats()).find((each) => each.name === parsed.format)
    return format?.whyMissing?.(parsed.id, this.catalog.factsOf(parsed.format))
  }

  /** How a tool's format wants its parameters and results treated. */
  protected readonly traitsOf = (tool: Tool): Traits => this.traits?.get(tool.format) ?? plainTraits

  #runtimeEnv(): RuntimeEnv {
    return runtimeEnv(this, () => this.calling.view)
  }
}

export const noOptions: CallCribOptions = {}
export const plainTraits: Traits = { fillDefaults: true }
