// Puts the house together. This is the composition root and the only file that knows every part.
import { EventEmitter } from 'node:events'
import { join, resolve } from 'node:path'
import type { Engines } from '../automation/engines.ts'
import { Catalog, type ListFilter, type ToolChange } from '../catalog/catalog.ts'
import type { CheckOptions, CheckReport } from '../catalog/check-tools.ts'
import { needsModel } from '../catalog/offered-tools.ts'
import { spotsOf } from '../catalog/places.ts'
import { type ResolveOptions, Resolver } from '../catalog/resolver.ts'
import type { SearchHit } from '../catalog/search.ts'
import { Skills } from '../catalog/skills.ts'
import type { Finding } from '../catalog/why.ts'
import type { Config, GivenConfig } from '../config/config.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { type Spaces, spacesOf } from '../config/spaces.ts'
import { build, version } from '../config/version.ts'
import { noStoredTools } from '../events/stored-tools.ts'
import type { Format, Traits } from '../formats/format.ts'
import type { SkillTool } from '../formats/skill/programmatic.ts'
import { Approvals } from '../guards/approvals.ts'
import { standardParts } from '../guards/registry.ts'
import type { GuardServices } from '../guards/services.ts'
import { SkillCalls, wovenOf } from '../guards/skills/skill-calls.ts'
import { resultPart } from '../guards/wrappers/returns.ts'
import type { Call, CallOptions } from '../kernel/call.ts'
import { Kernel } from '../kernel/kernel.ts'
import { failureOf } from '../kernel/outcome.ts'
import type { Refusal } from '../kernel/refusals.ts'
import { builtinTools } from '../runtimes/agent/builtin-tools.ts'
import type { CribView } from '../runtimes/agent/crib-view.ts'
import { skillPrompt } from '../runtimes/agent/skill-texts.ts'
import type { DiscoverOptions } from '../runtimes/mcp/foreign-tools.ts'
import type { RuntimeEnv } from '../runtimes/runtime.ts'
import { type Globals, makeGlobals } from '../runtimes/skill/globals.ts'
import type { Fence } from '../sandbox/fence.ts'
import { openFence } from '../sandbox/open-fence.ts'
import type { Exporter } from '../tool/exporter.ts'
import type { Json } from '../tool/json.ts'
import type { Failure, Outcome } from '../tool/outcome.ts'
import { libraryPrincipal } from '../tool/principal.ts'
import { type Problem, saidWithPlace } from '../tool/problem.ts'
import { parseRef } from '../tool/ref.ts'
import type { ChainLink, Tool, Trust } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import { configVerifier, listingJudge, moduleVerifier } from '../trust/judge-file.ts'
import type { judgeTool } from '../trust/judge-tool.ts'
import { Lock } from '../trust/lock/lock.ts'
import { sealTool } from '../trust/seal-tool.ts'
import { TrustStore } from '../trust/trust-store.ts'
import { Supervisor } from '../workers/supervisor.ts'
import { AddedTools, type FunctionTool } from './added-tools.ts'
import { agentsView } from './agents-view.ts'
import { Breadcrumbs } from './breadcrumbs.ts'
import { ForeignServers } from './foreign-servers.ts'
import { loadPieces } from './load-plugins.ts'
import { lockMemory } from './lock-memory.ts'
import type { StartOptions } from './open-breadcrumbs.ts'
import type { Pieces, Plugin } from './plugin.ts'
import { Runtimes } from './runtimes.ts'

export interface CribOptions {
  /** The crib's folder; default: the current one. */
  readonly root?: string
  /** Settings over those of files and environment, as `toolcrib.yaml` would write them. */
  readonly config?: GivenConfig
  /** Environment to read settings from; default: the process's. */
  readonly env?: NodeJS.ProcessEnv
  /** False reads and writes no cache under `.toolcrib/`. */
  readonly cache?: boolean
  /** Treat warnings about results as failures, in every call. */
  readonly strict?: boolean
  /** Refuse whatever differs from `toolcrib.lock`, tools that are not in it included. */
  readonly frozen?: boolean
  /** Formats, runtimes, checks, wrappers and exporters beside those that ship. */
  readonly use?: readonly Plugin[]
  /** Accepts what the folder's own toolcrib.yaml asks for, such as plugins. */
  readonly trustFolder?: boolean
}

