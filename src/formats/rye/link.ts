// Completes all rye tools with what only all of them together tell: which of several files with one id counts,
// what each alias means, and the executor chain of each tool with its plan.
import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { ChainLink, Tier, Tool } from '../../tool/tool.ts'
import type { Parsed } from '../format.ts'
import { runtimeNames } from './executors.ts'
import { factsOf } from './facts.ts'
import { extensionOf, type ToolExtension, toolExtensions } from './file-kinds.ts'
import { makePlan } from './make-plan.ts'
import { readToolFile } from './read-file.ts'
import { resolveChain, TierIndex } from './resolve-chain.ts'
import { defaultSeverity, type RyeCode } from './severity.ts'
import type { FieldName } from './shapes.ts'

interface NewProblem {
  readonly code: RyeCode
  readonly message: string
  readonly hint: string
  readonly field: FieldName | null
}

export function linkTools(tools: readonly Tool[]): Parsed {
  const index = new TierIndex()
  const found = new Map<Tool, NewProblem[]>()
  const hidden = new Set<Tool>()
  const note = (tool: Tool, problem: NewProblem): void => {
    const list = found.get(tool)
    if (list) list.push(problem)
    else found.set(tool, [problem])
  }

  const winners = pickWinners(tools, note, hidden)
  for (const tool of winners) index.add(tool)
  noteSharedAliases(winners, note)

  const linked = tools.map((tool) => {
    const completed = withChain(tool, index, note)
    return withProblems(completed, found.get(tool) ?? [], hidden.has(tool))
  })
  return { tools: linked, problems: [] }
}

const tierOrder: readonly Tier[] = ['project', 'user', 'system']

/** One entry per tier and id: earlier places first, then by extension. */
function pickWinners(
  tools: readonly Tool[],
  note: (tool: Tool, problem: NewProblem) => void,
  hidden: Set<Tool>,
): Tool[] {
  const byId = new Map<string, Tool[]>()
  for (const tool of tools) {
    const list = byId.get(tool.id)
    if (list) list.push(tool)
    else byId.set(tool.id, [tool])
  }
  const winners: Tool[] = []
  for (const same of byId.values()) {
    if (same.length > 1) same.sort(byPrecedence)
    const best = same[0]!
    for (const tool of same) {
      const rival = same.find((other) => other.tier === tool.tier)!
      if (rival === tool) winners.push(tool)
      if (rival !== tool) {
        hidden.add(tool)
        note(tool, {
          code: 'duplicate-id',
          field: null,
          message: `${tool.id} is also defined by ${rival.source.file}, which counts.`,
          hint: 'Rename or remove one of the two files.',
        })
      } else if (tool !== best) {
        hidden.add(tool)
        note(tool, {
          code: 'shadowed',
          field: null,
          message: `${tool.id} of the ${tool.tier} tier is hidden by ${best.source.file}.`,
          hint: 'Rename one of them if both are wanted, or remove this one.',
        })
      }
    }
  }
  return winners
}

function byPrecedence(a: Tool, b: Tool): number {
  const order = (tool: Tool): number =>
    toolExtensions.indexOf(extensionOf(tool.source.file ?? '') as ToolExtension)
  return (
    tierOrder.indexOf(a.tier) - tierOrder.indexOf(b.tier) ||
    factsOf(a).scanOrder - factsOf(b).scanOrder ||
    order(a) - order(b)
  )
}

function noteSharedAliases(winners: readonly Tool[], note: (tool: Tool, problem: NewProblem) => void): void {
  const claims = new Map<string, Tool[]>()
  for (const tool of winners) {
    for (const alias of tool.aliases) {
      const key = `${tool.tier}\n${alias}`
      const list = claims.get(key)
      if (list) list.push(tool)
      else claims.set(key, [tool])
    }
  }
  for (const list of claims.values()) {
    if (list.length < 2) continue
    for (const tool of list)
      note(tool, {
        code: 'tool-id-duplicate',
        field: 'tool_id',
        message: `tool_id "${tool.aliases[0]}" is also claimed by ${list
          .filter((other) => other !== tool)
          .map((other) => other.id)
          .join(', ')}.`,
        hint: 'Call these tools by their path, or give each its own tool_id.',
      })
  }
}

