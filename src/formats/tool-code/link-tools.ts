// What only all tools together tell: which of two files with one name is active, who waits for whom at start,
// and whether the store access a program uses is granted to it.

import type { Config } from '../../config/config.ts'
import { findDeno } from '../../config/find-deno.ts'
import { byCodeUnits } from '../../tool/json.ts'
import { nearNames } from '../../tool/near-names.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { Tool } from '../../tool/tool.ts'
import { messageOf } from '../../tool/tool-error.ts'
import { takesPart } from './check-behaviour.ts'
import { compareSemver } from './semver.ts'
import { type ProblemCode, severities } from './severities.ts'
import type { Bootstrap } from './shapes.ts'
import { waitCycles } from './wait-cycles.ts'

export function linkToolCode(tools: readonly Tool[], config: Config): Tool[] {
  if (tools.length === 0) return []
  const missing = whyNoDeno(config)
  const active = activeTools(tools)
  const waits = waitProblems([...active.values()])
  return tools.map((tool) => {
    const winner = active.get(tool.id)
    if (winner !== tool && winner?.tier === tool.tier) return loser(tool, winner)
    const whole = withProblems(tool, [...(waits.get(tool.id) ?? []), ...ungranted(tool, config)])
    return missing === undefined || whole.state !== 'available'
      ? whole
      : { ...whole, state: 'unavailable', reason: missing }
  })
}

/** Without Deno the tools stay listed, as unavailable. */
function whyNoDeno(config: Config): string | undefined {
  try {
    findDeno({ configured: config.deno.path })
    return undefined
  } catch (error) {
    // Stands inside a sentence.
    return messageOf(error).replace(/\.$/, '')
  }
}

/** One tool per name: the higher tier, in it one that can run, then the higher version, then the first path. */
function activeTools(tools: readonly Tool[]): Map<string, Tool> {
  const active = new Map<string, Tool>()
  for (const tool of tools) {
    const rival = active.get(tool.id)
    if (!rival || (rival.tier === tool.tier && isBetter(tool, rival))) active.set(tool.id, tool)
  }
  return active
}

function isBetter(tool: Tool, rival: Tool): boolean {
  if (isSound(tool) !== isSound(rival)) return isSound(tool)
  const order = compareSemver(tool.version, rival.version)
  return order > 0 || (order === 0 && byCodeUnits(tool.source.file ?? '', rival.source.file ?? '') < 0)
}

function isSound({ problems }: Tool): boolean {
  return !problems.some(({ severity }) => severity === 'error')
}

function loser(tool: Tool, winner: Tool): Tool {
  const where = winner.source.file ?? 'the store'
  const isDuplicate = tool.version === winner.version && tool.source.digest !== winner.source.digest
  const shadowed: Tool = {
    ...tool,
    state: 'shadowed',
    reason: `${tool.id} ${winner.version} of ${where} is used instead.`,
  }
  if (!isDuplicate) return shadowed
  const problem = makeProblem('tc-duplicate', tool, {
    pointer: '/context/version',
    message: `${tool.id} ${tool.version} is also defined in ${where}, with other content; that one is used.`,
    hint: 'Give one of them another name or a higher version.',
  })
  return { ...shadowed, problems: [...tool.problems, problem] }
}

function waitProblems(tools: readonly Tool[]): Map<string, Problem[]> {
  const starters = new Map(tools.map((tool) => [tool.id, bootstrapOf(tool)]))
  const problems = new Map<string, Problem[]>()
  const add = (tool: Tool, problem: Problem) =>
    problems.set(tool.id, [...(problems.get(tool.id) ?? []), problem])
  const started = tools.filter((tool) => takesPart(bootstrapOf(tool)))
  for (const tool of started) {
    for (const [index, name] of bootstrapOf(tool).wait_for.entries()) {
      const pointer = `/context/bootstrap/wait_for/${index}`
      const other = starters.get(name)
      if (!other) {
        const near = nearNames(name, starters.keys(), 1)
        add(
          tool,
          makeProblem('tc-wait-missing', tool, {
            pointer,
            message: `${tool.id} waits for "${name}", which is no tool.`,
            hint: near[0] ? `Did you mean "${near[0]}"?` : undefined,
          }),
        )
      } else if (!takesPart(other)) {
        add(
          tool,
          makeProblem('tc-wait-idle', tool, {
            pointer,
            message: `${tool.id} waits for "${name}", which bootstrap does not start.`,
            hint: `Enable bootstrap of ${name}, or do not wait for it.`,
          }),
        )
      }
    }
  }
  const edges = new Map(started.map((tool) => [tool.id, bootstrapOf(tool).wait_for]))
  for (const members of waitCycles(edges)) {
    for (const tool of started.filter((candidate) => members.includes(candidate.id)))
      add(
        tool,
        makeProblem('tc-wait-cycle', tool, {
          pointer: '/context/bootstrap/wait_for',
          message:
            members.length === 1
              ? `${tool.id} waits for itself, so bootstrap does not start it.`
              : `${members.join(', ')} wait for each other; bootstrap starts none of them.`,
          hint: 'Remove one of the wait_for entries.',
        }),
      )
  }
  return problems
}

const storeCall =
  /\bapi\s*\??\.\s*(get|create|update|delete|search)Breadcrumbs?\b|\bapi\s*\??\.\s*vectorSearch\b/

function ungranted(tool: Tool, config: Config): Problem[] {
  const plan = planOf(tool, 'deno')!
  const isGranted = plan.permissions.breadcrumbs !== null || config.tools[tool.id]?.breadcrumbs !== undefined
  if (isGranted || !storeCall.test(plan.source)) return []
  return [
    makeProblem('tc-api-ungranted', tool, {
      pointer: '/context/permissions',
      message:
        'The source calls the breadcrumb store, but no breadcrumbs permission is in force: these calls will be refused.',
      hint: `Declare context.permissions.breadcrumbs, or add tools: { ${tool.id}: { breadcrumbs: { read: […], write: […] } } } to toolcrib.yaml.`,
    }),
  ]
}

function makeProblem(
  code: ProblemCode,
  tool: Tool,
  { pointer, message, hint }: { readonly pointer: string; readonly message: string; readonly hint?: string },
): Problem {
  return {
    code,
    severity: severities[code].severity,
    message,
    hint: hint ?? hintFor(code),
    ...(tool.source.file === null ? {} : { file: tool.source.file, line: tool.source.line ?? 1, column: 1 }),
    toolId: tool.id,
    pointer,
  }
}

function withProblems(tool: Tool, added: readonly Problem[]): Tool {
  return added.length === 0 ? tool : { ...tool, problems: [...tool.problems, ...added] }
}

function bootstrapOf(tool: Tool): Bootstrap {
  return tool.details!.bootstrap!
}