export type { FunctionTool } from './added-tools.ts'

export type CallCribOptions = Omit<Partial<CallOptions>, 'parent' | 'target'>

/** What a dry run answers: everything a call would do, and nothing of it done. */
export type DryRun =
  | {
      readonly ok: true
      readonly dryRun: true
      readonly tool: string
      readonly runtime: string
      readonly plan: Json
      /** The executor chain, for formats that have one. */
      readonly chain?: Json
      readonly trust: string
      readonly grants: readonly string[]
      readonly profile: Json
    }
  | (Failure & { readonly dryRun: true })

/**
 * Opens a crib: one checked catalog of every tool under `root`, ready to be called.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const outcome = await crib.call('utility/hello', { name: 'Ada' })
 */
export async function openCrib(options: CribOptions = {}): Promise<Crib> {
  const root = resolve(options.root ?? '.')
  const env = options.env ?? process.env
  const spaces = spacesOf(root, env)
  const loaded = await loadConfig(spaces, env, options.config)
  const pieces = await loadPieces({ ...options, loaded, spaces, env })
  const trust = new TrustStore(spaces)
  const lock = new Lock({
    spaces,
    frozen: options.frozen === true,
    ...(options.cache === false ? {} : { memory: lockMemory(spaces) }),
  })
  const settings = {
    config: loaded.config,
    configStamp: loaded.stamp,
    fault: loaded.fault,
    spaces,
    formats: pieces.formats,
    endings: pieces.endings,
    judge: listingJudge(trust, loaded.config.trust),
    version: `${build()} ${pieces.stamp}`,
    useCache: options.cache !== false,
    mark: (tools: readonly Tool[], stamp: string) => lock.mark(tools, stamp),
  }
  const catalog = await Catalog.open(settings, builtinTools)
  const crib = new Crib(options, { spaces, loaded, pieces, catalog, trust, lock })
  await crib.recallForeignTools()
  await crib.recallStoredTools()
  return crib
}

interface CribParts {
  readonly spaces: Spaces
  readonly loaded: LoadedConfig
  readonly pieces: Pieces
  readonly catalog: Catalog
  readonly trust: TrustStore
  readonly lock: Lock
}

