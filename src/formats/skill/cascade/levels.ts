// The levels of one tool, nearest first, and what each passes on.
import type { Json } from '../../../tool/json.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { ownKeys, privateKeys } from '../reserved.ts'
import { metadataOf, skillOf, textList } from '../settings.ts'
import { linearize } from './linearize.ts'
import { type SkillIndex, treeOf } from './skill-index.ts'

export interface Level {
  readonly tool: Tool
  /** The plain keys that reach the tool the levels are for. */
  readonly passes: { readonly [key: string]: Json }
}

/** The tool, its ancestors, then the values mains pass to everyone. */
export function levelsOf(tool: Tool, index: SkillIndex): Level[] {
  const lineage = {
    parentsOf: (item: Tool) => parentsOf(item, index),
    fault: (what: string, items: readonly Tool[]) =>
      cascadeError(tool, `${items.map((item) => item.id).join(', ')} ${what}`),
  }
  const line = linearize(tool, lineage)
  const levels = line.map((item) => ({
    tool: item,
    passes: item === tool ? plainKeys(item) : passedKeys(item, tool, index),
  }))
  if (metadataOf(tool)['$inherit'] === false) return levels
  return [...levels, ...globalLevels(tool, line, index)]
}

export function cascadeError(tool: Tool, what: string): ToolError {
  return new ToolError('CASCADE_INVALID', `${tool.id}: ${what}.`, {
    hint: `See the metadata of ${tool.source.file ?? tool.id} and of the skills it inherits from.`,
  })
}

function parentsOf(tool: Tool, index: SkillIndex): Tool[] {
  const given = metadataOf(tool)['$inherit']
  if (given === false) return []
  if (given === undefined || given === null) {
    const above = skillOf(tool)?.role === 'main' ? null : index.authorityOf(tool)
    return above ? [above] : []
  }
  const parents: Tool[] = []
  for (const ref of textList(given)) {
    const parent = ref === '$authority' ? index.authorityOf(tool) : findParent(ref, tool, index)
    if (!parent) {
      if (ref === '$authority') continue
      throw cascadeError(tool, `it inherits from "${ref}", which is not a skill here`)
    }
    if (parents.includes(parent)) throw cascadeError(tool, `it inherits from "${ref}" twice`)
    parents.push(parent)
  }
  return parents
}

function findParent(ref: string, tool: Tool, index: SkillIndex): Tool | undefined {
  const name = ref.startsWith('skill:') ? ref.slice(6) : ref
  const found = index.find(name, tool)
  if (found) return found
  if (!tool.source.file || !/^(\.{0,2}\/|file:)|\.(md|js|mjs|ts)$/.test(ref)) return undefined
  const url = new URL(ref, `file://${tool.source.file}`)
  const file = decodeURIComponent(url.pathname)
  return index.atFile(file) ?? index.atFile(`${file.replace(/\/$/, '')}/SKILL.md`)
}

function plainKeys(tool: Tool): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(metadataOf(tool)).filter(([key]) => !key.startsWith('$')))
}

function passedKeys(level: Tool, tool: Tool, index: SkillIndex): { [key: string]: Json } {
  const metadata = metadataOf(level)
  const kept = new Set([...textList(metadata['$private']), ...ownKeys])
  const shown = new Set(textList(metadata['$public']))
  for (const key of privateKeys) if (!shown.has(key)) kept.add(key)
  const local = textList(metadata['$local'])
  if (local.length > 0 && groupOf(level, index) !== groupOf(tool, index))
    for (const key of local) kept.add(key)
  return Object.fromEntries(
    Object.entries(metadata).filter(([key]) => !key.startsWith('$') && !kept.has(key)),
  )
}

function groupOf(tool: Tool, index: SkillIndex): Tool | null {
  return skillOf(tool)?.role === 'main' ? tool : index.authorityOf(tool)
}

/** One level per main with values for everyone; of several mains that set a key the first in path order counts. */
function globalLevels(tool: Tool, line: readonly Tool[], index: SkillIndex): Level[] {
  const levels: Level[] = []
  const taken = new Set<string>()
  for (const main of index.mains) {
    if (treeOf(main) !== treeOf(tool)) continue
    const metadata = metadataOf(main)
    const kept = new Set([...textList(metadata['$local']), ...textList(metadata['$private']), ...ownKeys])
    const named = new Set(textList(metadata['$global']))
    const passes: { [key: string]: Json } = {}
    for (const [key, value] of Object.entries(metadata)) {
      if (key.startsWith('$') || kept.has(key) || taken.has(key)) continue
      if (!named.has(key) && !isSelfGlobal(key, main, index)) continue
      taken.add(key)
      // A main above the tool has its say at its own level already.
      if (!line.includes(main)) passes[key] = value
    }
    if (Object.keys(passes).length > 0) levels.push({ tool: main, passes })
  }
  return levels
}

function isSelfGlobal(key: string, from: Tool, index: SkillIndex): boolean {
  const owner = index.find(key, from)
  const self = owner && metadataOf(owner)['$self']
  return typeof self === 'object' && self !== null && (self as { global?: unknown }).global === true
}
