// What only all skills together tell: which one owns an id or a tool name, which programs are here, whether the
// configuration names skills that exist. The machine is looked at here and nowhere earlier, so that a cached
// parse never carries yesterday's PATH.
import { missingPrograms } from '../../config/find-on-path.ts'
import { asJson, type JsonObject } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { notOnPath } from '../bins-gate.ts'
import type { FormatEnv, Parsed } from '../format.ts'
import { bySkillOrder, type SkillFacts, skillFacts } from './facts.ts'
import { readSkillTool } from './read-skill-tool.ts'
import { findScript } from './scripts.ts'

export function linkSkills(tools: readonly Tool[], env: FormatEnv, given: readonly JsonObject[]): Parsed {
  const problems: Problem[] = []
  const ordered = skillFacts(given).toSorted(bySkillOrder)
  const skills = withStates(ordered, problems)
  reportUnknown(skills, env, problems)
  const byDir = new Map(skills.map((skill) => [skill.dir, skill]))
  const placed = tools
    .flatMap((tool, index) => {
      const skill = byDir.get(planOf(tool, 'command')!.skillDir)
      return skill && skill.state !== 'shadowed' ? [{ tool: gated(tool, skill), skill, index }] : []
    })
    .sort((a, b) => bySkillOrder(a.skill, b.skill) || a.index - b.index)
  const readSkill = readSkillTool(skills, env)
  const owners = ownersOf(placed, readSkill !== undefined)
  const owned = withOwners(placed, owners)
  const facts = skills.map((skill) => ({
    ...skill,
    tools: owned.filter((_, index) => placed[index]!.skill === skill).map((tool) => tool.id),
  }))
  return {
    tools: [...(readSkill ? [readSkill] : []), ...owned],
    problems,
    facts: facts.map(asJson),
    hidden: [
      ...placed.flatMap((entry) => {
        const owner = owners.get(entry.tool.id)
        return owner && owner !== entry ? [{ tool: entry.tool, behind: [owner.tool] }] : []
      }),
      ...tools.flatMap((tool) => {
        const hiddenBy = byDir.get(planOf(tool, 'command')!.skillDir)?.hiddenBy
        const behind = placed.flatMap((one) => (one.skill.dir === hiddenBy ? [one.tool] : []))
        return behind.length > 0 ? [{ tool, behind }] : []
      }),
    ],
  }
}

/** Each real folder once, in skill order, with the state the whole gives it. */
function withStates(ordered: readonly SkillFacts[], problems: Problem[]): SkillFacts[] {
  const owners = new Map<string, SkillFacts>()
  const seen = new Set<string>()
  const skills: SkillFacts[] = []
  for (const skill of ordered) {
    if (seen.has(skill.realDir)) continue
    seen.add(skill.realDir)
    const owner = owners.get(skill.id)
    if (owner) {
      problems.push({
        code: 'skill-shadowed',
        severity: 'warning',
        message: `the skill ${skill.id} in ${skill.dir} is hidden by the one in ${owner.dir}.`,
        hint: 'Rename or remove one of them.',
        file: `${skill.dir}/SKILL.md`,
        line: 1,
        column: 1,
        skill: skill.id,
      })
      skills.push({ ...skill, state: 'shadowed', reason: `hidden by ${owner.dir}`, hiddenBy: owner.dir })
      continue
    }
    owners.set(skill.id, skill)
    skills.push(judged(skill, problems))
  }
  return skills
}

function judged(skill: SkillFacts, problems: Problem[]): SkillFacts {
  if (skill.state === 'disabled') return skill
  if (skill.fault) return { ...skill, state: 'unavailable', reason: skill.fault }
  const missing = skill.needsBins ? missingPrograms(skill.needsBins) : []
  if (missing.length === 0) return { ...skill, state: 'available', reason: null }
  const reason = notOnPath(missing)
  problems.push({
    code: 'skill-bins-missing',
    severity: 'warning',
    message: `the skill ${skill.id} is unavailable: ${reason}.`,
    hint: `Install ${missing.join(' and ')}, or disable the skill.`,
    file: `${skill.dir}/SKILL.md`,
    line: 1,
    column: 1,
    skill: skill.id,
  })
  return { ...skill, state: 'unavailable', reason }
}

