import { nodeEcho } from '../json-lines.mjs'
import { warmScenario } from '../warm-rye.mjs'

const text = `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = ''
export const __tool_description__ = 'Give back what came'
export const CONFIG_SCHEMA = { type: 'object', properties: { name: { type: 'string' }, count: { type: 'integer' } } }
export default (params) => ({ success: true, data: params })
`

export const scenario = warmScenario({
  about: 'a warm Node function, p50',
  path: 'echo.mjs',
  text,
  program: () => process.execPath,
  bareArgs: ['-e', nodeEcho],
  coldArgs: ['-e', nodeEcho],
})
