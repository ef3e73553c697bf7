// Where every tool is. Opened once, then it answers from memory; a reload keeps what did not change and says
// what did.
import { EventEmitter } from 'node:events'
import { isComputed, withComputed } from '../formats/skill/computed-skill.ts'
import { byCodeUnits, type JsonObject } from '../tool/json.ts'
import { type Problem, saidWithPlace } from '../tool/problem.ts'
import type { FormatName, Tool, ToolKind } from '../tool/tool.ts'
import { type LoadedTools, type LoadInput, loadTools } from './load-tools.ts'
import { Lookup } from './lookup.ts'
import type { Search, SearchHit } from './search.ts'
import { joinLater, withUniqueNames } from './settle.ts'
import type { SkillStamps } from './skill-stamps.ts'
import { changesBetween, type ToolChange } from './tool-changes.ts'
import type { UnitResults } from './unit-results.ts'
import { asYielded, claimOf, hidingClaims, yieldingClaims } from './yielding.ts'

export interface ListFilter {
  readonly format?: FormatName
  readonly tag?: string
  readonly kind?: ToolKind
  /** Hidden, unavailable, middleware, runtimes and the like too. */
  readonly all?: boolean
}

const saveAfterMs = 2_000

type LoadSettings = Omit<LoadInput, 'previous' | 'yielding'> & {
  /** Keeps tools apart that are not what was approved; `stamp` stands for everything they were read from. */
  mark?(tools: readonly Tool[], stamp: string): readonly Tool[]
  /** Whether somebody vouches for a tool that was marked; absent: all are alike. */
  isVouched?(tool: Tool, tools: readonly Tool[]): boolean
  /** Why settings are unknown: no tool can be called until it is fixed. */
  readonly fault?: Problem | undefined
}

export class Catalog extends EventEmitter<{ 'tool-changed': [ToolChange]; changed: [] }> {
  #settings: LoadSettings
  #fileTools: readonly Tool[] = []
  #addedTools: readonly Tool[] = []
  #withdrawn: ReadonlySet<string> = new Set()
  /** By file: skills as their loaded modules describe them. */
  readonly #computed = new Map<string, Tool>()
  #foreignTools: readonly Tool[] = []
  readonly #builtinTools: readonly Tool[]
  #foreignProblems: readonly Problem[] = []
  #tools: readonly Tool[] = []
  #problems: readonly Problem[] = []
  #units: UnitResults | undefined
  #facts: LoadedTools['facts'] = {}
  #stamp = ''
  /** Tools of files that took no part when the others were linked, because they yield (G8). */
  #linkedWithout: ReadonlyMap<string, Tool> = new Map()
  #hidden: LoadedTools['hidden'] = []
  #stamps: SkillStamps | undefined
  #folders: readonly string[] = []
  #lookup: Lookup
  #search: Search | undefined
  /** Counts the states of the catalog; only the catalog itself counts it up. */
  version = 0
  #reloading: Promise<void> | undefined
  #saving: NodeJS.Timeout | undefined

  private constructor(settings: LoadSettings, builtin: readonly Tool[]) {
    super()
    this.#builtinTools = builtin
    this.#settings = settings
    this.#lookup = new Lookup([], settings.spaces.project)
  }

  /** `builtin`: tools of the program itself; they come last and hide nothing. */
  static async open(settings: LoadSettings, builtin: readonly Tool[] = []): Promise<Catalog> {
    const catalog = new Catalog(settings, builtin)
    await catalog.#load()
    return catalog
  }

  /** Stands for everything the tools of files were read from. */
  get stamp(): string {
    return this.#stamp
  }

