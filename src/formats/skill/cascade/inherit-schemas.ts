// Skills that take `params` or `returns` from a level above them, where that passes it on with `$public` (S43).
import type { Json } from '../../../tool/json.ts'
import type { JsonSchema, Tool } from '../../../tool/tool.ts'
import { isToolError } from '../../../tool/tool-error.ts'
import { metadataOf, textList } from '../settings.ts'
import { SkillCascade } from './skill-cascade.ts'
import { SkillIndex } from './skill-index.ts'

const schemas = ['params', 'returns'] as const

/** The tools, in their order, with the schemas they inherit; the root is the crib's folder. */
export function inheritSchemas(tools: readonly Tool[], root: string): readonly Tool[] {
  const isPassedOn = (tool: Tool) =>
    textList(publicOf(tool)).some((key) => key === 'params' || key === 'returns')
  if (!tools.some(isPassedOn)) return tools
  const known = tools.filter((tool) => tool.state !== 'shadowed')
  const cascade = new SkillCascade(new SkillIndex(known, root))
  return tools.map((tool) => (tool.state === 'shadowed' ? tool : withInherited(tool, cascade)))
}

function publicOf(tool: Tool): Json | undefined {
  return metadataOf(tool)['$public']
}

function withInherited(tool: Tool, cascade: SkillCascade): Tool {
  const found: { params?: JsonSchema | null; returns?: JsonSchema | null } = {}
  try {
    const { declaredBy } = cascade.of(tool, false)
    for (const key of schemas)
      if (metadataOf(tool)[key] === undefined && declaredBy[key]) found[key] = declaredBy[key][key]
  } catch (error) {
    // A cascade that cannot work is reported by its own check.
    if (!isToolError(error)) throw error
  }
  return Object.keys(found).length === 0 ? tool : { ...tool, ...found }
}
