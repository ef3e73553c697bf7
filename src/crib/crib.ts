// An open crib as its users hold it: catalog, calls, permits, records. What it is put together from is in crib-core.ts,
// what it does between its opening and its end in crib-life.ts.
import type { ListFilter } from '../catalog/catalog.ts'
import type { CheckOptions, CheckReport } from '../catalog/check-tools.ts'
import type { ResolveOptions } from '../catalog/resolver.ts'
import type { SearchHit } from '../catalog/search.ts'
import type { Finding } from '../catalog/why.ts'
import type { Format } from '../formats/format.ts'
import type { SkillTool } from '../formats/skill/programmatic.ts'
import { offerProblems } from '../guards/offer-problems.ts'
import { wovenOf } from '../guards/skills/skill-calls.ts'
import type { Call, CallOptions } from '../kernel/call.ts'
import type { Refusal } from '../kernel/refusals.ts'
import { type Acceptance, decideHeld } from '../sandbox/changes/decide-held.ts'
import { changesOf, type RunChanges } from '../sandbox/changes/run-changes.ts'
import { type Undone, type UndoRequest, undoRuns } from '../sandbox/changes/undo-runs.ts'
import { grantProblems } from '../sandbox/grant-problems.ts'
import type { Exporter } from '../tool/exporter.ts'
import { failureOf } from '../tool/failure-of.ts'
import { asJson, type Json } from '../tool/json.ts'
import type { Effects, Failure, Outcome } from '../tool/outcome.ts'
import { libraryPrincipal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import type { ChainLink, Tool } from '../tool/tool.ts'
import { errorData } from '../tool/tool-error.ts'
import { type FindingsOfTools, findingsOfAll } from '../trust/inference/findings-of-all.ts'
import type { FunctionTool } from './added-tools.ts'
import { type CallCribOptions, noOptions } from './crib-core.ts'
import { CribLife } from './crib-life.ts'
import { lockMemory } from './lock-memory.ts'
import { type ToolUses, toolUses } from './tool-uses.ts'

export type { FunctionTool } from './added-tools.ts'
export type { CallCribOptions } from './crib-core.ts'

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

/** An open crib: its catalog, calls and records, for a program that embeds it. Made by `openCrib`. */
export class Crib extends CribLife {
  /** The crib's folder. */
  get root(): string {
    return this.spaces.project
  }

  /** Where each setting came from: dotted key → file, variable or flag. */
  get configOrigins(): { readonly [key: string]: string } {
    return this.loaded.origins
  }

  /** Every format, what ships first. */
  formats(): Promise<readonly Format[]> {
    return this.protection.load()
  }

  /** How plugins write definitions for other systems; `exportTools` takes them. */
  get exporters(): readonly Exporter[] {
    return this.pieces.exporters
  }

  /** Everything wrong in the crib: configuration, files, tools. */
  get problems(): Problem[] {
    return [
      ...this.loaded.problems,
      ...this.placeProblems,
      ...this.pieces.problems,
      ...this.lock.problems,
      ...this.catalog.problems,
      ...grantProblems(this.catalog.tools, {
        config: this.config,
        origins: this.loaded.origins,
      }),
      ...offerProblems(this.catalog.tools, { config: this.config, origins: this.loaded.origins }),
      ...this.crumbs.problems,
    ]
  }

  /** Tools one can see and call, sorted by id; with `all` everything the catalog knows. */
  list(filter?: ListFilter): Tool[] {
    return this.catalog.list(filter)
  }

  /** One tool by id, alias, `format:id`, path or URI; throws TOOL_NOT_FOUND with near names. */
  find(ref: string): Tool {
    return this.resolver.known(ref, libraryPrincipal)
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
    let given: CallOptions
    let waits: undefined | Promise<void>
    try {
      given = this.callOptions(options)
      waits = this.ready()
    } catch (error) {
      return Promise.resolve(failureOf(error))
    }
    if (!waits) return this.calling.kernel.invoke(ref, params, given)
    return waits.then(() => this.kernel.invoke(ref, params, given), failureOf)
  }

  /**
   * Which tool is meant, judged for `as` (default: the library) as a call by name is: skills that changed are read
   * again, foreign servers are asked for a name that is not known. `load: 'full'` imports the module of a skill with
   * computed frontmatter, if trust allows that; the default runs nothing.
   */
  async resolve(ref: string | Tool, options: Partial<ResolveOptions> = {}): Promise<Tool> {
    if (options.load === 'full') await this.ready()
    return this.resolver.resolve(ref, { as: libraryPrincipal, load: 'static', ...options })
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
      chain: call.tool.chain?.map(chainElement),
      trust: call.tool.trust.status,
      grants: call.grants,
      profile: call.profile && asJson(call.profile),
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
    await this.ready()
    const given = this.callOptions(options)
    return this.kernel.make(await this.kernel.resolve(ref, given), params, given)
  }

  /**
   * What a run changed in the crib's files, with the difference as text; the id may be shortened.
   *
   * @example
   * const { files, diff } = crib.changes(outcome.runId)
   */
  changes(runId: string): RunChanges {
    return changesOf(this.changed, runId)
  }

  /**
   * Puts back what a run, and the runs it caused, changed in the files. What something else changed since is a
   * conflict: nothing is put back then, unless it is to be merged or overwritten.
   *
   * @example
   * const { restored, conflicts } = await crib.undo(outcome.runId)
   */
  undo(run: string | UndoRequest, options: Omit<UndoRequest, 'run'> = {}): Promise<Undone> {
    return undoRuns(this.changed, typeof run === 'string' ? { ...options, run } : run)
  }

  /**
   * Decides on what a run holds: everything, nothing, or the paths that are accepted.
   *
   * @example
   * await crib.decide(outcome.runId, ['notes.md'])
   */
  async decide(run: string, accepted: Acceptance): Promise<Effects> {
    await this.protection.load()
    return await decideHeld(this.changed, run, accepted)
  }

  /** Validates every definition, schemas compiled for real; contacts nobody and runs nothing. */
  async check(options: Partial<Omit<CheckOptions, 'system' | 'runsInHost'>> = {}): Promise<CheckReport> {
    const { checkTools } = await import('../catalog/check-tools.ts')
    const { signatureProblems } = await import('../trust/signature-problems.ts')
    const { undeclaredProblems } = await import('../sandbox/capability-problems.ts')
    const { unusedProblems } = await import('../sandbox/unused-grants.ts')
    const own = this.catalog.tools.filter((tool) => tool.tier !== 'system')
    const problems = [
      ...this.problems,
      ...signatureProblems(this.catalog.tools, this.trust),
      ...(await this.crumbs.checkSeeds()),
      ...undeclaredProblems(await this.findingsOf(own), {
        config: this.config,
        project: this.root,
        isSpec: options.spec === 'capabilities',
      }),
      ...(await unusedProblems(this.catalog.tools, {
        config: this.config,
        origins: this.loaded.origins,
        evidenceOf: async (tool) => ({
          ...(await this.usesOf(tool)),
          findings: (await this.inference()).of(tool),
          project: this.root,
        }),
      })),
    ]
    return checkTools(this.catalog.tools, problems, await this.pieces.formats(), {
      strict: false,
      paths: [],
      system: this.spaces.system,
      runsInHost: (tool) => this.runsInHost(tool),
      ...options,
    })
  }

  /** What the code of these tools can touch, kept as long as the catalog stays as it is. */
  findingsOf(tools: readonly Tool[]): Promise<FindingsOfTools> {
    return findingsOfAll(tools, {
      stamp: this.catalog.stamp,
      memory: this.options.cache === false ? undefined : lockMemory(this.spaces),
      inference: () => this.inference(),
    })
  }

  /** What recorded runs tell of the rights a tool used. */
  usesOf(tool: Tool): Promise<ToolUses> {
    return toolUses(tool.id, { accesses: this.accesses, runs: this.crumbs.runs })
  }

  /** Why a tool or file is not listed, not callable, denied or slow; with `params`, also what they lead to. */
  async why(refOrFile: string, params?: unknown, options?: CallCribOptions): Promise<Finding[]> {
    const { whyNot } = await import('../catalog/why.ts')
    const findings = whyNot(this.catalog, this.config, this.spaces, refOrFile)
    const { aboutServers } = await import('../runtimes/mcp/about-servers.ts')
    const servers = aboutServers(this.foreign.servers, refOrFile)
    const { aboutCalls, findingOf } = await import('./about-calls.ts')
    let tool: Tool
    try {
      tool = this.find(refOrFile)
    } catch {
      const why = await this.whyMissing(refOrFile).catch(() => undefined)
      return why ? [findingOf(why)] : [...servers, ...findings]
    }
    const about = await aboutCalls({
      tool,
      findings,
      refusals: await this.refusals(tool, params, options),
      metadata: wovenOf(this.kernel.compose(tool))?.metadata ?? {},
      config: this.config,
      hasStore: this.accesses.hasStore,
      runs: this.crumbs.runs,
    })
    return [...servers, ...about]
  }

  /** Adds a tool made in code; it comes before a file's tool of the same id. With a `name` it is a skill. */
  addTool(definition: FunctionTool): Tool
  addTool(definition: SkillTool): Tool
  addTool(definition: FunctionTool | SkillTool): Tool {
    return this.addTools([definition])[0]!
  }

  /** Adds many tools made in code as one change of the catalog. */
  addTools(definitions: readonly (FunctionTool | SkillTool)[]): Tool[] {
    const tools = definitions.map((definition) => this.added.add(definition))
    this.adoptTools()
    return tools
  }
}

/** A link of an executor chain in the words of the rye format. */
function chainElement({ id, tier, type, executor, digest }: ChainLink): Json {
  return { item_id: id, tier, tool_type: type, executor_id: executor, hash: digest }
}
