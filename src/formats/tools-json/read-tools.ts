// The tools of one skill: entries read, matched with their execution, every cross-check of the format done. A
// tool with an error is made all the same, so that it can be listed and explain itself.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { CommandEntry, CommandPlan } from '../../tool/plans/command-plan.ts'
import type { Problem } from '../../tool/problem.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import type { Descriptor, Part } from './descriptor.ts'
import { declaredNames, declaredPatterns, readParameters } from './parameters.ts'
import { readExecution } from './read-execution.ts'
import { readFields } from './read-fields.ts'
import { FileReport } from './report.ts'
import { toolShape } from './shapes.ts'

export interface SkillPlace {
  readonly id: string
  readonly dir: string
  readonly digest: string
  /** Every file of the definition, absolute, tools.json first. */
  readonly files: readonly string[]
  readonly tier: Tool['tier']
}

export interface ReadTools {
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
}

const nameShape = /^[A-Za-z0-9_-]{1,64}$/

export function readTools(descriptor: Descriptor, skill: SkillPlace): ReadTools {
  const problems: Problem[] = []
  const named = groupByName(descriptor.tools, skill, problems)
  const executions = groupExecutions(descriptor.execution, named, skill, problems)
  const tools = [...named].map(([name, pointers]) =>
    readTool({ name, pointers, executions: executions.get(name) ?? [] }, descriptor, skill),
  )
  return { tools, problems }
}

/** Tool name → pointers of the entries that carry it; an entry without a usable name is a problem of the skill. */
function groupByName(
  part: Part<readonly unknown[]>,
  skill: SkillPlace,
  problems: Problem[],
): Map<string, string[]> {
  const named = new Map<string, string[]>()
  for (const [index, entry] of part.value.entries()) {
    const pointer = `${part.pointer}/${index}`
    const name = isPlainObject(entry) ? entry['name'] : undefined
    if (typeof name === 'string' && name !== '') {
      named.set(name, [...(named.get(name) ?? []), pointer])
      continue
    }
    const report = new FileReport(part.file, part.document, skill.id)
    if (name === '') report.error('tool-name-invalid', `${pointer}/name`, 'a tool name must not be empty')
    else readFields(toolReading(entry, pointer), report)
    problems.push(...report.problems)
  }
  return named
}

function groupExecutions(
  part: Part<readonly unknown[]>,
  named: ReadonlyMap<string, unknown>,
  skill: SkillPlace,
  problems: Problem[],
): Map<string, string[]> {
  const executions = new Map<string, string[]>()
  for (const [index, entry] of part.value.entries()) {
    const pointer = `${part.pointer}/${index}`
    const tool = isPlainObject(entry) ? entry['tool'] : undefined
    if (typeof tool === 'string' && named.has(tool)) {
      executions.set(tool, [...(executions.get(tool) ?? []), pointer])
      continue
    }
    const report = new FileReport(part.file, part.document, skill.id)
    if (typeof tool === 'string')
      report.error(
        'execution-no-tool',
        `${pointer}/tool`,
        `no tool is named ${JSON.stringify(tool)}; the entry is ignored`,
        `Tools of this skill: ${[...named.keys()].join(', ') || 'none'}.`,
      )
    else readExecution(entry, pointer, { allowlist: {}, report })
    // Without a tool only the missing or wrong field matters.
    problems.push(
      ...report.problems.filter((problem) => typeof tool === 'string' || problem.code === 'descriptor-shape'),
    )
  }
  return executions
}

/** Pointers of a tool and of what it runs. */
interface Written {
  readonly name: string
  readonly pointers: readonly string[]
  readonly executions: readonly string[]
}

/** `parameters` have a reader of their own. */
function toolReading(value: unknown, pointer: string) {
  return { value, pointer, what: 'the tool', shape: toolShape, apart: 'parameters' }
}

