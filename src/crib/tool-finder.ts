// What a ref means now: skills that changed on disk are read again, foreign servers that were not asked are asked,
// and a skill whose frontmatter is computed is imported before anybody goes by it.
import type { Catalog } from '../catalog/catalog.ts'
import type { RefBase, SkillShelf } from '../catalog/skill-shelf.ts'
import { lineOfRef } from '../formats/skill/inline.ts'
import type { GuardServices } from '../guards/services.ts'
import type { Runtime } from '../runtimes/runtime.ts'
import { type Caller, libraryCaller } from '../tool/caller.ts'
import { placeOf } from '../tool/problem.ts'
import { parseRef } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import { allFormats } from './all-formats.ts'
import type { ForeignServers } from './foreign-servers.ts'

export interface FinderParts {
  readonly catalog: Catalog
  readonly skills: SkillShelf
  readonly foreign: ForeignServers
  readonly services: GuardServices
  /** True while somebody follows the files. */
  isWatched(): boolean
  reload(): Promise<void>
  /** Asks foreign servers, as far as the crib's settings are sound. */
  discover(): Promise<void>
  skillRuntime(): Runtime | Promise<Runtime>
}

export class ToolFinder {
  readonly #parts: FinderParts
  #catchingUp: Promise<void> | undefined

  constructor(parts: FinderParts) {
    this.#parts = parts
  }

  /** True when nobody follows the files and a look at the skills is due. */
  get isBehind(): boolean {
    return this.#catchingUp !== undefined || (!this.#parts.isWatched() && this.#parts.catalog.isLookDue)
  }

  /** Skills that changed on disk count from here on; one look serves all calls of a second. */
  async catchUp(): Promise<void> {
    if (!this.#catchingUp && !this.#parts.catalog.haveSkillsChanged()) return
    this.#catchingUp ??= this.#parts.reload().finally(() => {
      this.#catchingUp = undefined
    })
    await this.#catchingUp
  }

  /** True for a tool of a file that may be read again before its call begins. */
  mayChange(tool: Tool): boolean {
    return this.isBehind && this.#parts.catalog.inFile(tool.source.file ?? '').includes(tool)
  }

  /** A tool that was taken from the catalog before skills were read again, as it is now. */
  asItIsNow(tool: Tool, caller: Caller): Tool {
    const same = this.#parts.catalog
      .inFile(tool.source.file ?? '')
      .find(({ id, format }) => id === tool.id && format === tool.format)
    return same ?? this.#parts.skills.find(tool.id, caller)
  }

  /** What the kernel calls: found, and known in full. */
  find(ref: string, caller: Caller, base?: RefBase): Tool | Promise<Tool> {
    if (this.isBehind) return this.catchUp().then(() => this.find(ref, caller, base))
    const found = this.byRef(ref, caller, base)
    if (base?.isDryRun) return found
    return found instanceof Promise
      ? found.then((tool) => this.inFull(tool, caller))
      : this.inFull(found, caller)
  }

  /** Imports nothing. */
  byRef(ref: string, caller: Caller, base?: RefBase): Tool | Promise<Tool> {
    try {
      return this.#parts.skills.find(ref, caller, base)
    } catch (error) {
      return this.#missing(ref, error, caller, base)
    }
  }

  /** Finds a tool for a person; when there is none, foreign servers are asked before giving up. */
  async seek(ref: string): Promise<Tool> {
    if (this.isBehind) await this.catchUp()
    const { skills, foreign, discover } = this.#parts
    try {
      return skills.find(ref, libraryCaller)
    } catch (error) {
      const why = await this.whyMissing(ref).catch(() => undefined)
      if (why || foreign.servers.length === 0) throw why ?? error
      if (foreign.hasUnasked) await discover()
      try {
        return skills.find(ref, libraryCaller)
      } catch {
        throw (await this.#serverOf(ref)) ?? error
      }
    }
  }

  /** The tool with what its module says of it. */
  inFull(tool: Tool, caller: Caller, signal?: AbortSignal): Tool | Promise<Tool> {
    return this.#parts.catalog.isKnownInFull(tool) ? tool : this.#imported(tool, caller, signal)
  }

  async #imported(tool: Tool, caller: Caller, signal?: AbortSignal): Promise<Tool> {
    const { catalog, skills, services, skillRuntime } = this.#parts
    const { importEarly } = await import('../guards/import-early.ts')
    const broken = await importEarly(tool, await skillRuntime(), services, signal)
    const [now] = catalog.inFile(tool.source.file!).filter(({ format }) => format === 'skill')
    return broken ?? skills.openTo(caller, now ?? tool)
  }

  async #missing(ref: string, error: unknown, caller: Caller, base?: RefBase): Promise<Tool> {
    const { skills, foreign, discover } = this.#parts
    if (foreign.hasUnasked) {
      await discover()
      try {
        return skills.find(ref, caller, base)
      } catch {
        // Asking did not help; the first answer stands.
      }
    }
    const why = (await this.whyMissing(ref).catch(() => undefined)) ?? (await this.#serverOf(ref)) ?? error
    throw namedIn(base, ref, why)
  }

  /** What is wrong with the server whose tool a name seems to be. */
  async #serverOf(ref: string): Promise<ToolError | undefined> {
    const { servers } = this.#parts.foreign
    if (servers.length === 0) return undefined
    const { aboutServers } = await import('../runtimes/mcp/about-servers.ts')
    const [about] = aboutServers(servers, ref)
    if (!about) return undefined
    const message = `There is no tool "${ref}" in this crib: ${about.message}`
    return new ToolError('TOOL_NOT_FOUND', message, about.hint ? { hint: about.hint } : {})
  }

  /** The format's own word on a `format:id` that leads nowhere: a disabled skill is not simply unknown. */
  async whyMissing(ref: string): Promise<ToolError | undefined> {
    const parsed = parseRef(ref)
    if (parsed.kind !== 'format') return undefined
    const format = (await allFormats()).find((each) => each.name === parsed.format)
    return format?.whyMissing?.(parsed.id, this.#parts.catalog.factsOf(parsed.format))
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
