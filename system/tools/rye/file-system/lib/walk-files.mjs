// Walks a folder of the project in a stable order, without version control, dependencies and the crib's state.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const skipped = new Set(['.git', 'node_modules', '.toolcrib', '__pycache__', '.venv'])

/** Yields `{ path, isFolder }`; links are not followed. */
export function* walkFiles(folder, prefix = '', depth = 0) {
  if (depth > 64) return
  const entries = entriesOf(folder, depth).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (skipped.has(entry.name)) continue
    const path = prefix + entry.name
    yield { path, isFolder: entry.isDirectory() }
    if (entry.isDirectory()) yield* walkFiles(join(folder, entry.name), `${path}/`, depth + 1)
  }
}

/** Undefined for a link that leads nowhere, in a circle, or where this tool may not look. */
export function statOf(path) {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** A folder below that this tool may not open holds nothing for it. */
function entriesOf(folder, depth) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (depth === 0) throw error
    return []
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
