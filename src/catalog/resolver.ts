// Which tool is meant? The one answer for calls, commands, HTTP, MCP, agents and refs in metadata: `resolve`. Skills
// that changed on disk are read again first, and a name that is not known is asked of foreign servers.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { skillPathsOf } from '../config/skill-paths.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { isReallyInside } from '../files/real-path.ts'
import { statIfThere } from '../files/stat-if-there.ts'
import { treeOf } from '../formats/skill/cascade/skill-index.ts'
import { lineOfRef } from '../formats/skill/inline.ts'
import { isSkillName } from '../formats/skill/name.ts'
import { skillOf } from '../formats/skill/settings.ts'
import { isPublic, type Principal } from '../tool/principal.ts'
import { placeOf } from '../tool/problem.ts'
import { looksLikeFile, parseRef } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import { isOwnScheme } from './addresses.ts'
import type { Catalog } from './catalog.ts'
import { notFound } from './lookup.ts'
import { codeFile, RefTools } from './ref-tools.ts'
import type { Skills } from './skills.ts'

/** Where a ref is written: by code (relative to the crib) or in metadata (relative to the file). */
export interface RefBase {
  readonly tool: Tool
  readonly isMetadata: boolean
}

export interface ResolveOptions {
  /** Who asks: hidden skills and middleware do not exist for whoever calls from outside (S11, S83). */
  readonly as: Principal
  /** The tool that names the ref. */
  readonly from?: RefBase
  /** `full` imports the module of a skill whose frontmatter is computed; `static` runs nothing. */
  readonly load: 'static' | 'full'
  readonly signal?: AbortSignal | undefined
}

/** Answers at once where it can; a promise where files, servers or a module must be read first. */
export type Resolve = (ref: string | Tool, options: ResolveOptions) => Tool | Promise<Tool>

export interface ResolverParts {
  readonly catalog: Catalog
  readonly skills: Skills
  readonly spaces: Spaces
  config(): Config
  /** True while somebody follows the files. */
  isWatched(): boolean
  reload(): Promise<void>
  /** Imports a skill's module, so that the catalog learns what it says; gives back a tool that cannot be imported. */
  importSkill(tool: Tool, signal?: AbortSignal): Promise<Tool | undefined>
  /** Asks foreign servers that were not asked lately; undefined when there are none. */
  askServers(): Promise<void> | undefined
  /** Has a tool described once more by its server, where that matters; undefined when it does not. */
  confirm(tool: Tool): Promise<void> | undefined
  /** The format's own word on a ref that leads nowhere: a disabled skill is not simply unknown. */
  whyMissing(ref: string): Promise<ToolError | undefined>
  /** What is wrong with the server whose tool a ref seems to name. */
  whySilent(ref: string): Promise<ToolError | undefined>
}

/** Can be nothing but an id or a name: no file, no scheme, no action. */
const isPlainName = /^[\w-]+(?:\/[\w-]+)*$/
const outsideSurfaces = new Set(['mcp', 'http', 'agent'])

export class Resolver {
  readonly #parts: ResolverParts
  readonly #made = new RefTools()
  #catchingUp: Promise<void> | undefined

  constructor(parts: ResolverParts) {
    this.#parts = parts
  }

  /** The tool a ref means; a tool that is given comes back as it is now, if this caller may know of it. */
  readonly resolve: Resolve = (ref, options) => {
    // A tool that a running call hands on was settled when that call began.
    const isSettled = typeof ref !== 'string' && options.from !== undefined
    if (isSettled) return this.#resolveNow(ref, options)
    const { isWatched, catalog } = this.#parts
    const isBehind = this.#catchingUp !== undefined || (!isWatched() && catalog.isLookDue)
    return isBehind ? this.#resolveLater(ref, options) : this.#resolveNow(ref, options)
  }

