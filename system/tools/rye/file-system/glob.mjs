// Finds files by a path pattern.
import { globToRegExp, walkFiles } from './lib/walk-files.mjs'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath } from './lib/project-path.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'Find files of the project whose path matches a glob'
export const __requires__ = ['fs.read']
export const __tags__ = ['files', 'search', 'read-only']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 500, description: 'Glob such as src/**/*.ts; * stops at /, ** does not, {a,b} is either' },
    path: { type: 'string', default: '.', description: 'Folder to look in, relative to the project' },
    limit: { type: 'integer', minimum: 1, maximum: 10000, default: 500, description: 'How many files at most' },
  },
  required: ['pattern'],
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { files: { type: 'array', items: { type: 'string' } }, truncated: { type: 'boolean' } },
  required: ['files', 'truncated'],
}

function main({ pattern, path, limit }, project) {
  const matcher = globToRegExp(pattern)
  const files = []
  for (const entry of walkFiles(projectPath(project, path))) {
    if (entry.isFolder || !matcher.test(entry.path)) continue
    if (files.length === limit) return { success: true, data: { files, truncated: true } }
    files.push(entry.path)
  }
  return { success: true, data: { files, truncated: false } }
}

export default withPlainErrors(main)
