// `toolcrib agent`: a task in words, or a skill by name, done by a model with the crib's tools.
import type { Crib } from '../../../crib/crib.ts'
import type { Tool } from '../../../tool/tool.ts'
import { isToolError, ToolError } from '../../../tool/tool-error.ts'
import { type AgentSettings, taskAgent, withSettings } from '../../agent/task-agent.ts'
import { type CallFlags, callAndReport, collectParams } from '../call-and-report.ts'
import { type CliCommand, UsageError } from '../command.ts'

interface AgentOptions extends CallFlags {
  readonly params?: string
  readonly model?: string
  readonly maxTurns?: string
  readonly maxTokens?: string
  readonly maxCost?: string
  readonly tools?: string
}

export const agent: CliCommand = {
  takesAnyOption: true,
  examples: [
    ['toolcrib agent "Which notes mention the boat?"', 'a task in words'],
    ['toolcrib agent summary --text "A long story"', 'a markdown skill, with its parameters'],
    ['toolcrib agent "Tidy up notes/" --tools "rye:* notes_*"', 'only these tools'],
    ['toolcrib agent "Tidy up notes/" --model small --max-turns 5', 'another model, at most five answers'],
    ['toolcrib agent "Tidy up notes/" --preview', 'what it would change in the files; nothing is changed'],
    ['toolcrib agent "Tidy up notes/" --hold', 'decide at the end about everything it changed'],
  ],
  define(command) {
    command
      .usage('[options] <task or skill> [--<parameter> <value>...]')
      .argument('<task or skill>', 'a task in words, or the name of a skill')
      .option('--params <json|@file|->', 'parameters of the skill as one JSON object')
      .option(
        '--model <id>',
        'an entry of models in toolcrib.yaml; default: the one of the skill, or `default`',
      )
      .option('--max-turns <n>', 'most answers of the model')
      .option('--max-tokens <n>', 'most tokens of the whole run')
      .option('--max-cost <n>', 'most cost of the whole run, in the currency of the price')
      .option('--tools <list>', 'allowed-tools list for a task; default: all visible tools')
      .option('--dry-run', 'what would run, with which model and tools')
      .option('--hold', 'keep what all its tools change in the files until you accept it')
      .option('--preview', 'show what all its tools would change in the files, change nothing')
      .option('--timeout <s>', 'seconds the run may take')
      .option('--approve', 'approve the call of the skill beforehand')
  },
  async run(session, args, given) {
    const options = given as AgentOptions
    const [what, ...flags] = args
    if (what === undefined || what.startsWith('-') || what.trim() === '')
      throw new UsageError('There is no task.', 'Give one in quotes: toolcrib agent "Sum up README.md"')
    const settings = settingsOf(options)
    const crib = await session.open()
    const skill = findSkill(crib, what)
    if (!skill) {
      if (flags.length > 0 || options.params !== undefined)
        throw new UsageError('A task takes no parameters.', 'Say everything in the task, or name a skill.')
      return callAndReport(session, crib, {
        ref: taskAgent(crib, settings, options.tools),
        params: { task: what },
        flags: options,
      })
    }
    const isAgent = skill.runtime?.name === 'agent'
    if (options.tools !== undefined)
      throw new UsageError(`--tools is for tasks; ${skill.id} has its own allowed-tools.`)
    if (!isAgent && Object.keys(settings).length > 0)
      throw new UsageError(`${skill.id} is code and asks no model, so it takes no settings for one.`)
    const params = collectParams(options.params, flags, crib.described(skill).params)
    const tool = Object.keys(settings).length > 0 ? withSettings(skill, settings) : skill
    return callAndReport(session, crib, { ref: tool, params, flags: options })
  },
}

/** The skill a single word means; undefined for a task. A word that is no skill is a mistake, not a task. */
function findSkill(crib: Crib, what: string): Tool | undefined {
  if (/\s/.test(what.trim())) return undefined
  let tool: Tool
  try {
    tool = crib.find(what)
  } catch (error) {
    if (!isToolError(error) || error.code !== 'TOOL_NOT_FOUND') throw error
    throw new ToolError('TOOL_NOT_FOUND', `There is no skill "${what}" in this crib.`, {
      hint: `${error.hint ?? ''} A task has more than one word: toolcrib agent "…"`.trim(),
    })
  }
  if (tool.details?.skill) return tool
  throw new UsageError(`${tool.id} is a tool, not a skill.`, `Call it with \`toolcrib run ${tool.id}\`.`)
}

function settingsOf({ model, maxTurns, maxTokens, maxCost }: AgentOptions): AgentSettings {
  return {
    model,
    ...number('maxTurns', '--max-turns', maxTurns),
    ...number('maxTokens', '--max-tokens', maxTokens),
    ...number('maxCost', '--max-cost', maxCost),
  }
}

function number(name: string, flag: string, text: string | undefined): { [name: string]: number } {
  if (text === undefined) return {}
  const value = Number(text)
  if (!(value > 0) || (name !== 'maxCost' && !Number.isInteger(value)))
    throw new UsageError(`${flag} takes a number above 0, not "${text}".`)
  return { [name]: value }
}