  /** Every tool, in precedence order. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** Problems that belong to no tool, then those of the tools. */
  get problems(): Problem[] {
    return [...this.#problems, ...this.#tools.flatMap((tool) => tool.problems)]
  }

  /** Sorted by id. Without `all`: what one can see and call. */
  list(filter: ListFilter = {}): Tool[] {
    return this.#tools
      .filter(
        (tool) =>
          (filter.all || this.#isShown(tool, filter)) &&
          (!filter.format || tool.format === filter.format) &&
          (!filter.kind || tool.kind === filter.kind) &&
          (!filter.tag || tool.tags.includes(filter.tag)),
      )
      .sort(
        (a, b) =>
          byCodeUnits(a.id, b.id) ||
          byCodeUnits(a.format, b.format) ||
          byCodeUnits(a.source.file ?? '', b.source.file ?? ''),
      )
  }

  #isShown(tool: Tool, { kind }: ListFilter): boolean {
    if (tool.tier === 'system' && !this.#settings.config.system) return false
    return isListed(tool) || (kind === tool.kind && isVisible(tool))
  }

  /** Finds a tool by any form of ref; throws TOOL_NOT_FOUND. */
  find(ref: string, base?: string): Tool {
    return this.#lookup.find(ref, base)
  }

  /** The tool of exactly this id. */
  exactly(id: string): Tool | undefined {
    return this.#lookup.exactly(id)
  }

  /** The resource of a foreign server that has this address. */
  atAddress(uri: string): Tool | undefined {
    return this.#lookup.atAddress(uri)
  }

  /** The resources of foreign servers by the addresses they are known by here. */
  get addresses(): ReadonlyMap<string, Tool> {
    return this.#lookup.addresses
  }

  /** Tools defined in a file, by absolute path. */
  inFile(file: string): readonly Tool[] {
    return this.#lookup.inFile(file)
  }

  /** What now stands in the place of a tool that was taken from the catalog before. */
  same(tool: Tool): Tool | undefined {
    return this.#lookup.same(tool)
  }

  /** Folders that the last walk entered, absolute. */
  get folders(): readonly string[] {
    return this.#folders
  }

  /** What a format knows beyond its tools: skills without tools, disabled ones. */
  factsOf(format: FormatName): readonly JsonObject[] {
    return this.#facts[format] ?? []
  }

  get names(): string[] {
    return this.#lookup.names
  }

  async search(query: string, limit?: number): Promise<SearchHit[]> {
    if (!this.#search) {
      const { Search } = await import('./search.ts')
      this.#search = new Search(this.list())
    }
    return this.#search.find(query, limit)
  }

  /** Replaces the tools made in code or stored; they come before those of files. Withdrawn files do not count. */
  setAddedTools(tools: readonly Tool[], withdrawn: readonly string[] = []): void {
    this.#addedTools = tools
    this.#withdrawn = new Set(withdrawn)
    this.#adopt()
  }

  /** Replaces a skill of a file by what its module says of it, until the file changes. */
  setComputedSkill(tool: Tool): void {
    this.#computed.set(tool.source.file!, tool)
    this.#adopt()
  }

  /** False for a skill whose frontmatter is computed by a module that was not loaded yet. */
  isKnownInFull(tool: Tool): boolean {
    const { file, digest } = tool.source
    if (
      tool.details?.skill === undefined ||
      !isComputed(tool) ||
      file === null ||
      this.inFile(file).length === 0
    )
      return true
    return this.#computed.get(file)?.source.digest === digest
  }

  /** Replaces the tools of foreign servers, and what is wrong with those; they come after all others. */
  setForeignTools(tools: readonly Tool[], problems: readonly Problem[]): void {
    this.#foreignTools = tools
    this.#foreignProblems = problems
    this.#adopt()
  }

  /** Compares the tools anew with what was approved. */
  markAgain(): void {
    this.#adopt()
  }

  /** True when nobody looked for a second whether skill files changed. */
  get isLookDue(): boolean {
    return this.#stamps?.isDue === true
  }

  /** Looks whether skill files came, went or changed since they were read. */
  haveSkillsChanged(): boolean {
    return this.#stamps?.haveChanged() === true
  }

  /** Reads again what changed. Calls at the same time share one reload. */
  reload(settings: Partial<LoadSettings> = {}): Promise<void> {
    this.#settings = { ...this.#settings, ...settings }
    this.#reloading ??= this.#load().finally(() => {
      this.#reloading = undefined
    })
    return this.#reloading
  }

