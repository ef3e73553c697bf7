// Walks a folder of the project in a stable order, without version control, dependencies and the crib's state.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const skipped = new Set(['.git', 'node_modules', '.toolcrib', '__pycache__', '.venv'])

/** Yields `{ path, isFolder }`; links are not followed. */
export function* walkFiles(folder, prefix = '', depth = 0) {
  if (depth > 64) return
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (skipped.has(entry.name)) continue
    const path = prefix + entry.name
    yield { path, isFolder: entry.isDirectory() }
    if (entry.isDirectory()) yield* walkFiles(join(folder, entry.name), `${path}/`, depth + 1)
  }
}

/** A glob as a regular expression: `*` and `?` stop at `/`, `**` does not, `{a,b}` is either. */
export function globToRegExp(glob) {
  let source = ''
  let depth = 0
  for (let i = 0; i < glob.length; i++) {
    const char = glob[i]
    if (char === '*' && glob[i + 1] === '*') {
      source += glob[i + 2] === '/' ? '(?:[^/]+/)*' : '.*'
      i += glob[i + 2] === '/' ? 2 : 1
    } else if (char === '*') source += '[^/]*'
    else if (char === '?') source += '[^/]'
    else if (char === '{') {
      source += '(?:'
      depth++
    } else if (char === '}' && depth > 0) {
      source += ')'
      depth--
    } else if (char === ',' && depth > 0) source += '|'
    else source += char.replace(/[.+^$()|[\]\\{}]/, '\\$&')
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`)
}
