// Writes a text file, whole; folders on the way are made.
import { appendFileSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath, shownPath } from './lib/project-path.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'Create, overwrite or extend a text file of the project'
export const __requires__ = ['fs.write']
export const __tags__ = ['files']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'File, relative to the project' },
    content: { type: 'string', description: 'Text to write' },
    mode: { type: 'string', enum: ['overwrite', 'append', 'create'], default: 'overwrite', description: 'create refuses a file that exists' },
  },
  required: ['path', 'content'],
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, bytes: { type: 'integer' }, created: { type: 'boolean' } },
  required: ['path', 'bytes', 'created'],
}

function main({ path, content, mode }, project) {
  const file = projectPath(project, path)
  const existing = statSync(file, { throwIfNoEntry: false })
  if (existing && mode === 'create') return { success: false, error: `${path} exists already` }
  mkdirSync(dirname(file), { recursive: true })
  if (mode === 'append') appendFileSync(file, content)
  else {
    // Written beside and moved into place, so that nobody ever reads half a file.
    const draft = `${file}.${process.pid}.tmp`
    writeFileSync(draft, content, existing ? { mode: existing.mode } : {})
    renameSync(draft, file)
  }
  return { success: true, data: { path: shownPath(project, file), bytes: Buffer.byteLength(content), created: !existing } }
}

export default withPlainErrors(main)
