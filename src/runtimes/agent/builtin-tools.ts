// The tools that look at the crib itself. They come after all others and are in no list; who knows their names
// can call them.
import { makeTool, type Tool } from '../../tool/tool.ts'
import { discoverParams, listParams, refParams } from './query-params.ts'

function builtin(id: string, description: string, params: Tool['params']): Tool {
  return makeTool({
    id,
    description,
    params,
    format: 'builtin',
    tier: 'system',
    hidden: true,
    requires: [],
    tags: ['read-only'],
    trust: { status: 'trusted', owner: 'toolcrib' },
    source: { file: null, digest: '' },
    runtime: { name: 'builtin', plan: { answer: id } },
  })
}

export const builtinTools: readonly Tool[] = [
  builtin('skill-list', 'The skills of this crib, by words and tags.', listParams),
  builtin('skill-describe', 'Everything about one tool or skill.', refParams),
  builtin('agent-discover', 'The tools an agent may call, by words and tags.', discoverParams),
  builtin('read_skill', 'The instructions of a skill.', {
    type: 'object',
    required: ['skill_name'],
    additionalProperties: false,
    properties: { skill_name: { type: 'string', description: 'Name of the skill.' } },
  }),
]
