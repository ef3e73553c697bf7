// JavaScript with the metadata as exports: the file is imported once and its default export called.
export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = 'utility'
export const __tool_description__ = 'Greet a user by name, in capitals if wanted'
export const __requires__ = []

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, description: 'Name to greet' },
    loud: { type: 'boolean', default: false, description: 'In capitals' },
  },
  required: ['name'],
  additionalProperties: false,
}

export default async function main({ name, loud }) {
  const greeting = `Hello, ${name}!`
  return { success: true, output: loud ? greeting.toUpperCase() : greeting }
}
