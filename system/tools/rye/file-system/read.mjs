// Reads a text file, whole or some lines of it.
import { readFileSync, statSync } from 'node:fs'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath, shownPath } from './lib/project-path.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'Read a text file of the project, whole or a range of lines'
export const __requires__ = ['fs.read']
export const __tags__ = ['files', 'read-only']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'File, relative to the project' },
    from_line: { type: 'integer', minimum: 1, default: 1, description: 'First line to return' },
    lines: { type: 'integer', minimum: 1, maximum: 100000, default: 2000, description: 'How many lines at most' },
  },
  required: ['path'],
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, text: { type: 'string' }, total_lines: { type: 'integer' }, truncated: { type: 'boolean' } },
  required: ['path', 'text', 'total_lines', 'truncated'],
}

function main({ path, from_line, lines }, project) {
  const file = projectPath(project, path)
  const stat = statSync(file)
  if (!stat.isFile() && !stat.isDirectory()) return { success: false, error: `${path} is not a regular file` }
  const bytes = readFileSync(file)
  if (bytes.includes(0)) return { success: false, error: `${path} is not a text file` }
  const all = bytes.toString('utf8').split('\n')
  if (all.at(-1) === '') all.pop()
  const part = all.slice(from_line - 1, from_line - 1 + lines)
  return { success: true, data: { path: shownPath(project, file), text: part.join('\n'), total_lines: all.length, truncated: from_line - 1 + part.length < all.length } }
}

export default withPlainErrors(main)
