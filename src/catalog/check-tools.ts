// The whole check of definitions: what loading found, plus every schema compiled for real.
import { readFileSync } from 'node:fs'
import { isInside } from '../files/is-inside.ts'
import type { Format } from '../formats/format.ts'
import { agentSkillsProblems } from '../formats/skill/agent-skills-spec.ts'
import { type Problem, type Severity, sortProblems } from '../tool/problem.ts'
import { hintFor } from '../tool/problem-hints.ts'
import { compileSchema } from '../tool/schema/compile-schema.ts'
import type { Tool } from '../tool/tool.ts'
import { messageOf } from '../tool/tool-error.ts'
import { lintTools } from './lint-tools.ts'

export interface CheckReport {
  readonly ok: boolean
  readonly tools: number
  readonly problems: readonly Problem[]
  /** Every skill that was checked; those that run inside this process have nothing but trust around them. */
  readonly skills: readonly CheckedSkill[]
}

export interface CheckedSkill {
  readonly id: string
  readonly file: string | null
  readonly inProcess: boolean
}

export interface CheckOptions {
  readonly strict: boolean
  /** The shipped folder: what is ours is not the user's to fix. */
  readonly system: string
  /** Whether the code a skill brings runs inside this process. */
  runsInHost(tool: Tool): boolean
  /** Absolute paths: only what lies at or below one of them; empty means everything. */
  readonly paths: readonly string[]
  /** Also hold every SKILL.md against the shared standard, or every tool to what its definition says it needs. */
  readonly spec?: 'agentskills' | 'capabilities'
}

/** `problems` are those of loading; tools of the system tier are ours and not reported on. */
export function checkTools(
  tools: readonly Tool[],
  problems: readonly Problem[],
  formats: readonly Format[],
  options: CheckOptions,
): CheckReport {
  const within = (file: string | null | undefined): boolean =>
    options.paths.length === 0 || (file ? options.paths.some((path) => isInside(file, path)) : false)
  const formatOf = (tool: Tool) => formats.find((format) => format.name === tool.format)
  const own = tools.filter((tool) => tool.tier !== 'system' && within(tool.source.file))
  const found = [
    ...problems.filter(
      (problem) => within(problem.file) && !(problem.file && isInside(problem.file, options.system)),
    ),
    ...own.filter((tool) => !formatOf(tool)?.traits?.hasSoundSchemas).flatMap(compileProblems),
    ...lintTools(own, tools),
    ...(options.spec === 'agentskills' ? skillFiles(own, problems).filter(within).flatMap(specProblems) : []),
  ]
  const severityOf = new Map(own.map((tool) => [tool.id, formatOf(tool)]))
  const judged = found.map((problem) => ({
    ...problem,
    severity: isHeldTo(problem, options)
      ? strictly(problem, severityOf.get(problem.toolId ?? ''))
      : problem.severity,
  }))
  return {
    ok: !judged.some((problem) => problem.severity === 'error'),
    tools: own.length,
    problems: sortProblems(unique(judged)),
    skills: own.filter((tool) => tool.details?.skill).map((tool) => checkedSkill(tool, options)),
  }
}

/** Every SKILL.md, those that gave no tool for a problem included. */
function skillFiles(tools: readonly Tool[], problems: readonly Problem[]): string[] {
  const files = [...tools.map((tool) => tool.source.file), ...problems.map((problem) => problem.file)]
  return [...new Set(files)].filter((file): file is string => file?.endsWith('/SKILL.md') === true)
}

function specProblems(file: string): Problem[] {
  try {
    return agentSkillsProblems(file, readFileSync(file, 'utf8'))
  } catch {
    return [] // gone or unreadable: loading has reported it
  }
}

function checkedSkill(tool: Tool, { runsInHost }: CheckOptions): CheckedSkill {
  const inProcess = tool.details?.inProcess === true && runsInHost(tool)
  return { id: tool.id, file: tool.source.file, inProcess }
}

/** What code can touch is held against definitions only where that is asked for (L4). */
function isHeldTo({ code }: Problem, { strict, spec }: CheckOptions): boolean {
  return strict && (code !== 'capability-undeclared' || spec === 'capabilities')
}

function strictly(problem: Problem, format: Format | undefined): Severity {
  if (problem.code === 'capability-undeclared') return 'error'
  return format?.strictSeverity?.(problem) ?? (problem.severity === 'warning' ? 'error' : problem.severity)
}

function compileProblems(tool: Tool): Problem[] {
  if (tool.problems.some((problem) => problem.severity === 'error')) return []
  return (['params', 'returns'] as const).flatMap((part) => {
    const schema = tool[part]
    if (!schema) return []
    try {
      compileSchema(schema, { fillDefaults: false })
      return []
    } catch (error) {
      const place = tool.source.file ? { file: tool.source.file, line: tool.source.line ?? 1 } : {}
      return [
        {
          code: 'schema-invalid',
          severity: 'error' as const,
          message: `${part}: ${messageOf(error)}`,
          hint: hintFor('schema-invalid'),
          toolId: tool.id,
          ...place,
        },
      ]
    }
  })
}

function unique(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  return problems.filter((problem) => {
    const key = JSON.stringify([problem.code, problem.file, problem.line, problem.column, problem.message])
    return seen.has(key) ? false : seen.add(key)
  })
}
