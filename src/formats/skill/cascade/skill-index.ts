// All skills of a crib by name and by folder: which one a name means for whom, and which main has authority
// over a file. Names inside another app's tree are looked up in that tree only.
import { dirname } from 'node:path'
import { isInside } from '../../../files/is-inside.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { skillOf } from '../settings.ts'

export class SkillIndex {
  readonly root: string
  /** Winners in search order, programmatic skills first. */
  readonly skills: readonly Tool[]
  readonly #byName = new Map<string, Map<string, Tool>>()
  readonly #byFile = new Map<string, Tool>()
  readonly #mains = new Map<string, Tool[]>()

  /** `tools` in search order: programmatic ones, then files as the format linked them. */
  constructor(tools: Iterable<Tool>, root: string) {
    this.root = root
    const skills: Tool[] = []
    for (const tool of tools) {
      const skill = skillOf(tool)
      if (!skill) continue
      if (tool.source.file) this.#byFile.set(tool.source.file, tool)
      if (skill.role === 'main' && tool.source.file) {
        const place = `${treeOf(tool)}\n${dirname(tool.source.file)}`
        this.#mains.set(place, [...(this.#mains.get(place) ?? []), tool])
      }
      const own = this.#names(treeOf(tool))
      if (!own.has(tool.id)) own.set(tool.id, tool)
      if (treeOf(tool) !== '' && !tool.hidden && !this.#names('').has(tool.id))
        this.#names('').set(tool.id, tool)
      if (this.#names(treeOf(tool)).get(tool.id) === tool) skills.push(tool)
    }
    this.skills = skills
  }

  /** The skill a bare name means to `from`. */
  find(name: string, from?: Tool): Tool | undefined {
    const found = this.#byName.get(from ? treeOf(from) : '')?.get(name)
    if (found || !from || treeOf(from) === '') return found
    // Programmatic skills belong to every tree.
    const shared = this.#byName.get('')?.get(name)
    return shared?.source.file === null ? shared : undefined
  }

  atFile(file: string): Tool | undefined {
    return this.#byFile.get(file)
  }

  get mains(): readonly Tool[] {
    return this.skills.filter((tool) => skillOf(tool)!.role === 'main')
  }

  /** The nearest main in the tool's folder or above; for a main, the next one above it. */
  authorityOf(tool: Tool): Tool | null {
    const { file } = tool.source
    if (!file) return null
    const top = this.#topOf(tool, file)
    if (top === null) return null
    let dir = dirname(file)
    if (skillOf(tool)?.role === 'main') {
      if (dir === top) return null
      dir = dirname(dir)
    }
    const tree = treeOf(tool)
    for (;;) {
      const mains = this.#mains.get(`${tree}\n${dir}`)
      if (mains && mains.length > 1)
        throw new ToolError(
          'CASCADE_INVALID',
          `${tool.id}: the folder ${dir} has ${mains.length} main skills, ${mains.map((main) => main.id).join(' and ')}.`,
          { hint: 'Keep one main per folder.' },
        )
      if (mains) return mains[0]!
      if (dir === top || dirname(dir) === dir) return null
      dir = dirname(dir)
    }
  }

  #topOf(tool: Tool, file: string): string | null {
    const skill = skillOf(tool)
    if (skill?.skill.isExternal) return skill.skill.entryDir
    if (isInside(file, this.root)) return this.root
    return skill ? skill.skill.entryDir : null
  }

  #names(tree: string): Map<string, Tool> {
    let names = this.#byName.get(tree)
    if (!names) {
      names = new Map()
      this.#byName.set(tree, names)
    }
    return names
  }
}

/** Folder of the external tree a tool belongs to; empty for the crib's own. */
export function treeOf(tool: Tool): string {
  const facts = skillOf(tool)?.skill
  return facts?.isExternal ? facts.entryDir : ''
}
