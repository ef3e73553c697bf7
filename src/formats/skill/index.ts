// The skill format: `SKILL.md` folders, `*.skill.md`, `*.skill.js`, `*.skill.mjs` and `*.skill.ts`. Code is
// read, never run, until a skill is called.
import { basename, dirname } from 'node:path'
import { missingPrograms } from '../../config/find-on-path.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { notOnPath, readBinsGate } from '../bins-gate.ts'
import type { Format, FormatEnv, Parsed, Read, Unit } from '../format.ts'
import { cascadeProblems } from './cascade/cascade-problems.ts'
import { inheritSchemas } from './cascade/inherit-schemas.ts'
import { envWarning } from './expand-prompt.ts'
import { looksIn, skillUnits } from './find-skills.ts'
import { portable } from './portable.ts'
import { readSkill } from './read-skill.ts'
import { metadataOf, type SkillFacts, skillOf } from './settings.ts'
import { starter, template } from './starter.ts'

export const skill: Format = {
  name: 'skill',
  rank: 1,
  comesInFolders: true,
  traits: { fillDefaults: false, refusesDollarKeys: true, disabledCode: 'TOOL_DENIED' },
  units: skillUnits,
  looksIn,
  parse,
  link,
  portable,
  starter,
  template,
}

function parse(unit: Unit, read: Read): Parsed {
  const source = read(unit.files[0]!)
  const facts = JSON.parse(unit.note!) as SkillFacts
  const { tool, problems } = readSkill({ ...source, tier: unit.scanned.tier, facts })
  return { tools: tool ? [tool] : [], problems }
}

/** Puts skills in search order, hides repeats, switches off what is disabled or lacks its programs, checks the cascade. */
function link(tools: readonly Tool[], env: FormatEnv): Parsed {
  const sorted = [...tools].sort((a, b) => skillOf(a)!.skill.entry - skillOf(b)!.skill.entry)
  const byName = new Map<string, Tool>()
  const files = new Set<string>()
  const linked: Tool[] = []
  for (const tool of sorted) {
    const file = skillOf(tool)!.skill.realFile ?? tool.source.file!
    if (files.has(file)) continue
    files.add(file)
    // Another app's tree has its own names; they hide nothing outside and are hidden by everything.
    const winner = byName.get(tool.id)
    if (winner) linked.push(shadowed(tool, winner))
    else {
      byName.set(tool.id, tool)
      linked.push(withGate(withSwitch(tool, env)))
    }
  }
  const whole = inheritSchemas(linked, env.spaces.project)
  const found = cascadeProblems(whole, env.spaces.project)
  return {
    tools: whole.map((tool) => withProblems(tool, [...(found.get(tool) ?? []), ...envProblems(tool, env)])),
    problems: [],
  }
}

/** Variables a text asks for and may not have. */
function envProblems(tool: Tool, { config }: FormatEnv): Problem[] {
  return Object.entries(skillOf(tool)!.env ?? {})
    .filter(([name]) => !config.skills.promptEnv.includes(name))
    .map(([name, line]) => ({
      code: 'ENV_NOT_ALLOWED',
      severity: 'warning',
      message: envWarning(name),
      hint: `Add ${name} to skills.promptEnv in toolcrib.yaml, or take the directive out.`,
      ...(tool.source.file ? { file: tool.source.file, line } : {}),
      toolId: tool.id,
    }))
}

function shadowed(tool: Tool, winner: Tool): Tool {
  const problem: Problem = {
    code: 'SKILL_SHADOWED',
    severity: 'warning',
    message: `The skill "${tool.id}" of ${tool.source.file} is hidden by ${winner.source.file}, which is found first.`,
    hint: 'Rename one of them.',
    file: tool.source.file!,
    line: 1,
    toolId: tool.id,
  }
  return { ...withProblems(tool, [problem]), state: 'shadowed', reason: problem.message }
}

function withSwitch(tool: Tool, env: FormatEnv): Tool {
  const { enabled, disabled } = env.config.skills
  const names = [
    tool.id,
    ...(tool.source.file?.endsWith('/SKILL.md') ? [basename(dirname(tool.source.file))] : []),
  ]
  const isOff =
    names.some((name) => disabled.includes(name)) ||
    (enabled !== null && !names.some((name) => enabled.includes(name)))
  return isOff && tool.state === 'available'
    ? {
        ...tool,
        state: 'disabled',
        reason: `The skill "${tool.id}" is switched off by skills.${names.some((name) => disabled.includes(name)) ? 'disabled' : 'enabled'}`,
      }
    : tool
}

/** A folder whose gate is closed gives no text either; what cannot be understood counts as closed. */
function withGate(tool: Tool): Tool {
  if (skillOf(tool)!.skill.form !== 'folder' || tool.state !== 'available') return tool
  const gate = readBinsGate(metadataOf(tool))
  if ('fault' in gate) return { ...tool, state: 'invalid', reason: gate.fault }
  if (gate.needsBins === null) return tool
  const missing = missingPrograms(gate.needsBins)
  return {
    ...tool,
    needsBins: gate.needsBins,
    ...(missing.length > 0 ? { state: 'unavailable', reason: notOnPath(missing) } : {}),
  }
}

function withProblems(tool: Tool, problems: readonly Problem[]): Tool {
  return problems.length === 0 ? tool : { ...tool, problems: [...tool.problems, ...problems] }
}