function reportUnknown(skills: readonly SkillFacts[], env: FormatEnv, problems: Problem[]): void {
  const known = new Set(skills.map((skill) => skill.id))
  for (const key of ['disabled', 'enabled'] as const) {
    for (const id of env.config.skills[key] ?? []) {
      if (!known.has(id))
        problems.push({
          code: 'skill-unknown',
          severity: 'warning',
          message: `skills.${key} names ${JSON.stringify(id)}, but there is no such skill.`,
          hint: `Known skills: ${[...known].join(', ') || 'none'}.`,
          file: `${env.spaces.project}/toolcrib.yaml`,
          skill: id,
        })
    }
  }
}

function gated(tool: Tool, skill: SkillFacts): Tool {
  const checked = withScriptFiles(tool)
  if (skill.state === 'available')
    return skill.needsBins ? { ...checked, needsBins: skill.needsBins } : checked
  const reason = `its skill ${skill.id} is unavailable: ${skill.reason}`
  // Missing programs come back when they are installed; a broken skill must be fixed like any bad definition.
  return skill.fault === null
    ? {
        ...checked,
        needsBins: skill.needsBins ?? [],
        state: checked.state === 'invalid' ? 'invalid' : 'unavailable',
        reason,
      }
    : { ...checked, state: 'invalid', reason }
}

/** Scripts belong to what the tool is made of; one that cannot run is a warning. */
function withScriptFiles(tool: Tool): Tool {
  const plan = planOf(tool, 'command')!
  const scripts = plan.entries
    .flatMap((entry) => [...entry.args.map((arg) => arg.resolveCommand), entry.postProcess])
    .flatMap((helper) => (helper?.script === undefined ? [] : [helper.script]))
  if (scripts.length === 0) return tool
  const files = new Set(tool.source.files)
  const warnings: Problem[] = []
  for (const script of new Set(scripts)) {
    const found = findScript(plan.skillDir, script)
    if ('file' in found) files.add(found.file)
    else
      warnings.push({
        code: 'script-missing',
        severity: 'warning',
        message: `${tool.id} names a script that cannot run: ${found.refused}.`,
        hint: 'Put a script of that name into the folder scripts/ of the skill; until then the step is skipped.',
        ...placeOfScript(tool, script),
        toolId: tool.id,
        skill: plan.skill,
      })
  }
  return { ...tool, source: { ...tool.source, files: [...files] }, problems: [...tool.problems, ...warnings] }
}

function placeOfScript(tool: Tool, script: string): Pick<Problem, 'file' | 'line' | 'column'> {
  const places = tool.details?.scripts
  return places && Object.hasOwn(places, script) ? places[script]! : placeOfTool(tool)
}

function placeOfTool(tool: Tool): Pick<Problem, 'file' | 'line' | 'column'> {
  return tool.source.file ? { file: tool.source.file, line: tool.source.line ?? 1, column: 1 } : {}
}

interface PlacedTool {
  readonly tool: Tool
  readonly skill: SkillFacts
}

/** Whose a bare name is; null: Toolcrib's own. */
type Owners = ReadonlyMap<string, PlacedTool | null>

/** The first in skill order owns the bare name, available skills before others; the rest go by skill/tool. */
function ownersOf(placed: readonly PlacedTool[], hasReadSkill: boolean): Owners {
  const owners = new Map<string, PlacedTool | null>()
  if (hasReadSkill) owners.set('read_skill', null)
  for (const isFirstRound of [true, false]) {
    for (const entry of placed) {
      if ((entry.skill.state === 'available') === isFirstRound && !owners.has(entry.tool.id))
        owners.set(entry.tool.id, entry)
    }
  }
  return owners
}

function withOwners(placed: readonly PlacedTool[], owners: Owners): Tool[] {
  return placed.map((entry) => {
    const owner = owners.get(entry.tool.id)
    if (owner === entry) return entry.tool
    return shadowed(entry, owner ? `the skill ${owner.skill.id}` : 'Toolcrib itself')
  })
}

function shadowed({ tool, skill }: PlacedTool, owner: string): Tool {
  const id = `${skill.id}/${tool.id}`
  const problem: Problem = {
    code: 'tool-shadowed',
    severity: 'warning',
    message: `the name ${tool.id} belongs to ${owner}, which comes first.`,
    hint: `Call this one as tools-json:${id}, or rename it.`,
    ...placeOfTool(tool),
    toolId: id,
    skill: skill.id,
  }
  return {
    ...tool,
    id,
    name: `${skill.id}_${tool.id}`.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64),
    aliases: [],
    state: tool.state === 'available' ? 'shadowed' : tool.state,
    reason: tool.reason ?? `${owner} has a tool of the same name`,
    problems: [...tool.problems, problem],
  }
}
