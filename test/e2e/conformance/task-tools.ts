// The tools by which the conformance suite looks at tasks (SEP-2663), and the settings that make tasks of them.
import { setTimeout as delay } from 'node:timers/promises'
import type { Crib, FunctionTool } from '../../../src/index.ts'
import { ToolError } from '../../../src/tool/tool-error.ts'

export const taskSettings = `tools:
  slow_compute: { task: true }
  failing_job: { task: required }
  protocol_error_job: { task: true }
  confirm_delete: { task: true }
  multi_input: { task: true }
`

const yes = {
  message: 'Go on?',
  requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } } as never,
}

const tools: { readonly [id: string]: FunctionTool['fn'] } = {
  greet: (params) => `Hello, ${(params as { name?: string }).name}!`,
  slow_compute: async (params, { signal }) => {
    const { seconds = 0, label = '' } = params as { seconds?: number; label?: string }
    await delay(seconds * 1000, undefined, { signal })
    return `computed ${label}`
  },
  failing_job: () => {
    throw new Error('The job failed.')
  },
  protocol_error_job: () => {
    throw new ToolError('TOOL_FAILED', 'The server broke.', {
      details: { code: -32_603, message: 'Internal error' },
    })
  },
  confirm_delete: async (_params, { elicit }) => (await elicit!(yes)).action,
  multi_input: async (_params, { elicit }) =>
    JSON.stringify(await Promise.all([elicit!(yes, { key: 'first' }), elicit!(yes, { key: 'second' })])),
}

const properties = {
  name: { type: 'string' },
  seconds: { type: 'number' },
  label: { type: 'string' },
  filename: { type: 'string' },
}

export function addTaskTools(crib: Crib): void {
  for (const [id, fn] of Object.entries(tools))
    crib.addTool({ id, description: 'For tasks.', params: { type: 'object', properties }, fn })
}
