// Lists a folder.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath, shownPath } from './lib/project-path.mjs'
import { statOf } from './lib/walk-files.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'List a folder of the project with sizes and times'
export const __requires__ = ['fs.read']
export const __tags__ = ['files', 'read-only']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', default: '.', description: 'Folder, relative to the project' },
    limit: { type: 'integer', minimum: 1, maximum: 10000, default: 500, description: 'How many entries at most' },
  },
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    entries: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, type: { enum: ['file', 'folder', 'other'] }, bytes: { type: 'integer' }, modified: { type: 'string' } }, required: ['name', 'type'] } },
    left_off: { type: 'integer' },
  },
  required: ['path', 'entries', 'left_off'],
}

function main({ path, limit }, project) {
  const folder = projectPath(project, path)
  const all = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== '.toolcrib')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries = all.slice(0, limit).map((entry) => {
    const stat = statOf(join(folder, entry.name))
    const type = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'
    return { name: entry.name, type, ...(stat ? { bytes: stat.size, modified: stat.mtime.toISOString() } : {}) }
  })
  return { success: true, data: { path: shownPath(project, folder), entries, left_off: all.length - entries.length } }
}

export default withPlainErrors(main)