  async #load(): Promise<void> {
    let loaded = await loadTools({ ...this.#settings, previous: this.#units })
    this.#fileTools = loaded.tools
    this.#hidden = loaded.hidden
    this.#linkedWithout = new Map()
    // What a format hid behind a tool that yields is linked anew without that one.
    for (let yielding = this.#settled().hiding; yielding.size > 0; yielding = this.#settled().hiding) {
      this.#linkedWithout = new Map([...this.#linkedWithout, ...yielding])
      const previous = loaded.units ?? this.#units
      loaded = await loadTools({ ...this.#settings, previous, yielding: this.#linkedWithout })
      this.#fileTools = loaded.tools
      this.#hidden = loaded.hidden
    }
    this.#problems = loaded.problems
    this.#units = loaded.units
    this.#facts = loaded.facts
    this.#stamp = loaded.stamp
    this.#stamps = loaded.stamps
    this.#folders = loaded.folders
    this.#adopt()
    this.#save(loaded.save)
  }

  /** A first load is saved at once, for the next process; those of a watcher when the files came to rest. */
  #save(save: (() => void) | undefined): void {
    clearTimeout(this.#saving)
    if (!save) return
    if (this.version === 1) save()
    else this.#saving = setTimeout(save, saveAfterMs).unref()
  }

  /** A server that could not be asked says why. */
  #withForeignProblem(tool: Tool): Tool {
    const said = this.#foreignProblems.filter((each) => tool.kind === 'server' && each.toolId === tool.id)
    if (said.length === 0) return tool
    const problems = [...tool.problems, ...said]
    // A server that is offered in part is there.
    const fault = said.find(({ code }) => code !== 'mcp-list-incomplete')
    return fault ? { ...tool, state: 'unavailable', reason: fault.message, problems } : { ...tool, problems }
  }

  /** What was approved is the file; what its module computes comes on top of that. */
  #withComputed(tools: readonly Tool[]): readonly Tool[] {
    if (this.#computed.size === 0) return tools
    return tools.map((tool) => {
      const computed = tool.details?.skill ? this.#computed.get(tool.source.file ?? '') : undefined
      return computed?.source.digest === tool.source.digest ? withComputed(tool, computed) : tool
    })
  }

  /** All tools with clashes settled and drift marked, and the tools of files that still hide one they must yield to. */
  #settled(): { readonly tools: readonly Tool[]; readonly hiding: ReadonlyMap<string, Tool> } {
    const { mark, isVouched } = this.#settings
    const markAll = (tools: readonly Tool[], stamp = this.#stamp) => mark?.(tools, stamp) ?? tools
    const linkedWithout = this.#linkedWithout
    const joined = this.#joined(new Set(linkedWithout.keys()))
    if (!isVouched) return { tools: this.#withBuiltin(markAll(joined)), hiding: new Map() }
    // A pinned tool is known by its own id, which the one that hides it has now.
    const behind = this.#hidden.map(({ tool }) => tool)
    const tools =
      behind.length === 0
        ? markAll(joined)
        : markAll([...joined, ...behind], `${this.#stamp} hidden`).slice(0, joined.length)
    const vouched = (tool: Tool) => !linkedWithout.has(claimOf(tool)) && isVouched(tool, tools)
    const unitsHiding = new Set(hidingClaims(this.#hidden, this.#fileTools, vouched))
    const contested = yieldingClaims([...tools, ...this.#builtinTools], vouched)
    const yielding = new Set([...contested, ...unitsHiding])
    const ids = new Set(this.#fileTools.flatMap((tool) => (yielding.has(claimOf(tool)) ? [] : [tool.id])))
    const hiding = this.#fileTools.filter(
      (tool) =>
        yielding.has(claimOf(tool)) &&
        !linkedWithout.has(claimOf(tool)) &&
        (ids.has(tool.id) || unitsHiding.has(claimOf(tool))),
    )
    const isSettled = [...yielding].every((claim) => linkedWithout.has(claim))
    const settled =
      isSettled && behind.length === 0
        ? tools
        : markAll(this.#joined(new Set([...linkedWithout.keys(), ...yielding])))
    return { tools: this.#withBuiltin(settled), hiding: new Map(hiding.map((tool) => [claimOf(tool), tool])) }
  }

  /** Tools of the program itself hide nothing but what yields to them. */
  #withBuiltin(tools: readonly Tool[]): readonly Tool[] {
    const taken = new Set(tools.flatMap((tool) => (tool.state === 'shadowed' ? [] : [tool.id])))
    return [...tools, ...this.#builtinTools.filter((tool) => !taken.has(tool.id))]
  }

  #joined(yielding: ReadonlySet<string>): Tool[] {
    const yields = (tool: Tool) => yielding.has(claimOf(tool))
    const added = this.#addedTools.filter((tool) => !yields(tool))
    const ids = new Set(added.map((tool) => tool.id))
    const own = [
      ...added,
      ...this.#fileTools.map((tool) => {
        if (tool.source.file !== null && this.#withdrawn.has(tool.source.file)) return withdrawn(tool)
        return ids.has(tool.id) && tool.state !== 'shadowed'
          ? hiddenByAdded(tool)
          : this.#withForeignProblem(tool)
      }),
    ]
    if (yielding.size === 0) return joinLater(own, this.#foreignTools)
    const winning = joinLater(
      own.filter((tool) => !yields(tool)),
      this.#foreignTools.filter((tool) => !yields(tool)),
    )
    const later = [...this.#addedTools, ...own, ...this.#foreignTools].filter(yields)
    return [...winning, ...asYielded(later, [...winning, ...this.#builtinTools])]
  }

  /** A model knows a tool by its name, so that a name is settled as an id is. */
  #named(tools: readonly Tool[]): Tool[] {
    const { isVouched } = this.#settings
    return withUniqueNames(tools, (tool) => isVouched?.(tool, tools) ?? false)
  }

  #adopt(): void {
    const before = this.#tools
    const { fault } = this.#settings
    const tools = this.#named(this.#withComputed(this.#settled().tools))
    this.#tools = fault ? tools.map((tool) => withoutSettings(tool, fault)) : tools
    this.#lookup = new Lookup(this.#tools, this.#settings.spaces.project)
    this.#search = undefined
    const changes = this.version === 0 ? [] : changesBetween(before, this.#tools)
    this.version++
    for (const change of changes) this.emit('tool-changed', change)
    if (changes.length > 0) this.emit('changed')
  }
}

/** T11: nobody is offered what every call of would be refused. */
function withoutSettings(tool: Tool, fault: Problem): Tool {
  if (tool.state !== 'available') return tool
  return { ...tool, state: 'unavailable', reason: saidWithPlace(fault) }
}

/** What a plain `list` shows: callable, visible, able to run. */
export function isListed(tool: Tool): boolean {
  return isVisible(tool) && (tool.kind === 'callable' || (tool.kind === 'context' && tool.params !== null))
}

function isVisible(tool: Tool): boolean {
  return !tool.hidden && tool.state === 'available'
}

function hiddenByAdded(tool: Tool): Tool {
  return {
    ...tool,
    state: 'shadowed',
    reason: 'a tool made in code or stored as a breadcrumb has the same id',
  }
}

function withdrawn(tool: Tool): Tool {
  return {
    ...tool,
    state: 'disabled',
    reason: 'its breadcrumb was deleted; it counts again at the next start',
  }
}
