// The skills of a catalog: the cascade of each, the main one, and those on the paths a main skill names. Kept until
// the catalog changes.
import { dirname, resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { SkillCascade } from '../formats/skill/cascade/skill-cascade.ts'
import { SkillIndex, treeOf } from '../formats/skill/cascade/skill-index.ts'
import { metadataOf, skillOf } from '../formats/skill/settings.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Catalog } from './catalog.ts'

export class Skills {
  readonly #catalog: Catalog
  readonly #root: string
  #version = -1
  #cascade: SkillCascade | undefined

  constructor(catalog: Catalog, root: string) {
    this.#catalog = catalog
    this.#root = root
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
      this.#cascade = new SkillCascade(new SkillIndex(sorted, this.#root))
    }
    return this.#cascade
  }

  get index(): SkillIndex {
    return this.cascade.index
  }

  /** The skill `toolcrib run` means without a name. */
  main(): Tool {
    const here = this.index.skills.filter(
      (tool) => tool.source.file !== null && dirname(tool.source.file) === this.#root,
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
    throw new ToolError('MAIN_MISSING', `${this.#root} has no main skill.`, {
      hint: 'Give one skill in the root `metadata: { role: main }`, or name a tool to run.',
    })
  }

  /** The skill of a name as a tool means it: on the paths of its main skill first, then in the cascade. */
  namedBy(tool: Tool, name: string): Tool | undefined {
    return this.#onPathsOf(tool, name) ?? this.index.find(name, tool) ?? undefined
  }

  #onPathsOf(tool: Tool, name: string): Tool | undefined {
    for (const dir of this.#pathsOf(tool)) {
      const found = this.#catalog.tools.find(
        (item) =>
          item.id === name && item.details?.skill && item.source.file && isInside(item.source.file, dir),
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
}

function stateInTree(tool: Tool): Tool['state'] {
  return tool.problems.some((problem) => problem.severity === 'error') ? 'invalid' : 'available'
}

function rankOf(tool: Tool): number {
  return tool.source.file === null ? -1 : skillOf(tool)!.skill.entry
}
