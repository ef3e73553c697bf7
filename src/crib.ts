// Puts the house together. This is the composition root and the only file that knows every part.
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Catalog, type ListFilter, type ToolChange } from './catalog/catalog.ts'
import type { CheckOptions, CheckReport } from './catalog/check-tools.ts'
import { needsModel } from './catalog/offered-tools.ts'
import type { SearchHit } from './catalog/search.ts'
import { type RefBase, SkillShelf } from './catalog/skill-shelf.ts'
import { readCacheFile, writeCacheFile } from './catalog/unit-results.ts'
import type { Finding } from './catalog/why.ts'
import type { Config } from './config/config.ts'
import { type LoadedConfig, loadConfig } from './config/load-config.ts'
import { type Spaces, spacesOf } from './config/spaces.ts'
import { version } from './config/version.ts'
import { CrumbRoom } from './crumbs/crumb-room.ts'
import type { Engines } from './crumbs/engines.ts'
import type { StartOptions } from './crumbs/open-crumbs.ts'
import { noStoredTools } from './crumbs/stored-tools.ts'
import type { Format, Traits } from './formats/format.ts'
import { lineOfRef } from './formats/skill/inline.ts'
import { makeProgrammaticSkill, type SkillTool } from './formats/skill/programmatic.ts'
import { Approvals } from './guards/approvals.ts'
import { standardGuards } from './guards/registry.ts'
import { resultPart } from './guards/returns.ts'
import type { GuardServices } from './guards/services.ts'
import type { Call, CallOptions } from './kernel/call.ts'
import { globals } from './kernel/globals.ts'
import { callerOf, failureOf, Kernel } from './kernel/kernel.ts'
import { builtinTools } from './runtimes/agent/builtin-tools.ts'
import type { CribView } from './runtimes/agent/crib-view.ts'
import { skillPrompt } from './runtimes/agent/skill-texts.ts'
import { functionRuntime, type ToolFunction } from './runtimes/function/function-runtime.ts'
import type { DiscoverOptions, ForeignTools } from './runtimes/mcp/foreign-tools.ts'
import { runtimeLoaders } from './runtimes/registry.ts'
import type { Runtime, RuntimeEnv } from './runtimes/runtime.ts'
import { Supervisor } from './runtimes/supervisor/supervisor.ts'
import type { Fence } from './sandbox/fence.ts'
import { makeProfile } from './sandbox/make-profile.ts'
import { openFence } from './sandbox/open-fence.ts'
import { grantsFor } from './sandbox/tool-grants.ts'
import { type Caller, libraryCaller } from './tool/caller.ts'
import type { Json } from './tool/json.ts'
import type { Failure, Outcome } from './tool/outcome.ts'
import { type Problem, placeOf } from './tool/problem.ts'
import { parseRef } from './tool/ref.ts'
import { describedSchema } from './tool/schema/resolve-schema.ts'
import { type JsonSchema, makeTool, type Tool, type Trust } from './tool/tool.ts'
import { isToolError, ToolError } from './tool/tool-error.ts'
import { configVerifier, listingJudge } from './trust/judge-file.ts'
import type { judgeTool } from './trust/judge-tool.ts'
import type { Drift } from './trust/lock/drift.ts'
import { Lock, type LockMemory } from './trust/lock/lock.ts'
import { sealTool } from './trust/seal-tool.ts'
import { TrustStore } from './trust/trust-store.ts'

export interface CribOptions {
  /** The crib's folder; default: the current one. */
  readonly root?: string
  /** Settings over those of files and environment, as `toolcrib.yaml` would write them. */
  readonly config?: { readonly [key: string]: unknown }
  /** Environment to read settings from; default: the process's. */
  readonly env?: NodeJS.ProcessEnv
  /** False reads and writes no cache under `.toolcrib/`. */
  readonly cache?: boolean
  /** Treat warnings about results as failures, in every call. */
  readonly strict?: boolean
  /** Refuse whatever differs from `toolcrib.lock`, tools that are not in it included. */
  readonly frozen?: boolean
}

/** A tool made in code. */
export interface FunctionTool {
  readonly id: string
  readonly description?: string
  readonly params?: JsonSchema
  readonly returns?: JsonSchema
  readonly tags?: readonly string[]
  readonly requires?: readonly string[]
  readonly fn: ToolFunction
}