export class Crib extends EventEmitter<{
  'tool-changed': [ToolChange]
  /** Files that a watched crib has just read again, absolute. */
  'files-changed': [readonly string[]]
  run: [Call]
  note: [{ readonly level: 'info' | 'warn' | 'error'; readonly message: string }]
}> {
  readonly spaces: Spaces
  readonly catalog: Catalog
  readonly kernel: Kernel
  /** The keys this user trusts. */
  readonly trust: TrustStore
  /** What was approved, and what differs from it. */
  readonly lock: Lock
  /** Cascades and the main skill. */
  readonly skills: Skills
  /** What the contexts of all skills share. */
  readonly globals: Globals
  /** Breadcrumbs, secrets, run records; opened by their first use. */
  readonly crumbs: Breadcrumbs
  readonly supervisor = new Supervisor()
  #fence: Fence | undefined
  #judge: typeof judgeTool | undefined
  /** Calls that wait for a person. */
  readonly approvals = new Approvals(() => this.config.approvals.timeoutMs)
  readonly #options: CribOptions
  #loaded: LoadedConfig
  readonly #added = new AddedTools()
  #stored = noStoredTools
  readonly #pieces: Pieces
  readonly #runtimes: Runtimes
  readonly #services: GuardServices
  readonly #foreign: ForeignServers
  readonly #resolver: Resolver
  readonly #view: CribView
  #skillCalls!: SkillCalls
  #traits: ReadonlyMap<string, Traits> | undefined
  #watcher: { close(): Promise<void> } | undefined
  #closing: Promise<void> | undefined

  constructor(options: CribOptions, parts: CribParts) {
    super()
    const { spaces, loaded, catalog, trust, lock } = parts
    this.#options = options
    this.#pieces = parts.pieces
    this.#runtimes = new Runtimes(() => this.#runtimeEnv(), this.#added.functions, parts.pieces.runtimes)
    this.spaces = spaces
    this.#loaded = loaded
    this.catalog = catalog
    this.trust = trust
    this.lock = lock
    this.skills = new Skills(catalog, spaces.project)
    this.crumbs = new Breadcrumbs({
      config: () => this.config,
      spaces,
      env: this.env,
      tools: () => catalog.tools,
      onStoredTools: (stored) => {
        this.#stored = stored
        this.#addTools()
      },
      useCache: options.cache !== false,
      log: (level, message) => this.#note(level, message),
    })
    this.#services = this.#guardServices()
    this.#foreign = new ForeignServers(catalog, () => this.#runtimeEnv())
    this.#resolver = new Resolver({
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
      askServers: () => (this.#foreign.hasUnasked ? this.discover() : undefined),
      confirm: (tool) => (this.lock.isActive ? this.#foreign.confirm(tool) : undefined),
      whyMissing: (ref) => this.#whyMissing(ref),
      whySilent: (ref) => this.#foreign.whySilent(ref),
    })
    this.kernel = new Kernel({
      parts: [...standardParts(this.#services), ...this.#pieces.parts],
      resolve: this.#resolver.resolve,
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
      resolver: this.#resolver,
      crumbs: this.crumbs,
    })
    this.globals = makeGlobals(loaded.config)
    catalog.on('tool-changed', (change) => this.emit('tool-changed', change))
    catalog.on('changed', () => this.kernel.recompose())
  }

  /** The environment settings and keys are read from. */
  get env(): NodeJS.ProcessEnv {
    return this.#options.env ?? process.env
  }

  get root(): string {
    return this.spaces.project
  }

  get config(): Config {
    return this.#loaded.config
  }

  /** Where each setting came from: dotted key → file, variable or flag. */
  get configOrigins(): { readonly [key: string]: string } {
    return this.#loaded.origins
  }

  /** Every format, what ships first. */
  formats(): Promise<readonly Format[]> {
    return this.#pieces.formats()
  }

  /** How plugins write definitions for other systems; `exportTools` takes them. */
  get exporters(): readonly Exporter[] {
    return this.#pieces.exporters
  }

  /** Everything wrong in the crib: configuration, files, tools. */
  get problems(): Problem[] {
    return [
      ...this.#loaded.problems,
      ...this.#pieces.problems,
      ...this.lock.problems,
      ...this.catalog.problems,
      ...this.crumbs.problems,
    ]
  }

  /** Tools one can see and call, sorted by id; with `all` everything the catalog knows. */
  list(filter?: ListFilter): Tool[] {
    return this.catalog.list(filter)
  }

  /** One tool by id, alias, `format:id`, path or URI; throws TOOL_NOT_FOUND with near names. */
  find(ref: string): Tool {
    return this.#resolver.known(ref, libraryPrincipal)
  }

  /** The crib's entry point: the skill of role `main` in its root, or the only skill there. */
  main(): Tool {
    return this.skills.main()
  }

  /** Ranked full-text search over the listed tools. */
  search(query: string, limit?: number): Promise<SearchHit[]> {
    return this.catalog.search(query, limit)
  }

  /** Calls a tool. A tool's failure is an outcome, never a rejection. */
  call(ref: string | Tool, params?: unknown, options: CallCribOptions = noOptions): Promise<Outcome> {
    const given = this.#callOptions(options)
    let waits: undefined | Promise<void>
    try {
      waits = this.#ready()
    } catch (error) {
      return Promise.resolve(failureOf(error))
    }
    if (!waits) return this.kernel.invoke(ref, params, given)
    return waits.then(() => this.kernel.invoke(ref, params, given), failureOf)
  }

  /**
   * Which tool is meant, judged for `as` (default: the library) as a call by name is: skills that changed are read
   * again, foreign servers are asked for a name that is not known. `load: 'full'` imports the module of a skill with
   * computed frontmatter, if trust allows that; the default runs nothing.
   */
  async resolve(ref: string | Tool, options: Partial<ResolveOptions> = {}): Promise<Tool> {
    if (options.load === 'full') await this.#ready()
    return this.#resolver.resolve(ref, { as: libraryPrincipal, load: 'static', ...options })
  }

  /** Resolves and checks everything a call would, and runs nothing. */
  async dryRun(ref: string | Tool, params?: unknown, options: CallCribOptions = {}): Promise<DryRun> {
    let call: Call
    let plan: unknown
    try {
      call = await this.#askedCall(ref, params, { ...options, dryRun: true })
      plan = await this.kernel.rehearse(call)
    } catch (error) {
      return { ...failureOf(error), dryRun: true }
    }
    return {
      ok: true,
      dryRun: true,
      tool: call.tool.id,
      runtime: call.tool.runtime?.name ?? 'none',
      plan: (plan as { plan: Json }).plan,
      ...(call.tool.chain ? { chain: call.tool.chain.map(chainElement) } : {}),
      trust: call.tool.trust.status,
      grants: call.grants,
      profile: call.profile as unknown as Json,
    }
  }

  /**
   * Everything that would refuse a call, in the order it would; empty when the call may go on. Runs nothing and records
   * nothing. Without `params`, what depends on them is left out.
   *
   * @example
   * for (const { code, hint } of await crib.refusals('web/fetch')) console.log(code, hint)
   */
  async refusals(
    ref: string | Tool,
    params?: unknown,
    options: CallCribOptions = {},
  ): Promise<readonly Refusal[]> {
    try {
      const asked = { dryRun: true, hasNoArgsYet: params === undefined }
      return await this.kernel.refusals(await this.#askedCall(ref, params, { ...options, ...asked }))
    } catch (error) {
      return [{ check: 'resolve', ...errorData(error) }]
    }
  }

  /** A call that is not to run. */
  async #askedCall(ref: string | Tool, params: unknown, options: CallCribOptions): Promise<Call> {
    await this.#ready()
    const given = this.#callOptions(options)
    return this.kernel.make(await this.kernel.resolve(ref, given), params, given)
  }

  /** Takes the tools of foreign MCP servers that an earlier run heard of; contacts nobody. */
  async recallForeignTools(): Promise<void> {
    await this.#foreign.recall()
  }

  /** Takes the tools that live in the store; a store that cannot be read is told and hides no other tool. */
  async recallStoredTools(): Promise<void> {
    try {
      await this.crumbs.storedTools.recall()
    } catch (error) {
      this.#note('error', error instanceof Error ? error.message : String(error))
    }
  }

  #note(level: 'info' | 'warn' | 'error', message: string): void {
    const isHeard = this.emit('note', { level, message })
    if (!isHeard && level !== 'info') process.emitWarning(message, 'ToolcribWarning')
  }

  /**
   * Asks foreign MCP servers for their tools, those that were not asked lately. A server that cannot be reached
   * is a problem of the crib, not an error here.
   */
  async discover(options?: DiscoverOptions): Promise<void> {
    if (!this.#loaded.fault) await this.#foreign.discover(options)
  }

  /** Validates every definition, schemas compiled for real; contacts nobody and runs nothing. */
  async check(options: Partial<Omit<CheckOptions, 'system'>> = {}): Promise<CheckReport> {
    const { checkTools } = await import('../catalog/check-tools.ts')
    const { signatureProblems } = await import('../trust/signature-problems.ts')
    const problems = [
      ...this.problems,
      ...signatureProblems(this.catalog.tools, this.trust),
      ...(await this.crumbs.checkSeeds()),
    ]
    return checkTools(this.catalog.tools, problems, await this.#pieces.formats(), {
      strict: false,
      paths: [],
      system: this.spaces.system,
      ...options,
    })
  }

  /** Why a tool or file is not listed, not callable, denied or slow; with `params`, also what they lead to. */
  async why(refOrFile: string, params?: unknown, options?: CallCribOptions): Promise<Finding[]> {
    const { whyNot } = await import('../catalog/why.ts')
    const findings = whyNot(this.catalog, this.config, this.spaces, refOrFile)
    const { aboutServers } = await import('../runtimes/mcp/about-servers.ts')
    const servers = aboutServers(this.#foreign.servers, refOrFile)
    const { aboutCalls, findingOf } = await import('./about-calls.ts')
    let tool: Tool
    try {
      tool = this.find(refOrFile)
    } catch {
      const why = await this.#whyMissing(refOrFile).catch(() => undefined)
      return why ? [findingOf(why)] : [...servers, ...findings]
    }
    const about = await aboutCalls({
      tool,
      findings,
      refusals: await this.refusals(tool, params, options),
      metadata: wovenOf(this.kernel.compose(tool))?.metadata ?? {},
      config: this.config,
      runs: this.crumbs.runs,
    })
    return [...servers, ...about]
  }

  /** The part of a tool's result that its `returns` speaks of, where the format wraps it. */
  resultPart(tool: Tool, value: unknown): unknown {
    return resultPart(tool, value, this.#traits?.get(tool.format) ?? plainTraits)
  }

  /** The text of a markdown skill with its arguments put in; runs nothing. */
  expandPrompt(tool: Tool, args: { readonly [name: string]: unknown }): string {
    const context = this.#view.blankContext(tool, args)
    return skillPrompt(tool, { view: this.#view, config: this.config }, { context, hasCall: true, warn() {} })
  }

  /** False for a skill that only a model can answer, while none is configured. */
  canAnswer(tool: Tool): boolean {
    return Object.keys(this.config.models).length > 0 || !needsModel(tool)
  }

  /** The tool with the schemas that count now: `$resolve` looked up in a fresh context. */
  described(tool: Tool): Tool {
    return this.#view.described(tool)
  }

  /** Adds a tool made in code; it comes before a file's tool of the same id. With a `name` it is a skill. */
  addTool(definition: FunctionTool): Tool
  addTool(definition: SkillTool): Tool
  addTool(definition: FunctionTool | SkillTool): Tool {
    return this.addTools([definition])[0]!
  }

  /** Adds many tools made in code as one change of the catalog. */
  addTools(definitions: readonly (FunctionTool | SkillTool)[]): Tool[] {
    const tools = definitions.map((definition) => this.#added.add(definition))
    this.#addTools()
    return tools
  }

  /** Tools made in code and tools that live in the store, before those of files. */
  #addTools(): void {
    this.catalog.setAddedTools([...this.#added.tools, ...this.#stored.tools], this.#stored.withdrawn)
    this.kernel.recompose()
  }

  /** Starts what reacts to breadcrumbs and time: requests, subscriptions, schedules, bootstrap. */
  async startEngines(options: Omit<StartOptions, 'invoke'> = {}): Promise<Engines> {
    await this.#ready()
    const engines = await this.crumbs.start({
      ...options,
      invoke: (ref, args, given) => this.kernel.invoke(ref, args, this.#callOptions(given)),
    })
    this.catalog.on('changed', () => {
      engines.toolsChanged()
      this.crumbs.filesChanged().catch((error: Error) => this.#note('error', error.message))
    })
    return engines
  }

  /** Reads changed files and settings again. */
  async reload(): Promise<void> {
    this.#loaded = await loadConfig(this.spaces, this.env, this.#options.config)
    const { config, stamp, fault } = this.#loaded
    this.globals.config = config
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
      onFault: (message) => this.#note('warn', message),
    })
    await this.#foreign.follow()
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
    await this.crumbs.stop()
    for (const call of this.kernel.running) call.abort(new ToolError('CANCELLED', 'The crib was closed.'))
    await this.#runtimes.close()
    await this.supervisor.close()
    await this.crumbs.close()
    this.#fence?.close()
  }

  /** The verdict on a tool with everything it is made of; the judge is loaded for the first call. */
  #trustOf(tool: Tool): Trust | Promise<Trust> {
    if (!this.#judge)
      return import('../trust/judge-tool.ts').then(({ judgeTool }) => {
        this.#judge = judgeTool
        return this.#trustOf(tool)
      })
    return this.#judge(tool, this.trust, {
      mode: this.config.trust,
      tools: this.catalog.tools,
      projectPath: this.spaces.project,
    })
  }

  /** What stands between a process and the machine; opened with the settings of its first use. */
  get fence(): Fence {
    const { mode, require, engine } = this.config.sandbox
    this.#fence ??= openFence({
      mode,
      require,
      engine: engine ?? undefined,
      project: this.spaces.project,
    })
    return this.#fence
  }

  /** Settings that protect the user are unknown while their file is broken, so nothing runs. */
  #ready(): undefined | Promise<void> {
    const { fault } = this.#loaded
    if (fault) throw new ToolError('CONFIG_INVALID', saidWithPlace(fault), { hint: fault.hint })
    if (this.#closing) throw new ToolError('CANCELLED', 'The crib is closed.')
    if (this.crumbs.runs.isBehind || !this.#traits) return this.#catchUp()
    if (this.lock.isOutdated) this.catalog.markAgain()
    return undefined
  }

  async #catchUp(): Promise<void> {
    if (this.lock.isOutdated) this.catalog.markAgain()
    // A program that calls in a tight loop would never let the record be written.
    if (this.crumbs.runs.isBehind) await this.crumbs.runs.catchUp()
    this.#traits ??= new Map(
      (await this.#pieces.formats()).map((format) => [format.name, format.traits ?? plainTraits]),
    )
  }

  #callOptions(options: CallCribOptions): CallOptions {
    if (options === noOptions) return { strict: this.#options.strict ?? false, principal: libraryPrincipal }
    return {
      strict: this.#options.strict ?? false,
      ...options,
      principal: options.principal ?? libraryPrincipal,
    }
  }

  #makeSkillCalls(kernel: Kernel): SkillCalls {
    return new SkillCalls(kernel, {
      resolve: this.#resolver.resolve,
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

  #guardServices(): GuardServices {
    const crib = this
    return {
      get config() {
        return crib.config
      },
      spaces: crib.spaces,
      traits: (tool) => crib.#traits?.get(tool.format) ?? plainTraits,
      runtime: (tool) => crib.#runtimes.of(tool.runtime!.name),
      invoke: (ref, args, from) => crib.#invokeFrom(ref, args, from),
      runRef: (given) => crib.#skillCalls.runRef(given),
      rehearseRef: (given) => crib.#skillCalls.rehearseRef(given),
      declaredBy: (tool, key) => wovenOf(crib.kernel.compose(tool))?.declaredBy[key] ?? tool,
      middleware: (tool, name) =>
        wovenOf(crib.kernel.compose(tool))?.keys.find((key) => key.name === name)?.tool,
      verifyFile: (file, bytes) => {
        configVerifier(crib.trust, crib.config.trust)(file, bytes)
        crib.lock.verifyBytes(file, bytes)
      },
      trustOf: (tool) => crib.#trustOf(tool),
      driftOf: (tool) => this.lock.driftOf(tool),
      secretsOf: (call) => crib.crumbs.secretsFor(call),
      approvals: crib.approvals,
      slot: (call) => crib.crumbs.place(call),
      allowed: (call, reason) => crib.crumbs.runs.recordAllow(call, reason),
      record: (call) => {
        crib.crumbs.runs.recordCall(call)
        crib.emit('run', call)
      },
    }
  }

  /** The format's own word on a `format:id` that leads nowhere: a disabled skill is not simply unknown. */
  async #whyMissing(ref: string): Promise<ToolError | undefined> {
    const parsed = parseRef(ref)
    if (parsed.kind !== 'format') return undefined
    const format = (await this.#pieces.formats()).find((each) => each.name === parsed.format)
    return format?.whyMissing?.(parsed.id, this.catalog.factsOf(parsed.format))
  }

  #invokeFrom(ref: string, args: unknown, from: Call): Promise<Outcome> {
    return this.kernel.invoke(ref, args, {
      principal: from.asPrincipal,
      parent: from,
      strict: from.options.strict,
    } as CallOptions)
  }

  #runtimeEnv(): RuntimeEnv {
    const crib = this
    return {
      get config() {
        return crib.config
      },
      spaces: this.spaces,
      supervisor: this.supervisor,
      get fence() {
        return crib.fence
      },
      verifyFile: (file, bytes) => {
        const { system } = this.spaces
        moduleVerifier(this.trust, this.config.trust, [system, resolve(system, '../src')])(file, bytes)
        this.lock.verifyBytes(file, bytes)
      },
      sealOf: (tool) =>
        sealTool(tool, {
          mode: this.config.trust,
          lock: this.lock,
          store: this.trust,
          tools: this.catalog.tools,
          projectPath: this.spaces.project,
        }),
      broker: this.crumbs.broker,
      view: this.#view,
      adopt: (tool) => {
        if (this.catalog.inFile(tool.source.file!).length > 0) this.catalog.setComputedSkill(tool)
      },
      pinnedBinary: (tool, binary) => this.lock.pinnedProgram(tool, binary),
    }
  }
}

/** A link of an executor chain in the words of the rye format. */
function chainElement({ id, tier, type, executor, digest }: ChainLink): Json {
  return { item_id: id, tier, tool_type: type, executor_id: executor, hash: digest }
}

const noOptions: CallCribOptions = {}
const plainTraits: Traits = { fillDefaults: true }
