// A code skill whose frontmatter is computed, once its module was imported: the tool with what the module says of it.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { messageOf } from '../../tool/tool-error.ts'
import { makeSkill } from './make-skill.ts'
import { skillOf } from './settings.ts'

/** True for a skill of which only the name is known before its module is imported. */
export function isComputed(tool: Tool): boolean {
  return skillOf(tool)?.skill.isDynamic === true
}

/** The tool with the evaluated `frontmatter` export applied; a value that is no data takes it out of service. */
export function computedSkill(tool: Tool, frontmatter: () => unknown): Tool {
  const place = positionOf(tool)
  const found = dataOf(frontmatter)
  const problem = (severity: Problem['severity'], code: string, message: string, hint: string): Problem => ({
    code,
    severity,
    message,
    hint,
    file: tool.source.file ?? undefined,
    ...place,
    toolId: tool.id,
  })
  const problems: Problem[] = []
  if (found.fault !== undefined)
    problems.push(
      problem(
        'error',
        'SKILL_FRONTMATTER_INVALID',
        `The computed frontmatter cannot be used: ${found.fault}.`,
        'Make it an object of plain JSON values.',
      ),
    )
  const { name, ...fields } = found.data ?? {}
  if (name !== undefined && name !== tool.id)
    problems.push(
      problem(
        'warning',
        'SKILL_NAME_IGNORED',
        `The computed name ${JSON.stringify(name)} has no effect; the skill keeps the name of its file, "${tool.id}".`,
        'Rename the file, or write the frontmatter as a plain literal.',
      ),
    )
  return makeSkill({
    fields,
    positionOf: () => place,
    metadataLine: () => place.line,
    file: tool.source.file,
    digest: tool.source.digest,
    tier: tool.tier,
    facts: skillOf(tool)!.skill,
    fallbackName: tool.id,
    problems,
  }).tool!
}

/** What was known of the file beside what its module says: who hides it, who switched it off, what is wrong. */
export function withComputed(written: Tool, computed: Tool): Tool {
  const isFree = written.state === 'available'
  return {
    ...computed,
    name: written.name,
    aliases: written.aliases,
    source: written.source,
    trust: written.trust,
    state: isFree ? computed.state : written.state,
    ...(isFree || written.reason === undefined ? {} : { reason: written.reason }),
    problems: [...written.problems, ...computed.problems],
  }
}

/** The line where the frontmatter ceases to be a literal. */
function positionOf(tool: Tool): { line: number; column: number } {
  const noticed = tool.problems.find((problem) => problem.code === 'FRONTMATTER_DYNAMIC')
  return { line: noticed?.line ?? 1, column: noticed?.column ?? 1 }
}

/** A copy as data: getters are read once, functions and classes do not come along. */
function dataOf(read: () => unknown): { readonly data?: JsonObject; readonly fault?: string } {
  try {
    const value = read()
    const data: unknown = value === undefined ? {} : JSON.parse(JSON.stringify(value) ?? 'null')
    return isPlainObject(data) ? { data: data as JsonObject } : { fault: 'it is not an object' }
  } catch (error) {
    return { fault: messageOf(error).split('\n')[0]!.replace(/\.$/, '') }
  }
}
