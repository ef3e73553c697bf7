// The skills of a catalog as calls need them: what a ref means to whom, what a tool's cascade is, which skill is
// the main one. Kept until the catalog changes.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { isInside, skillPathsOf } from '../config/skill-paths.ts'
import type { Spaces } from '../config/spaces.ts'
import { SkillCascade } from '../formats/skill/cascade/skill-cascade.ts'
import { SkillIndex, treeOf } from '../formats/skill/cascade/skill-index.ts'
import { formOf } from '../formats/skill/find-skills.ts'
import { readInline } from '../formats/skill/inline.ts'
import { isSkillName } from '../formats/skill/name.ts'
import { readSkill } from '../formats/skill/read-skill.ts'
import { metadataOf, skillOf } from '../formats/skill/settings.ts'
import type { Caller } from '../tool/caller.ts'
import { sha256 } from '../tool/json.ts'
import { looksLikeFile, parseRef } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Catalog } from './catalog.ts'
import { notFound } from './lookup.ts'

/** The tool that names a ref, and whether its metadata does (paths start at its file) or its code. */
export interface RefBase {
  readonly tool: Tool
  readonly isMetadata: boolean
  readonly isDryRun?: boolean
}

interface FileTool {
  readonly stamp: string
  readonly tool: Tool
}

const codeFile = /\.(js|mjs|ts)$/
/** Can be nothing but an id or a name: no file, no scheme, no action. */
const isPlainName = /^[\w-]+(?:\/[\w-]+)*$/
const outsideSurfaces = new Set(['mcp', 'http', 'agent'])

export class SkillShelf {
  readonly #catalog: Catalog
  readonly #config: () => Config
  readonly #spaces: Spaces
  readonly #inline = new Map<string, Tool>()
  readonly #fileTools = new Map<string, FileTool>()
  #version = -1
  #cascade: SkillCascade | undefined

  constructor(catalog: Catalog, config: () => Config, spaces: Spaces) {
    this.#catalog = catalog
    this.#config = config
    this.#spaces = spaces
  }

