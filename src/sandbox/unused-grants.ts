// Grants that nothing uses (L2): what a person gave a tool by name, and neither its runs nor its code ask for.
import type { Config } from '../config/config.ts'
import { parseGrant } from '../tool/capability.ts'
import type { Finding } from '../tool/finding.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { coversGrant } from './access/propose-grants.ts'
import type { UsedGrant } from './access/used-grants.ts'
import { coversFinding } from './declared-capabilities.ts'
import { startsPrograms } from './make-profile.ts'
import { matchesTool, onlyThese } from './tool-grants.ts'

/** What is known of a tool: its code, its runs. */
export interface Evidence {
  readonly findings: readonly Finding[]
  readonly used: readonly UsedGrant[]
  /** How far back runs count; undefined: too few. */
  readonly since: string | undefined
  readonly project: string
}

/** Whether the runs of a tool say that it does not use a grant, and its code does not say otherwise. */
export function isUnused(grant: string, tool: Tool, { findings, used, since, project }: Evidence): boolean {
  if (since === undefined) return false
  const { capability } = parseGrant(grant)
  if (used.some((use) => use.lastAt >= since && isOf(grant, use.grant))) return false
  // Where uses of its kind were seen, this one would have been seen too.
  const isSeen = used.some((use) => parseGrant(use.grant).capability === capability)
  return isSeen || !mayUse(grant, tool, findings, project)
}

/** Whether a use is one of this grant; what may be written may be read. */
function isOf(grant: string, use: string): boolean {
  return coversGrant(grant, use) || coversGrant(grant, use.replace(/^fs\.read/, 'fs.write'))
}

/** In doubt yes: code that reading does not tell, a program that it starts, a server of somebody else. */
function mayUse(grant: string, tool: Tool, findings: readonly Finding[], project: string): boolean {
  if (tool.kind === 'server' || startsPrograms(tool)) return true
  const { capability } = parseGrant(grant)
  return findings.some((finding) => {
    if (['code.unknown', 'code.dynamic', 'shell.execute'].includes(finding.capability)) return true
    if (finding.capability !== capability) return coversFinding(grant, finding, project)
    return finding.certainty !== 'exact' || coversFinding(grant, finding, project)
  })
}

interface Settings {
  readonly config: Config
  readonly origins: { readonly [key: string]: string }
  evidenceOf(tool: Tool): Promise<Evidence>
}

/** One problem for each entry of `grants.tools` that none of the tools it fits uses. */
export async function unusedProblems(tools: readonly Tool[], settings: Settings): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const [pattern, list] of Object.entries(settings.config.grants.tools)) {
    const fitting = tools.filter((tool) => tool.state !== 'shadowed' && matchesTool(pattern, tool))
    const known: [Tool, Evidence][] = []
    for (const tool of fitting) {
      const evidence = await settings.evidenceOf(tool)
      // One that has not run enough may need all of it.
      if (evidence.since === undefined) break
      known.push([tool, evidence])
    }
    if (known.length === 0 || known.length < fitting.length) continue
    for (const grant of list)
      if (grant !== onlyThese && known.every(([tool, evidence]) => isUnused(grant, tool, evidence)))
        problems.push(await unusedProblem(pattern, grant, fitting[0]!, settings))
  }
  return problems
}

async function unusedProblem(
  pattern: string,
  grant: string,
  tool: Tool,
  { origins }: Settings,
): Promise<Problem> {
  const { lineOfKey } = await import('../config/read-config-file.ts')
  const file = Object.entries(origins).find(
    ([key, from]) => key.startsWith('grants.tools') && from.endsWith('.yaml'),
  )?.[1]
  return {
    code: 'capability-unused',
    severity: 'info',
    message: `"${pattern}" is granted ${grant}, which no run used in the last 50 runs or 30 days.`,
    hint: `Take it out, or see what is needed: toolcrib learn ${tool.id}`,
    file,
    line: file === undefined ? undefined : lineOfKey(file, ['grants', 'tools', pattern]),
    toolId: pattern === tool.id ? tool.id : undefined,
  }
}
