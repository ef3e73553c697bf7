// What `check` says about cascades: keys that name public tools, levels and orders that cannot work.

import { placeKeys } from '../../../tool/order.ts'
import type { Problem } from '../../../tool/problem.ts'
import { hintFor } from '../../../tool/problem-hints.ts'
import type { Tool } from '../../../tool/tool.ts'
import { isToolError } from '../../../tool/tool-error.ts'
import { readInline } from '../inline.ts'
import { dataKeys, standardPipeline } from '../reserved.ts'
import { isInternal, metadataOf, skillOf, textList } from '../settings.ts'
import { SkillCascade } from './skill-cascade.ts'
import { SkillIndex } from './skill-index.ts'

/** Problems by tool; the root is the crib's folder. */
export function cascadeProblems(tools: readonly Tool[], root: string): Map<Tool, Problem[]> {
  const index = new SkillIndex(
    tools.filter((tool) => tool.state !== 'shadowed'),
    root,
  )
  const cascade = new SkillCascade(index)
  const found = new Map<Tool, Problem[]>()
  for (const tool of index.skills) {
    const problems = [...publicKeys(tool, index), ...faults(tool, cascade), ...inlineFaults(tool)]
    if (problems.length > 0) found.set(tool, problems)
  }
  return found
}

function publicKeys(tool: Tool, index: SkillIndex): Problem[] {
  const metadata = metadataOf(tool)
  const data = textList(metadata['$static'])
  return Object.keys(metadata).flatMap((key) => {
    if (key.startsWith('$') || dataKeys.has(key) || data.includes(key)) return []
    const owner = index.find(key, tool)
    if (!owner || isInternal(owner)) return []
    return [
      problemOf(tool, key, {
        code: 'KEY_IS_PUBLIC_TOOL',
        severity: 'warning',
        message: `The metadata key "${key}" names the public tool ${owner.id}, so it is data and runs nothing.`,
        hint: `Give ${owner.id} the role middleware, or name the key in $static.`,
      }),
    ]
  })
}

function faults(tool: Tool, cascade: SkillCascade): Problem[] {
  let key = '$inherit'
  try {
    const { keys } = cascade.of(tool, false)
    key = '$order'
    placeKeys(standardPipeline, keys)
    return []
  } catch (error) {
    if (!isToolError(error)) throw error
    const { message, hint } = error
    if (message.includes(' is merged by ')) key = '$merge'
    return [
      problemOf(tool, key, {
        code: error.code,
        severity: 'error',
        message: message.startsWith(`${tool.id}: `) ? message : `${tool.id}: ${message}`,
        hint: hint ?? hintFor(error.code),
      }),
    ]
  }
}

/** Inline refs that cannot be read: a call fails, so a check says it before. */
function inlineFaults(tool: Tool): Problem[] {
  const { delegate } = metadataOf(tool)
  if (typeof delegate !== 'string' || !delegate.startsWith('inline://') || delegate.includes('${')) return []
  try {
    readInline(delegate, tool)
    return []
  } catch (error) {
    if (!isToolError(error)) throw error
    const { code, message, hint } = error
    return [problemOf(tool, 'delegate', { code, severity: 'warning', message, hint: hint ?? hintFor(code) })]
  }
}

function problemOf(tool: Tool, key: string, problem: Omit<Problem, 'file' | 'line' | 'toolId'>): Problem {
  const lines = skillOf(tool)?.lines
  const line = lines?.[key] ?? lines?.['$inherit'] ?? 1
  return { ...problem, file: tool.source.file || undefined, line, toolId: tool.id }
}
