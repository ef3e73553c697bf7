// The tools-json format: folders with SKILL.md and tools.json, to tools that run allowlisted commands.
import { join } from 'node:path'
import { asJson, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { FileEntry, Format, Parsed, Read, Unit } from '../format.ts'
import { readDescriptor } from './descriptor.ts'
import { type SkillFacts, skillFacts } from './facts.ts'
import { linkSkills } from './link.ts'
import { normaliseArgs } from './normalise-args.ts'
import { toolsJsonParts } from './parts.ts'
import { portable } from './portable.ts'
import { readTools } from './read-tools.ts'
import { readSkillFile } from './skill-file.ts'
import { starter, template } from './starter.ts'
import { looksIn, skillUnits, type UnitNote } from './units.ts'

export const toolsJson: Format = {
  name: 'tools-json',
  rank: 2,
  traits: { fillDefaults: true, normaliseArgs: (args, tool) => normaliseArgs(args, tool) },
  looksIn,
  units: (place, env) => skillUnits(place, env.config),
  parse: parseSkill,
  link: linkSkills,
  ...toolsJsonParts,
  whyMissing,
  portable,
  starter,
  template,
}

function parseSkill(unit: Unit, read: Read): Parsed {
  const note = JSON.parse(unit.note!) as UnitNote
  const dir = join(unit.scanned.dir, note.folder)
  const entry = (name: string) => unit.files.find((file) => file.path === `${note.folder}/${name}`)
  const hasTools = entry('tools.json') !== undefined
  const base = { id: note.id, dir, realDir: note.realDir, rank: note.rank, hasTools }
  if (note.isDisabled) {
    const facts: SkillFacts = {
      ...base,
      description: '',
      needsBins: null,
      fault: null,
      state: 'disabled',
      reason: 'skills.disabled or skills.enabled leaves it out',
    }
    return { tools: [], problems: [], facts: [asJson(facts)] }
  }
  const skill = readSkillFile(note.id, `${dir}/SKILL.md`, () => read(entry('SKILL.md')!), hasTools)
  const facts: SkillFacts = {
    ...base,
    description: skill.description,
    needsBins: skill.needsBins,
    fault: skill.fault,
    state: 'available',
    reason: null,
  }
  const found = hasTools
    ? parseDescriptor(unit, { id: note.id, dir, entry, read })
    : { tools: [], problems: [] }
  return {
    tools: found.tools,
    problems: [...skill.problems, ...found.problems],
    facts: [asJson(facts)],
  }
}

function parseDescriptor(
  unit: Unit,
  {
    id,
    dir,
    entry,
    read,
  }: {
    readonly id: string
    readonly dir: string
    readonly entry: (name: string) => FileEntry | undefined
    readonly read: Read
  },
): Parsed {
  const reader = (name: string) => {
    const file = entry(name)
    return file && (() => read(file))
  }
  const { descriptor, problems } = readDescriptor({
    tools: reader('tools.json')!,
    allowlist: reader('allowlist.json'),
    execution: reader('execution.json'),
    dir,
    skill: id,
  })
  if (!descriptor) return { tools: [], problems }
  const files = [
    ...new Set([
      descriptor.tools.file,
      descriptor.allowlist.file,
      descriptor.execution.file,
      `${dir}/SKILL.md`,
    ]),
  ]
  const { digest } = read(entry('tools.json')!)
  const { tools, problems: entryProblems } = readTools(descriptor, {
    id,
    dir,
    digest,
    files,
    tier: unit.scanned.tier,
  })
  return { tools, problems: [...problems, ...entryProblems] }
}

function whyMissing(id: string, facts: readonly JsonObject[]): ToolError | undefined {
  const [skillId] = id.split('/')
  const skill = skillFacts(facts).find((fact) => fact.id === skillId && fact.state !== 'shadowed')
  if (skill?.state === 'disabled')
    return new ToolError('TOOL_NOT_ALLOWED', `${id}: the skill ${skillId} is disabled.`, {
      hint: 'Take it out of skills.disabled, or add it to skills.enabled, in toolcrib.yaml.',
    })
  return undefined
}