  /** What a ref means as far as memory says; throws TOOL_NOT_FOUND, REF_INVALID or PATH_OUTSIDE. */
  known(given: string, as: Principal, from?: RefBase): Tool {
    const { catalog, skills } = this.#parts
    const named = from || !isPlainName.test(given) ? undefined : catalog.exactly(given)
    if (named && isInReach(named, undefined)) return this.#openTo(as, named)
    if (given.startsWith('inline://')) return this.#inline(given, as, from)
    const addressed = isOwnScheme(given) ? undefined : catalog.atAddress(given)
    if (addressed) return this.#openTo(as, addressed)
    if (from === undefined && isPublic(as) && /^inline:/i.test(given)) parseRef(given)
    const skill = from && isSkillName(given) ? skills.namedBy(from.tool, given) : undefined
    if (skill) return skill
    const ref = parseRef(given)
    if (/\.(skill\.[cm]?[jt]s|md)#/.test(given))
      // S51
      throw new ToolError('REF_INVALID', `"${given}" has a #fragment, which a file does not take.`, {
        hint: 'Leave out # and what follows it.',
      })
    const isFile =
      ref.kind === 'file' || (ref.kind === 'name' && looksLikeFile(ref.text) && !this.#isId(given))
    const tool = isFile ? this.#file(ref.kind === 'file' ? ref.path : given, as, from) : catalog.find(given)
    if (!isInReach(tool, from?.tool)) throw this.#notFound(given, as)
    return this.#openTo(as, tool, given)
  }

  /** Skills that changed on disk count from here on; one look serves all calls of a second. */
  async #resolveLater(ref: string | Tool, options: ResolveOptions): Promise<Tool> {
    const { catalog, reload } = this.#parts
    const isCatalogued = typeof ref !== 'string' && catalog.inFile(ref.source.file ?? '').includes(ref)
    if (this.#catchingUp || catalog.haveSkillsChanged()) {
      this.#catchingUp ??= reload().finally(() => {
        this.#catchingUp = undefined
      })
      await this.#catchingUp
    }
    return this.#resolveNow(isCatalogued ? (catalog.same(ref) ?? ref.id) : ref, options)
  }

  #resolveNow(ref: string | Tool, options: ResolveOptions): Tool | Promise<Tool> {
    const { as, from } = options
    if (typeof ref !== 'string') return this.#loaded(this.#openTo(as, ref), options)
    let tool: Tool
    try {
      tool = this.known(ref, as, from)
    } catch (error) {
      return this.#missing(ref, options, error).then((found) => this.#loaded(found, options))
    }
    return this.#loaded(tool, options)
  }

  #loaded(tool: Tool, options: ResolveOptions): Tool | Promise<Tool> {
    const { catalog, confirm } = this.#parts
    const isFull = options.load === 'full'
    const isForeign = tool.details?.server !== undefined
    // What counts is what the server says now, not what it said when the definition was remembered.
    const asked = isForeign && (isFull || tool.state === 'quarantined') ? confirm(tool) : undefined
    if (asked) return asked.then(() => catalog.same(tool) ?? tool)
    return isFull && !catalog.isKnownInFull(tool) ? this.#imported(tool, options) : tool
  }

  async #imported(tool: Tool, { as, signal }: ResolveOptions): Promise<Tool> {
    const { catalog, importSkill } = this.#parts
    const broken = await importSkill(tool, signal)
    return broken ?? this.#openTo(as, catalog.same(tool) ?? tool)
  }

  /** A format's own word on a ref is final; else foreign servers are asked before giving up. */
  async #missing(ref: string, { as, from }: ResolveOptions, error: unknown): Promise<Tool> {
    const { askServers, whyMissing, whySilent } = this.#parts
    const why = await whyMissing(ref).catch(() => undefined)
    const asked = why ? undefined : askServers()
    if (asked) {
      await asked
      try {
        return this.known(ref, as, from)
      } catch {
        // Asking did not help; the first answer stands.
      }
    }
    throw namedIn(from, ref, why ?? (await whySilent(ref)) ?? error)
  }

  /** The tool, if this caller may know of it; throws TOOL_NOT_FOUND. */
  #openTo(as: Principal, tool: Tool, given = tool.id): Tool {
    if (!tool.hidden && tool.kind !== 'middleware') return tool
    if (isOpenTo(as, tool)) return tool
    throw this.#notFound(given, as)
  }

  #notFound(given: string, as: Principal): ToolError {
    const { catalog } = this.#parts
    return notFound(
      given,
      catalog.names.filter((name) => {
        const tool = catalog.exactly(name)
        return !tool || isOpenTo(as, tool)
      }),
    )
  }

  #isId(text: string): boolean {
    try {
      this.#parts.catalog.find(text)
      return !codeFile.test(text) && !text.endsWith('.md')
    } catch {
      return false
    }
  }

  #inline(ref: string, as: Principal, from: RefBase | undefined): Tool {
    if (!from || isPublic(as))
      throw new ToolError('REF_INVALID', 'An inline:// reference cannot be called from outside.', {
        hint: 'Inline code belongs into a skill file.',
      })
    return this.#made.inline(ref, from.tool)
  }

  #file(path: string, as: Principal, from: RefBase | undefined): Tool {
    const { catalog, spaces } = this.#parts
    const base = from?.isMetadata && from.tool.source.file ? dirname(from.tool.source.file) : spaces.project
    const plain = path.startsWith('file:') ? fileURLToPath(path) : path
    let full = isAbsolute(plain) ? resolve(plain) : resolve(base, plain)
    if (statIfThere(full)?.isDirectory()) full = join(full, 'SKILL.md')
    const [known] = catalog.inFile(full).filter((tool) => tool.details?.skill)
    if (known) return known
    if (!existsSync(full)) return catalog.find(path, base)
    this.#refuseOutside(full, path)
    const isCallableFile = codeFile.test(full) || full.endsWith('.md')
    if (!from || isPublic(as) || !isCallableFile) return catalog.find(path, base)
    return this.#made.file(full, from.tool)
  }

  #refuseOutside(file: string, given: string): void {
    const { spaces, config } = this.#parts
    const real = realpathSync(file)
    const allowed = [
      spaces.project,
      ...config().roots.map((dir) => resolve(spaces.project, dir)),
      ...skillPathsOf(config(), spaces).entries.map((entry) => entry.dir),
    ]
    if (allowed.some((dir) => isReallyInside(real, dir))) return
    throw new ToolError(
      'PATH_OUTSIDE',
      `"${given}" leads to ${real}, outside the crib and its skill paths.`,
      { hint: 'Move the file into the crib, or add its folder to skills.paths.' },
    )
  }
}