function readTool({ name, pointers, executions }: Written, descriptor: Descriptor, skill: SkillPlace): Tool {
  const { tools, execution, allowlist } = descriptor
  const report = new FileReport(tools.file, tools.document, skill.id, name)
  const executionReport = new FileReport(execution.file, execution.document, skill.id, name)
  const pointer = pointers[0]!
  const fields = readFields(toolReading(at(tools, pointer), pointer), report) ?? {}
  if (!nameShape.test(name))
    report.error(
      'tool-name-invalid',
      `${pointer}/name`,
      `the tool name ${JSON.stringify(name)} must be 1 to 64 of A-Z, a-z, 0-9, _ and -`,
    )
  if (pointers.length > 1)
    for (const each of pointers)
      report.error(
        'tool-duplicate',
        `${each}/name`,
        `${name} is defined ${pointers.length} times in this skill; none of them is usable`,
      )
  const params = readParameters(fields.parameters, `${pointer}/parameters`, report)
  const entries: { entry: CommandEntry; pointer: string }[] = []
  for (const each of executions) {
    const judging = { allowlist: allowlist.value, report: executionReport }
    const entry = readExecution(at(execution, each), each, judging, fields.timeoutMs)
    if (entry) entries.push({ entry, pointer: each })
  }
  if (executions.length === 0)
    report.error(
      'tool-no-execution',
      pointer,
      `no execution entry names the tool ${name}`,
      'Add one to execution.',
    )
  const plain = entries.filter(({ entry }) => !entry.paramCondition)
  if (plain.length > 1)
    for (const each of plain.slice(1))
      executionReport.error(
        'execution-duplicate',
        `${each.pointer}/tool`,
        `${name} has two execution entries without paramCondition`,
      )
  // A broken schema declares nothing, so nothing can be said about mapped parameters.
  if (
    !report.problems.some((problem) =>
      /^(parameters-not-object|schema-invalid|pattern-invalid)$/.test(problem.code),
    )
  )
    for (const each of entries) checkMappedParams(each.entry, each.pointer, params, executionReport)
  const plan: CommandPlan = {
    skill: skill.id,
    skillDir: skill.dir,
    allowlist: allowlist.value,
    entries: entries.map(({ entry }) => entry),
  }
  return makeTool({
    id: name,
    format: 'tools-json',
    tier: skill.tier,
    description: fields.description ?? '',
    aliases: [`${skill.id}/${name}`],
    params,
    source: {
      file: tools.file,
      line: tools.document.valueAt(pointer).line,
      digest: skill.digest,
      files: skill.files,
    },
    runtime: { name: 'command', plan },
    problems: [...report.problems, ...executionReport.problems],
    details: {
      ofSkill: skill.id,
      hasDescription: fields.description !== undefined,
      ...scriptPlaces(entries, execution),
    },
  })
}

declare module '../../tool/tool.ts' {
  interface ToolDetails {
    /** The skill folder it belongs to. */
    readonly ofSkill?: string
    /** False: the descriptor leaves the description out. */
    readonly hasDescription?: boolean
    /** Where each script is first named. */
    readonly scripts?: { readonly [script: string]: ScriptPlace }
  }
}

export type ScriptPlace = Required<Pick<Problem, 'file' | 'line' | 'column'>>

/** Where each script is first named, for whoever finds out that it is not there. */
function scriptPlaces(
  entries: readonly { readonly entry: CommandEntry; readonly pointer: string }[],
  { document, file }: Part<unknown>,
): { scripts?: { [script: string]: ScriptPlace } } {
  const places = new Map<string, ScriptPlace>()
  const note = (script: string | undefined, pointer: string) => {
    if (script !== undefined && !places.has(script))
      places.set(script, { file, ...document.keyAt(`${pointer}/script`) })
  }
  for (const { entry, pointer } of entries) {
    for (const [index, arg] of entry.args.entries())
      note(arg.resolveCommand?.script, `${pointer}/args/${index}/resolveCommand`)
    note(entry.postProcess?.script, `${pointer}/postProcess`)
  }
  return places.size > 0 ? { scripts: Object.fromEntries(places) } : {}
}

function at(part: Part<readonly unknown[]>, pointer: string): unknown {
  return part.value[Number(pointer.slice(part.pointer.length + 1))]
}

function checkMappedParams(
  entry: CommandEntry,
  pointer: string,
  params: JsonObject,
  report: FileReport,
): void {
  const declared = declaredNames(params)
  if (!declared || declaredPatterns(params).length > 0) return
  for (const [index, arg] of entry.args.entries()) {
    if (arg.param !== '' && !declared.includes(arg.param))
      report.error(
        'param-not-in-schema',
        `${pointer}/args/${index}/param`,
        `the parameter ${JSON.stringify(arg.param)} is not declared in parameters`,
        `Declared: ${declared.join(', ') || 'none'}.`,
      )
  }
}
