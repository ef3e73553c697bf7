// What the code of tools can touch and their definitions do not say (L2).
import type { Config } from '../config/config.ts'
import { isObserved } from '../tool/capabilities.ts'
import { type Finding, findingKey, findingWords } from '../tool/finding.ts'
import { planOf, ryePlanOf } from '../tool/plans/runtime-plans.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { coversFinding, declaredCapabilities } from './declared-capabilities.ts'
import { startsPrograms } from './make-profile.ts'
import { grantsFor } from './tool-grants.ts'

interface Surroundings {
  readonly config: Config
  readonly project: string
  /** Hold tools that say nothing of their needs to the same rule. */
  readonly isSpec: boolean
}

/** One problem for each thing that goes beyond what the definition asks for. */
export function undeclaredProblems(
  inferred: ReadonlyMap<Tool, readonly Finding[]>,
  surroundings: Surroundings,
): Problem[] {
  return [...inferred].flatMap(([tool, findings]) => undeclaredOf(tool, findings, surroundings))
}

function undeclaredOf(
  tool: Tool,
  findings: readonly Finding[],
  { config, project, isSpec }: Surroundings,
): Problem[] {
  if (tool.state === 'shadowed' || tool.state === 'disabled' || tool.kind === 'runtime') return []
  const declared = declaredCapabilities(tool)
  // What a person granted by name was looked at.
  const named = grantsFor(tool, config).filter((grant) => grant.includes(':'))
  const variables = [...variablesOf(tool), ...config.env.expose].map((name) => `env.read:${name}`)
  const allowed = [...(declared ?? config.grants.default), ...named, ...variables]
  const beyond = new Map<string, Finding>()
  for (const finding of findings) {
    const isTold = finding.certainty !== 'unknown' || (isSpec && finding.capability === 'code.unknown')
    if (!isTold || isOfItsNature(finding, tool)) continue
    if (allowed.some((need) => coversFinding(need, finding, project))) continue
    const key = findingKey(finding)
    if (!beyond.has(key)) beyond.set(key, finding)
  }
  return [...beyond.values()].map((finding) => ({
    ...verdictOn(finding, declared !== null || isSpec),
    hint: hintFor(finding, tool),
    message: `${tool.id} ${findingWords(finding)}${finding.certainty === 'unknown' ? '' : ', and its definition does not say so'}.`,
    file: finding.file ?? tool.source.file ?? undefined,
    line: finding.line,
    column: finding.column,
    toolId: tool.id,
  }))
}

/** Variables that a definition gives its tool. */
function variablesOf(tool: Tool): string[] {
  const own = { ...ryePlanOf(tool)?.env, ...planOf(tool, 'mcp')?.server.env }
  return [...(tool.secrets ?? []), ...Object.keys(own)]
}

/** What reading does not tell is told, and no check fails for it. */
function verdictOn({ certainty }: Finding, isHeld: boolean): Pick<Problem, 'code' | 'severity'> {
  if (certainty === 'unknown') return { code: 'capability-unread', severity: 'info' }
  return { code: 'capability-undeclared', severity: isHeld ? 'warning' : 'info' }
}

/** What needs no word in a definition: a script or command starts programs. */
function isOfItsNature({ capability }: Finding, tool: Tool): boolean {
  return capability === 'shell.execute' && startsPrograms(tool)
}

/** Where a document of tool-code, which has no `requires`, asks for it (C20 to C24). */
const permissionPlaces: { readonly [capability: string]: string } = {
  'net.http': 'permissions.network',
  'net.call': 'permissions.network',
  'rye.execute': 'permissions.tools',
  'secrets.read': 'required_secrets',
}

function hintFor({ capability, detail = '' }: Finding, tool: Tool): string {
  if (planOf(tool, 'deno')) {
    const place = permissionPlaces[capability]
    return place
      ? `Add "${detail || '*'}" to context.${place}, or take the line out.`
      : 'Look at that line: such a tool has its permissions and nothing else, and none of them opens that.'
  }
  if (isObserved(capability)) return `Look at that line; if it is meant, add ${capability} to requires.`
  if (capability.startsWith('fs.') && /^[~/]/.test(detail))
    return 'Look at that line: the path lies outside the crib, where no tool reads or writes unless a grant names the place.'
  const isHost = capability.startsWith('net.') && detail !== '' && !detail.includes('*')
  const grant = isHost ? ` A grant may name the host: "${capability}:${detail}".` : ''
  return `Add ${capability} to requires, or take the line out.${grant}`
}