/** Hidden and middleware skills are reached by name from the command line and from code only (S11, S83). */
function isOpenTo(as: Principal, tool: Tool): boolean {
  const isInner = (tool.hidden || tool.kind === 'middleware') && skillOf(tool) !== undefined
  return !isInner || !isPublic(as) || !outsideSurfaces.has(as.surface)
}

/** A tool in another app's tree sees that tree and tools made in code; its hidden skills are seen only there. */
function isInReach(tool: Tool, from: Tool | undefined): boolean {
  const tree = from ? treeOf(from) : ''
  if (tree !== '') return tool.source.file === null || isInside(tool.source.file, tree)
  return !(tool.hidden && treeOf(tool) !== '')
}

/** Says of a ref in metadata that leads nowhere which file names it, and in which line. */
function namedIn(from: RefBase | undefined, ref: string, error: unknown): unknown {
  if (!from?.isMetadata || !isToolError(error) || error.code !== 'TOOL_NOT_FOUND') return error
  const { file } = from.tool.source
  const line = lineOfRef(ref, from.tool)
  const place = file === null ? '' : ` (${placeOf({ file, line })})`
  return new ToolError(error.code, `${error.message} ${from.tool.id} names it in its metadata${place}.`, {
    hint: error.hint,
    details: error.details || undefined,
  })
}
