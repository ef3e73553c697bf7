// An agent for one task in words: a skill that stands in no file, with the crib's tools as its hands.
import type { Crib } from '../../crib/crib.ts'
import type { JsonObject } from '../../tool/json.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'

/** What a caller sets of a run; the rest comes from `models` and the skill. */
export interface AgentSettings {
  readonly model?: string
  readonly maxTurns?: number
  readonly maxTokens?: number
  readonly maxCost?: number
}

/** The agent that takes a task as `{ task }`. Model and middleware of the crib's main skill count for it. */
export function taskAgent(crib: Crib, settings: AgentSettings, allowedTools?: string): Tool {
  return makeTool({
    id: 'agent',
    description: 'Does one task with the tools of this crib.',
    format: 'skill',
    tier: 'project',
    hidden: true,
    params: { type: 'object', required: ['task'], properties: { task: { type: 'string', minLength: 1 } } },
    source: { file: null, digest: '' },
    runtime: { name: 'agent', plan: { taskFrom: 'task' } },
    details: {
      skill: { form: 'markdown', entry: -1, entryDir: '', isExternal: false },
      metadata: { ...inheritFrom(crib), ...modelOf(settings) },
      content: prompt(crib.root),
      allowedTools,
    },
  })
}

/** A skill with other settings for its model. */
export function withSettings(skill: Tool, settings: AgentSettings): Tool {
  const stated = skill.details?.metadata
  const model = modelOf(settings, stated?.['model'])
  return { ...skill, details: { ...skill.details, metadata: { ...stated, ...model } } }
}

function modelOf({ model, ...limits }: AgentSettings, stated?: unknown): { model?: JsonObject } {
  const own = typeof stated === 'string' ? { id: stated } : ((stated ?? {}) as JsonObject)
  const given = { ...own, ...(model === undefined ? {} : { id: model }), ...limits }
  return Object.keys(given).length > 0 ? { model: given as JsonObject } : {}
}

function inheritFrom(crib: Crib): JsonObject {
  try {
    return { $inherit: crib.main().id }
  } catch {
    return {}
  }
}

function prompt(root: string): string {
  return [
    `You work in the folder ${root} with the tools you are given.`,
    'Do the task of the user. Find out with tools what tools can tell you; do not guess.',
    'When a call fails, read its error and correct the call, or say what stands in the way.',
    'When you are done, answer with the result in few words.',
  ].join('\n')
}