  get cascade(): SkillCascade {
    if (!this.#cascade || this.#version !== this.#catalog.version) {
      this.#version = this.#catalog.version
      const tools = this.#catalog.tools.flatMap((tool) => {
        if (!skillOf(tool) || (tool.state === 'shadowed' && treeOf(tool) === '')) return []
        // A name that is taken outside is still that of the tree inside it.
        return tool.state === 'shadowed' ? [{ ...tool, state: stateInTree(tool) }] : [tool]
      })
      // Precedence of the catalog is by tier; among skills the order of the path entries counts.
      const sorted = [...tools].sort((a, b) => rankOf(a) - rankOf(b))
      this.#cascade = new SkillCascade(new SkillIndex(sorted, this.#spaces.project))
    }
    return this.#cascade
  }

  get index(): SkillIndex {
    return this.cascade.index
  }

  /** Finds what a ref means to a caller; throws TOOL_NOT_FOUND, REF_INVALID or PATH_OUTSIDE. */
  find(given: string, caller: Caller, base?: RefBase): Tool {
    const named = base || !isPlainName.test(given) ? undefined : this.#catalog.exactly(given)
    if (named && isInReach(named, undefined)) return this.openTo(caller, named)
    if (given.startsWith('inline://')) return this.#findInline(given, caller, base)
    if (base === undefined && caller.isPublic && /^inline:/i.test(given)) parseRef(given)
    if (base && isSkillName(given)) {
      const found = this.#onPathsOf(base.tool, given) ?? this.index.find(given, base.tool)
      if (found) return found
    }
    const ref = parseRef(given)
    if (
      (ref.kind === 'name' || ref.kind === 'format') &&
      ref.action !== undefined &&
      given.includes('.skill.')
    )
      throw new ToolError('REF_INVALID', `"${given}" has a #fragment, which a file does not take.`)
    const isFile =
      ref.kind === 'file' || (ref.kind === 'name' && looksLikeFile(ref.text) && !this.#isId(given))
    const tool = isFile
      ? this.#findFile(ref.kind === 'file' ? ref.path : given, caller, base)
      : this.#catalog.find(given)
    if (!isInReach(tool, base?.tool)) throw notFound(given, this.#catalog.names)
    return this.openTo(caller, tool, given)
  }

  /** The tool, if this caller may know of it; throws TOOL_NOT_FOUND. */
  openTo(caller: Caller, tool: Tool, given = tool.id): Tool {
    const isClosed = caller.isPublic && outsideSurfaces.has(caller.surface) && isInner(tool)
    if (isClosed) throw notFound(given, this.#catalog.names)
    return tool
  }

  /** The skill `toolcrib run` means without a name. */
  main(): Tool {
    const here = this.index.skills.filter(
      (tool) => tool.source.file !== null && dirname(tool.source.file) === this.#spaces.project,
    )
    const mains = here.filter((tool) => skillOf(tool)!.role === 'main')
    if (mains.length > 1)
      throw new ToolError(
        'MAIN_AMBIGUOUS',
        `The crib has ${mains.length} main skills: ${mains.map((tool) => tool.id).join(', ')}.`,
        { hint: 'Name the one to run, or keep one `role: main` in the root.' },
      )
    if (mains[0]) return mains[0]
    if (here.length === 1) return here[0]!
    throw new ToolError('MAIN_MISSING', `${this.#spaces.project} has no main skill.`, {
      hint: 'Give one skill in the root `metadata: { role: main }`, or name a tool to run.',
    })
  }

  #isId(text: string): boolean {
    try {
      this.#catalog.find(text)
      return !codeFile.test(text) && !text.endsWith('.md')
    } catch {
      return false
    }
  }

  /** Skills in the folders a main names in `paths`, for the tools below it. */
  #onPathsOf(tool: Tool, name: string): Tool | undefined {
    const paths = this.#pathsOf(tool)
    if (paths.length === 0) return undefined
    for (const dir of paths) {
      const found = this.#catalog.tools.find(
        (item) =>
          item.id === name && item.format === 'skill' && item.source.file && isInside(item.source.file, dir),
      )
      if (found) return found
    }
    return undefined
  }

  #pathsOf(tool: Tool): string[] {
    let main: Tool | null
    try {
      main = skillOf(tool)?.role === 'main' ? tool : this.index.authorityOf(tool)
    } catch {
      return []
    }
    const given = main && metadataOf(main)['paths']
    if (!given || !main?.source.file) return []
    const from = dirname(main.source.file)
    return (Array.isArray(given) ? given : [given]).flatMap((item) => {
      const dir = typeof item === 'string' ? item : (item as { internal?: unknown } | null)?.internal
      return typeof dir === 'string' ? [resolve(from, dir)] : []
    })
  }

  #findInline(ref: string, caller: Caller, base: RefBase | undefined): Tool {
    if (!base || caller.isPublic)
      throw new ToolError('REF_INVALID', 'An inline:// reference cannot be called from outside.', {
        hint: 'Inline code belongs into a skill file.',
      })
    const key = `${base.tool.source.file ?? base.tool.id}\n${base.tool.source.digest}\n${ref}`
    let tool = this.#inline.get(key)
    if (!tool) {
      tool = readInline(ref, base.tool)
      this.#inline.set(key, tool)
    }
    return tool
  }

  #findFile(path: string, caller: Caller, base: RefBase | undefined): Tool {
    const from =
      base?.isMetadata && base.tool.source.file ? dirname(base.tool.source.file) : this.#spaces.project
    const plain = path.startsWith('file:') ? fileURLToPath(path) : path
    let full = isAbsolute(plain) ? resolve(plain) : resolve(from, plain)
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) full = join(full, 'SKILL.md')
    const [known] = this.#catalog.inFile(full).filter((tool) => tool.format === 'skill')
    if (known) return known
    if (!existsSync(full)) return this.#catalog.find(path, from)
    this.#refuseOutside(full, path)
    const isCallableFile = codeFile.test(full) || full.endsWith('.md')
    if (!base || caller.isPublic || !isCallableFile) return this.#catalog.find(path, from)
    return this.#fileTool(full, base.tool)
  }

  #refuseOutside(file: string, given: string): void {
    const real = realpathSync(file)
    const config = this.#config()
    const allowed = [
      this.#spaces.project,
      ...config.roots.map((dir) => resolve(this.#spaces.project, dir)),
      ...skillPathsOf(config, this.#spaces).entries.map((entry) => entry.dir),
    ]
    if (allowed.some((dir) => isInside(real, existsSync(dir) ? realpathSync(dir) : dir))) return
    throw new ToolError(
      'PATH_OUTSIDE',
      `"${given}" leads to ${real}, outside the crib and its skill paths.`,
      {
        hint: 'Move the file into the crib, or add its folder to skills.paths.',
      },
    )
  }

  /** A file that is no skill of its own, such as `./lib/handler.js`, as a tool of the skill that names it. */
  #fileTool(file: string, declaredBy: Tool): Tool {
    const stat = statSync(file)
    const stamp = `${stat.mtimeMs}:${stat.size}:${stat.ino}`
    const key = `${declaredBy.id}\n${file}`
    const known = this.#fileTools.get(key)
    if (known?.stamp === stamp) return known.tool
    const text = readFileSync(file, 'utf8')
    const facts = skillOf(declaredBy)?.skill
    const { tool, problems } = readSkill({
      file,
      text,
      digest: sha256(text),
      tier: declaredBy.tier,
      facts: {
        form: formOf(file),
        entry: facts?.entry ?? 0,
        entryDir: facts?.entryDir ?? dirname(file),
        isExternal: facts?.isExternal ?? false,
      },
      fallbackName: basename(file).replace(/\.[^.]+$/, ''),
    })
    if (!tool) throw new ToolError('TOOL_INVALID', `${file}: ${problems[0]?.message ?? 'cannot be read'}`)
    const isOwn =
      codeFile.test(file) &&
      !/\.skill\.(js|mjs|ts)$/.test(file) &&
      declaredBy.source.file !== null &&
      isInside(realpathSync(file), realpathSync(dirname(declaredBy.source.file)))
    const made: Tool = {
      ...tool,
      hidden: true,
      ...(isOwn ? { extra: { ...tool.extra, ownCodeOf: declaredBy.id } } : {}),
    }
    this.#fileTools.set(key, { stamp, tool: made })
    return made
  }
}

/** A tool in another app's tree sees that tree and tools made in code; its hidden skills are seen only there. */
function isInReach(tool: Tool, from: Tool | undefined): boolean {
  const tree = from ? treeOf(from) : ''
  if (tree !== '') return tool.source.file === null || isInside(tool.source.file, tree)
  return !(tool.hidden && treeOf(tool) !== '')
}

function stateInTree(tool: Tool): Tool['state'] {
  return tool.problems.some((problem) => problem.severity === 'error') ? 'invalid' : 'available'
}

/** Skills that only the command line and code reach by name. */
function isInner(tool: Tool): boolean {
  return skillOf(tool) !== undefined && (tool.hidden || tool.kind === 'middleware')
}

function rankOf(tool: Tool): number {
  return tool.source.file === null ? -1 : skillOf(tool)!.skill.entry
}
