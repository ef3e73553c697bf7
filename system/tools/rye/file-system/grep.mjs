// Finds lines by text or regular expression.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { globToRegExp, statOf, walkFiles } from './lib/walk-files.mjs'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath } from './lib/project-path.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'Find lines in files of the project by text or regular expression'
export const __requires__ = ['fs.read']
export const __tags__ = ['files', 'search', 'read-only']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 1000, description: 'Text to look for, or a regular expression with regex: true' },
    regex: { type: 'boolean', default: false, description: 'Read the pattern as a JavaScript regular expression' },
    ignore_case: { type: 'boolean', default: false, description: 'Capitals and small letters are alike' },
    path: { type: 'string', default: '.', description: 'Folder or file to look in, relative to the project' },
    glob: { type: 'string', description: 'Only files whose path matches, such as **/*.md' },
    limit: { type: 'integer', minimum: 1, maximum: 10000, default: 200, description: 'How many lines at most' },
  },
  required: ['pattern'],
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    matches: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' }, line: { type: 'integer' }, text: { type: 'string' } }, required: ['path', 'line', 'text'] } },
    truncated: { type: 'boolean' },
  },
  required: ['matches', 'truncated'],
}

const maxBytes = 4 * 1024 * 1024

function main({ pattern, regex, ignore_case, path, glob, limit }, project) {
  const source = regex ? pattern : pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const matcher = new RegExp(source, ignore_case ? 'iu' : 'u')
  const wanted = glob === undefined ? undefined : globToRegExp(glob)
  const start = projectPath(project, path)
  const files = statSync(start).isFile() ? [{ path: '', isFolder: false }] : walkFiles(start)
  const matches = []
  for (const entry of files) {
    if (entry.isFolder || (wanted && !wanted.test(entry.path))) continue
    const file = entry.path === '' ? start : join(start, entry.path)
    const stat = statOf(file)
    // A pipe would wait for a writer, and a huge file is no text to look through.
    if (!stat?.isFile() || stat.size > maxBytes) continue
    let text
    try {
      text = readFileSync(file, 'utf8')
    } catch {
      continue
    }
    if (text.includes('\0')) continue
    for (const [index, line] of text.split('\n').entries()) {
      if (!matcher.test(line)) continue
      if (matches.length === limit) return { success: true, data: { matches, truncated: true } }
      matches.push({ path: entry.path || path, line: index + 1, text: line.slice(0, 500) })
    }
  }
  return { success: true, data: { matches, truncated: false } }
}

export default withPlainErrors(main)
