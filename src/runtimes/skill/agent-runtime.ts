// Markdown skills: the body is the prompt of an agent. Without a model there is nobody to read it.
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'

export function openAgentRuntime(_env: RuntimeEnv): Runtime {
  return {
    name: 'agent',
    run: (attempt: Attempt) => Promise.reject(modelMissing(attempt.tool.id)),
    plan: async (attempt: Attempt) => ({ skill: attempt.tool.id, model: null }),
  }
}

/** Says which lines to add, and how to use the skill without a model. */
export function modelMissing(id: string): ToolError {
  return new ToolError('MODEL_MISSING', `${id} is a prompt for a model, and no model is configured.`, {
    hint: [
      'Add to toolcrib.yaml:',
      '  models:',
      '    default: local',
      '    local: { provider: ollama, model: llama3.2 }',
      `Or use the skill as the MCP prompt "${id}" of a client that has a model.`,
    ].join('\n'),
  })
}