function withChain(tool: Tool, index: TierIndex, note: (tool: Tool, problem: NewProblem) => void): Tool {
  const facts = factsOf(tool)
  if (facts.type === '' && !facts.hasExecutor) return tool
  // A missing executor is already reported as such.
  const isSilent = tool.kind === 'callable' && facts.executor === null
  const chain = resolveChain(tool, index)
  const links: ChainLink[] = chain.links.map((link) => ({
    id: link.id,
    tier: link.tier,
    kind: link.kind,
    type: factsOf(link).type,
    executor: factsOf(link).executor,
    digest: link.source.digest,
    trust: 'unchecked',
    // What ships is vouched for as a whole.
    file: link.tier === 'system' ? undefined : (link.source.file ?? undefined),
  }))
  if (chain.fault && !isSilent) note(tool, { ...chain.fault, field: 'executor_id' })
  if (tool.kind !== 'callable' || !chain.primitive) return { ...tool, chain: links }
  const planned = makePlan(tool, chain, index)
  for (const problem of planned.problems) note(tool, problem)
  const timeoutMs = planned.plan ? timeoutOf(planned.plan) : undefined
  const noCode = planned.problems.find((problem) => problem.code === 'no-code')
  return {
    ...tool,
    chain: links,
    requires: planned.requires,
    ...(timeoutMs === undefined ? {} : { limits: { ...tool.limits, timeoutMs } }),
    source: { ...tool.source, files: [tool.source.file!, ...planned.files] },
    runtime: planned.plan && {
      name: runtimeNames[planned.plan.primitive],
      plan: planned.plan,
    },
    ...(noCode
      ? { state: 'unavailable' as const, reason: noCode.message.replace(/\.$/, '').replace(/^N/, 'n') }
      : {}),
  }
}

/** The static part of R46; the runtime's configuration file is looked at when the call is made. */
function timeoutOf(plan: {
  primitive: string
  timeouts: { tool?: number; toolConfig?: number; runtimeConfig?: number }
  server: { config: JsonObject } | null
}): number | undefined {
  const { tool, toolConfig, runtimeConfig } = plan.timeouts
  const server = plan.server?.config['timeout']
  const own = tool ?? (plan.primitive === 'http_client' ? undefined : toolConfig)
  const chosen =
    own ?? (plan.primitive === 'mcp_client' ? (typeof server === 'number' ? server : 30) : runtimeConfig)
  return chosen === undefined ? undefined : chosen * 1000
}

function withProblems(tool: Tool, found: readonly NewProblem[], isHidden: boolean): Tool {
  if (found.length === 0) return tool
  const lines = new FieldLines(tool)
  const problems: Problem[] = [
    ...tool.problems,
    ...found.map(({ code, message, hint, field }) => ({
      code,
      severity: defaultSeverity(code),
      message,
      hint,
      file: tool.source.file!,
      line: field ? lines.of(field) : 1,
      toolId: tool.id,
    })),
  ]
  const isInvalid = problems.some((problem) => problem.severity === 'error')
  return {
    ...tool,
    problems,
    state: isHidden ? 'shadowed' : isInvalid ? 'invalid' : tool.state,
    ...(isHidden
      ? {
          reason: found.find((problem) => problem.code === 'duplicate-id' || problem.code === 'shadowed')!
            .message,
        }
      : {}),
  }
}

/** Lines are needed only for problems, so the file is read again for them. */
class FieldLines {
  readonly #tool: Tool
  #lines: ReadonlyMap<string, { readonly line: number }> | null = null

  constructor(tool: Tool) {
    this.#tool = tool
  }

  of(field: FieldName): number {
    try {
      this.#lines ??= readToolFile(
        factsOf(this.#tool).path,
        readFileSync(this.#tool.source.file!, 'utf8'),
      ).fields
      return this.#lines.get(field)?.line ?? 1
    } catch {
      return 1
    }
  }
}