export type CallCribOptions = Omit<Partial<CallOptions>, 'parent' | 'target'>

/** What a dry run answers: everything a call would do, and nothing of it done. */
export type DryRun =
  | {
      readonly ok: true
      readonly dryRun: true
      readonly tool: string
      readonly runtime: string
      readonly plan: Json
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
  const trust = new TrustStore(spaces)
  const lock = new Lock({
    spaces,
    frozen: options.frozen === true,
    ...(options.cache === false ? {} : { memory: lockMemory(spaces) }),
  })
  const settings = {
    config: loaded.config,
    configStamp: loaded.stamp,
    spaces,
    formats: allFormats,
    judge: listingJudge(trust, loaded.config.trust),
    version: version(),
    useCache: options.cache !== false,
    mark: (tools: readonly Tool[], stamp: string) => lock.mark(tools, stamp),
  }
  const catalog = await Catalog.open(settings, builtinTools)
  const crib = new Crib(options, spaces, loaded, catalog, trust, lock)
  await crib.recallForeignTools()
  await crib.recallStoredTools()
  return crib
}

async function allFormats(): Promise<readonly Format[]> {
  return (await import('./formats/registry.ts')).formats
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
  /** Refs, cascades and the main skill. */
  readonly skills: SkillShelf
  /** Breadcrumbs, secrets, run records; opened by their first use. */
  readonly crumbs: CrumbRoom
  readonly supervisor = new Supervisor()
  #fence: Fence | undefined
  #judge: typeof judgeTool | undefined
  /** Calls that wait for a person. */
  readonly approvals = new Approvals(() => this.config.approvals.timeoutMs)
  readonly #options: CribOptions
  #loaded: LoadedConfig
  readonly #functions = new Map<string, ToolFunction>()
  readonly #added = new Map<string, Tool>()
  #stored = noStoredTools
  readonly #runtimes = new Map<string, Runtime | Promise<Runtime>>()
  #traits: ReadonlyMap<string, Traits> | undefined
  #foreign: ForeignTools | undefined
  #catchingUp: Promise<void> | undefined
  #watcher: { close(): Promise<void> } | undefined
  #closing: Promise<void> | undefined

  constructor(
    options: CribOptions,
    spaces: Spaces,
    loaded: LoadedConfig,
    catalog: Catalog,
    trust: TrustStore,
    lock: Lock,
  ) {
    super()
    this.#options = options
    this.spaces = spaces
    this.#loaded = loaded
    this.catalog = catalog
    this.trust = trust
    this.lock = lock
    this.skills = new SkillShelf(catalog, () => this.config, spaces)
    this.crumbs = new CrumbRoom({
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
    this.kernel = new Kernel({
      guards: standardGuards(this.#services()),
      find: (ref, caller, base) => this.#findFor(ref, caller, base),
      cascade: () => this.skills.cascade,
      surroundings: () => ({
        root: spaces.project,
        version: version(),
        nonlocals: this.config.skills.nonlocals,
      }),
      refresh: () => this.reload(),
    })
    globals['config'] = loaded.config
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

  /** Everything wrong in the crib: configuration, files, tools. */
  get problems(): Problem[] {
    return [
      ...this.#loaded.problems,
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
    return this.skills.find(ref, libraryCaller)
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
  async call(ref: string | Tool, params?: unknown, options: CallCribOptions = {}): Promise<Outcome> {
    const given = this.#callOptions(options)
    let tool = ref
    const isOfFile = typeof ref !== 'string' && this.#isBehind && this.#isCurrent(ref)
    try {
      await this.#ready()
      if (typeof ref !== 'string') {
        const current = isOfFile ? this.#asItIsNow(ref, given.caller) : ref
        tool = await this.#inFull(current, given.caller, given.signal)
      }
    } catch (error) {
      return failureOf(error)
    }
    return this.kernel.invoke(tool, params, given)
  }

  /**
   * The tool with everything its definition says. Only a skill with computed frontmatter is more than its file shows:
   * its module is imported, if trust allows that; other tools are given back as they are.
   */
  async inFull(tool: Tool, options: Pick<CallCribOptions, 'caller' | 'signal'> = {}): Promise<Tool> {
    await this.#ready()
    return this.#inFull(tool, options.caller ?? libraryCaller, options.signal)
  }

  #inFull(tool: Tool, caller: Caller, signal?: AbortSignal): Tool | Promise<Tool> {
    return this.catalog.isKnownInFull(tool) ? tool : this.#imported(tool, caller, signal)
  }

  async #imported(tool: Tool, caller: Caller, signal?: AbortSignal): Promise<Tool> {
    const { importEarly } = await import('./guards/import-early.ts')
    const broken = await importEarly(tool, await this.#runtime('skill'), this.#services(), signal)
    const [now] = this.catalog.inFile(tool.source.file!).filter(({ format }) => format === 'skill')
    return broken ?? this.skills.openTo(caller, now ?? tool)
  }

  /** Resolves and checks everything a call would, and runs nothing. */
  async dryRun(ref: string | Tool, params?: unknown, options: CallCribOptions = {}): Promise<DryRun> {
    let call: Call
    try {
      await this.#ready()
      const given: CallOptions = { ...this.#callOptions(options), dryRun: true }
      // Found here and not by the kernel, which would import a module to know the tool in full.
      const tool = typeof ref === 'string' ? await this.#found(ref, given.caller) : ref
      call = await this.kernel.prepare(tool, params, given)
      await this.kernel.run(call)
    } catch (error) {
      return { ...failureOf(error), dryRun: true }
    }
    return {
      ok: true,
      dryRun: true,
      tool: call.tool.id,
      runtime: call.tool.runtime?.name ?? 'none',
      plan: (call.result as { plan: Json }).plan,
      trust: call.tool.trust.status,
      grants: call.grants,
      profile: call.profile as unknown as Json,
    }
  }

  /** Takes the tools of foreign MCP servers that an earlier run heard of; contacts nobody. */
  async recallForeignTools(): Promise<void> {
    if (!this.#foreign && !this.#servers().some(() => true)) return
    if (!this.#foreign) {
      const { ForeignTools } = await import('./runtimes/mcp/foreign-tools.ts')
      this.#foreign ??= new ForeignTools({
        env: this.#runtimeEnv(),
        servers: () => this.#servers(),
        profileOf: (tool) => makeProfile(tool, grantsFor(tool, this.config), this.config, this.spaces),
        adopt: (tools, problems) => this.catalog.setForeignTools(tools, problems),
      })
    }
    this.#foreign.recall()
  }

  /** Takes the tools that live in the store; a store that cannot be read is told and hides no other tool. */
  async recallStoredTools(): Promise<void> {
    try {
      await this.crumbs.recallTools()
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
    if (this.#loaded.fault || !this.#foreign) return
    await this.#foreign.discover(options)
  }

  /** Finds a tool as `find` does; when there is none, foreign servers are asked before giving up. */
  async seek(ref: string): Promise<Tool> {
    if (this.#isBehind) await this.#catchUp()
    try {
      return this.find(ref)
    } catch (error) {
      if (!this.#foreign?.hasUnasked) throw error
      await this.discover()
      return this.find(ref)
    }
  }

  #servers(): Tool[] {
    return this.catalog.tools.filter((tool) => tool.kind === 'server' && tool.format === 'mcp')
  }

  /** Validates every definition, schemas compiled for real; contacts nobody and runs nothing. */
  async check(options: Partial<Omit<CheckOptions, 'system'>> = {}): Promise<CheckReport> {
    const { checkTools } = await import('./catalog/check-tools.ts')
    return checkTools(this.catalog.tools, this.problems, await allFormats(), {
      strict: false,
      paths: [],
      system: this.spaces.system,
      ...options,
    })
  }

  /** Why a tool or file is not listed, not callable, denied or slow. */
  async why(refOrFile: string): Promise<Finding[]> {
    const { whyNot } = await import('./catalog/why.ts')
    const findings = whyNot(this.catalog, this.config, this.spaces, refOrFile)
    const { aboutServers } = await import('./runtimes/mcp/about-servers.ts')
    return [...aboutServers(this.#servers(), refOrFile), ...(await this.#aboutCalls(refOrFile, findings))]
  }

  /** Adds to what the definition says what guards would, and where the time of the last runs went. */
  async #aboutCalls(ref: string, findings: Finding[]): Promise<Finding[]> {
    let tool: Tool
    try {
      tool = this.find(ref)
    } catch {
      return findings
    }
    const { whyRefused } = await import('./guards/why-refused.ts')
    const refusals = whyRefused(tool, this.config, await this.#services().trustOf(tool))
    const isFree = refusals.every(({ code }) => code === 'approval')
    const isStored = /^\w+:\/\//.test(this.config.store) || existsSync(this.config.store)
    const { timesOf } = await import('./crumbs/runs/where-time-went.ts')
    const times = isStored ? await timesOf(tool.id, this.crumbs.runs) : []
    return [...refusals, ...findings.filter(({ code }) => isFree || code !== 'fine'), ...times]
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
    const tools = definitions.map((definition) => this.#register(definition))
    this.#addTools()
    return tools
  }

  #register(definition: FunctionTool | SkillTool): Tool {
    if ('name' in definition) {
      const { tool, run } = makeProgrammaticSkill(definition)
      return this.#keep(tool, run)
    }
    const { fn, ...given } = definition
    const tool = makeTool({
      ...given,
      params: given.params ?? null,
      format: 'builtin',
      tier: 'project',
      source: { file: null, digest: '' },
      runtime: { name: 'function', plan: { function: given.id } },
    })
    return this.#keep(tool, fn)
  }

  #keep(tool: Tool, fn: ToolFunction): Tool {
    this.#functions.set(tool.id, fn)
    this.#added.set(tool.id, tool)
    return tool
  }

  /** Tools made in code and tools that live in the store, before those of files. */
  #addTools(): void {
    this.catalog.setAddedTools([...this.#added.values(), ...this.#stored.tools], this.#stored.withdrawn)
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
      this.crumbs.adoptTools().catch((error: Error) => this.#note('error', error.message))
    })
    return engines
  }

  /** Reads changed files and settings again. */
  async reload(): Promise<void> {
    this.#loaded = await loadConfig(this.spaces, this.env, this.#options.config)
    await this.catalog.reload({ config: this.#loaded.config, configStamp: this.#loaded.stamp })
    await this.recallForeignTools()
    if (this.#watcher) void this.discover()
    this.kernel.recompose()
  }

  /** Follows the files: a change is read within a moment and announced as `tool-changed`. */
  async watch(): Promise<void> {
    if (this.#watcher) return
    const { watchPlaces } = await import('./catalog/watch-places.ts')
    this.#watcher = await watchPlaces(this.config, this.spaces, async (paths) => {
      await this.reload()
      this.emit('files-changed', paths)
    })
    await this.#foreign?.follow()
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
    await Promise.all([...this.#runtimes.values()].map(async (runtime) => (await runtime).close?.()))
    await this.supervisor.close()
    await this.crumbs.close()
    this.#fence?.close()
  }

  /** The verdict on a tool with everything it is made of; the judge is loaded for the first call. */
  #trustOf(tool: Tool): Trust | Promise<Trust> {
    if (!this.#judge)
      return import('./trust/judge-tool.ts').then(({ judgeTool }) => {
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
    const { mode, require } = this.config.sandbox
    this.#fence ??= openFence({ mode, require, project: this.spaces.project })
    return this.#fence
  }

  /** Settings that protect the user are unknown while their file is broken, so nothing runs. */
  async #ready(): Promise<void> {
    const { fault } = this.#loaded
    if (fault)
      throw new ToolError('CONFIG_INVALID', `${fault.message} (${placeOf(fault)})`, { hint: fault.hint })
    if (this.#closing) throw new ToolError('CANCELLED', 'The crib is closed.')
    if (this.#isBehind) await this.#catchUp()
    if (this.lock.isOutdated) this.catalog.markAgain()
    // A program that calls in a tight loop would never let the record be written.
    if (this.crumbs.runs.isBehind) await this.crumbs.runs.catchUp()
    this.#traits ??= new Map((await allFormats()).map((format) => [format.name, format.traits]))
  }

  /** True when nobody follows the files and a look at the skills is due. */
  get #isBehind(): boolean {
    return this.#catchingUp !== undefined || (this.#watcher === undefined && this.catalog.isLookDue)
  }

  /** Skills that changed on disk count from here on; one look serves all calls of a second. */
  async #catchUp(): Promise<void> {
    if (!this.#catchingUp && !this.catalog.haveSkillsChanged()) return
    this.#catchingUp ??= this.reload().finally(() => {
      this.#catchingUp = undefined
    })
    await this.#catchingUp
  }

  #isCurrent(tool: Tool): boolean {
    return this.catalog.inFile(tool.source.file ?? '').includes(tool)
  }

  /** A tool that was taken from the catalog before skills were read again, as it is now. */
  #asItIsNow(tool: Tool, caller: Caller): Tool {
    const same = this.catalog
      .inFile(tool.source.file ?? '')
      .find(({ id, format }) => id === tool.id && format === tool.format)
    return same ?? this.skills.find(tool.id, caller)
  }

  #callOptions(options: CallCribOptions): CallOptions {
    return { strict: this.#options.strict ?? false, ...options, caller: options.caller ?? libraryCaller }
  }

  #findFor(ref: string, caller: Caller, base?: RefBase): Tool | Promise<Tool> {
    if (this.#isBehind) return this.#catchUp().then(() => this.#findFor(ref, caller, base))
    const found = this.#found(ref, caller, base)
    if (base?.isDryRun) return found
    return found instanceof Promise
      ? found.then((tool) => this.#inFull(tool, caller))
      : this.#inFull(found, caller)
  }

  #found(ref: string, caller: Caller, base?: RefBase): Tool | Promise<Tool> {
    try {
      return this.skills.find(ref, caller, base)
    } catch (error) {
      return this.#missing(ref, error, caller, base)
    }
  }

  async #missing(ref: string, error: unknown, caller: Caller, base?: RefBase): Promise<Tool> {
    if (this.#foreign?.hasUnasked) {
      await this.discover()
      try {
        return this.skills.find(ref, caller, base)
      } catch {
        // Asking did not help; the first answer stands.
      }
    }
    throw namedIn(base, ref, (await this.#whyMissing(ref).catch(() => undefined)) ?? error)
  }

  /** The format's own word on a `format:id` that leads nowhere: a disabled skill is not simply unknown. */
  async #whyMissing(ref: string): Promise<ToolError | undefined> {
    const parsed = parseRef(ref)
    if (parsed.kind !== 'format') return undefined
    const format = (await allFormats()).find((each) => each.name === parsed.format)
    return format?.whyMissing?.(parsed.id, this.catalog.factsOf(parsed.format))
  }

  #services(): GuardServices {
    const crib = this
    return {
      get config() {
        return crib.config
      },
      spaces: crib.spaces,
      traits: (tool) => crib.#traits?.get(tool.format) ?? plainTraits,
      runtime: (tool) => crib.#runtime(tool.runtime!.name),
      invoke: (ref, args, from) => crib.#invokeFrom(ref, args, from),
      runRef: (...given) => crib.kernel.runRef(...given),
      verifyFile: (file, bytes) => {
        configVerifier(crib.trust, crib.config.trust)(file, bytes)
        crib.lock.verifyBytes(file, bytes)
      },
      trustOf: (tool) => crib.#trustOf(tool),
      driftOf: (tool) => this.#driftOf(tool),
      secretsOf: (call) => crib.crumbs.secretsFor(call),
      approval: (call) => crib.approvals.ask(call),
      place: (call) => crib.crumbs.place(call),
      allowed: (call, reason) => crib.crumbs.runs.recordAllow(call, reason),
      record: (call) => {
        crib.crumbs.runs.recordCall(call)
        crib.emit('run', call)
      },
    }
  }

  /** A foreign tool is compared as its server describes it now, not as it was remembered. */
  #driftOf(tool: Tool): Drift | null | Promise<Drift | null> {
    if (!this.lock.isActive) return null
    if (tool.format !== 'mcp' || !this.#foreign) return this.lock.driftOf(tool)
    return this.#foreign.confirm(tool).then(() => this.lock.driftOf(tool))
  }

  #invokeFrom(ref: string, args: unknown, from: Call): Promise<Outcome> {
    return this.kernel.invoke(ref, args, {
      caller: callerOf(from),
      parent: from,
      strict: from.options.strict,
    } as CallOptions)
  }

  #runtime(name: string): Runtime | Promise<Runtime> {
    let runtime = this.#runtimes.get(name)
    if (!runtime) {
      runtime = this.#openRuntime(name)
      this.#runtimes.set(name, runtime)
      if (runtime instanceof Promise) {
        runtime.then(
          (opened) => this.#runtimes.set(name, opened),
          () => this.#runtimes.delete(name),
        )
      }
    }
    return runtime
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
      verifyFile: this.#services().verifyFile,
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

  /** The crib as agents and built-in tools see it. */
  get #view(): CribView {
    const crib = this
    const contextOf = (tool: Tool, args?: unknown, from?: object) =>
      crib.kernel.blankContext(tool, libraryCaller, args, from as Call | undefined)
    return {
      get tools() {
        return crib.catalog.tools
      },
      get skills() {
        return crib.skills.index
      },
      env: this.#options.env ?? process.env,
      find: (ref, caller) => crib.skills.find(ref, caller),
      inFull: (tool, caller) => crib.#inFull(tool, caller),
      described: (tool, from) => withSchemas(tool, () => contextOf(tool, undefined, from)),
      blankContext: contextOf,
      callAsAgent: (tool, args, from) => crib.#callAsAgent(tool, args, from as Call),
      secret: (ref, by) => crib.#secretAt(ref, by),
    }
  }

  /** `env://NAME` or `secret://NAME`. */
  async #secretAt(ref: string, by: string): Promise<string | null> {
    const name = ref.slice(ref.indexOf('://') + 3)
    if (ref.startsWith('env://')) return (this.#options.env ?? process.env)[name] ?? null
    return (await this.crumbs.secretNamed(name, `the model of ${by}`)) ?? null
  }

  #callAsAgent(tool: Tool, args: unknown, from: Call): Promise<Outcome> {
    const caller: Caller = { ...callerOf(from), surface: 'agent', isPublic: true }
    const { strict, onLog } = from.options
    return this.kernel.invoke(tool, args, {
      caller,
      parent: from,
      ...(strict ? { strict } : {}),
      ...(onLog ? { onLog } : {}),
    })
  }

  #openRuntime(name: string): Runtime | Promise<Runtime> {
    const env = this.#runtimeEnv()
    if (name === 'function') return functionRuntime(this.#functions)(env)
    const load = runtimeLoaders[name]
    if (!load)
      throw new ToolError('RUNTIME_MISSING', `There is no runtime "${name}".`, {
        details: { known: Object.keys(runtimeLoaders) },
      })
    return load().then((factory) => factory(env))
  }
}

/** The tool with `$resolve` applied; the same object when there is nothing to resolve. */
function withSchemas(tool: Tool, context: () => object): Tool {
  const isDynamic = (schema: JsonSchema | null) => schema !== null && '$resolve' in schema
  if (!isDynamic(tool.params) && !isDynamic(tool.returns)) return tool
  const values = context()
  return {
    ...tool,
    params: tool.params && describedSchema(tool.params, values),
    returns: tool.returns && describedSchema(tool.returns, values),
  }
}

/** Says of a ref in metadata that leads nowhere which file names it, and in which line. */
function namedIn(base: RefBase | undefined, ref: string, error: unknown): unknown {
  if (!base?.isMetadata || !isToolError(error) || error.code !== 'TOOL_NOT_FOUND') return error
  const { file } = base.tool.source
  const line = lineOfRef(ref, base.tool)
  const place = file === null ? '' : ` (${placeOf({ file, ...(line ? { line } : {}) })})`
  return new ToolError(error.code, `${error.message} ${base.tool.id} names it in its metadata${place}.`, {
    ...(error.hint ? { hint: error.hint } : {}),
    ...(error.details ? { details: error.details } : {}),
  })
}

const plainTraits: Traits = { fillDefaults: true }

function lockMemory(spaces: Spaces): LockMemory {
  const file = (name: string) => join(spaces.state, 'cache', `${name}.json`)
  return {
    read: (name, key) => readCacheFile<never>(file(name), key)?.data,
    write: (name, key, data) => writeCacheFile(file(name), key, data),
  }
}
