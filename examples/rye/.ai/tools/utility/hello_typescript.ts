// TypeScript with the metadata as exports. Types are left out on the way, nothing is compiled beforehand.
export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'utility'
export const __tool_description__ = 'Greet a user by name, typed'

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name to greet' },
  },
  required: ['name'],
} as const

interface Params {
  readonly name: string
}

function main(params: Params): { success: boolean; output: string } {
  return { success: true, output: `Hello, ${params.name}!` }
}

export default main
