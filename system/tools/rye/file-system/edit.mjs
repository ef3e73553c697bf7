// Replaces a piece of text in a file; refuses when it is not there or, unless told so, when it is not unique.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { withPlainErrors } from './lib/plain-errors.mjs'
import { projectPath, shownPath } from './lib/project-path.mjs'

export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'rye/file-system'
export const __tool_description__ = 'Replace an exact piece of text in a file of the project'
export const __requires__ = ['fs.read', 'fs.write']
export const __tags__ = ['files']

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'File, relative to the project' },
    old_text: { type: 'string', minLength: 1, description: 'Text to replace, exactly as it stands, with enough around it to be unique' },
    new_text: { type: 'string', description: 'Text to put in its place' },
    all: { type: 'boolean', default: false, description: 'Replace every occurrence' },
  },
  required: ['path', 'old_text', 'new_text'],
  additionalProperties: false,
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' }, replaced: { type: 'integer' }, line: { type: 'integer' } },
  required: ['path', 'replaced', 'line'],
}

function main({ path, old_text, new_text, all }, project) {
  const file = projectPath(project, path)
  const text = readFileSync(file, 'utf8')
  const parts = text.split(old_text)
  const found = parts.length - 1
  if (found === 0) return { success: false, error: `the text to replace does not stand in ${path}` }
  if (found > 1 && !all) return { success: false, error: `the text to replace stands ${found} times in ${path}; give more of it, or set all` }
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, parts.join(new_text), { mode: statSync(file).mode })
  renameSync(draft, file)
  return { success: true, data: { path: shownPath(project, file), replaced: found, line: parts[0].split('\n').length } }
}

export default withPlainErrors(main)
