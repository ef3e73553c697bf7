// From the scope of a file grant (`docs/**`) to the one path it opens. A bind mount opens a file or a folder
// with all below it, so a scope that says anything finer is refused instead of being rounded up.
import { isAbsolute, join } from 'node:path'
import { ToolError } from '../tool/tool-error.ts'

/** Why a scope cannot be used, in words; undefined when it can. */
export function scopeFault(scope: string): string | undefined {
  if (scope === '') return 'is empty'
  if (scope.includes('\0')) return 'contains a zero byte'
  if (isAbsolute(scope) || /^[A-Za-z]:[\\/]/.test(scope)) return 'is an absolute path'
  if (scope.startsWith('~')) return 'starts with ~'
  const parts = scope.split('/')
  if (parts.includes('..')) return 'leaves the project with ..'
  const literal = parts.at(-1) === '**' ? parts.slice(0, -1) : parts
  if (literal.some((part) => /[*?[\]{}]/.test(part))) return 'has a wildcard other than a final /**'
  return undefined
}

/**
 * The absolute path that a scope opens.
 * @example
 * scopePath('fs.read', 'docs/**', '/crib') // '/crib/docs'
 */
export function scopePath(capability: string, scope: string, project: string): string {
  const fault = scopeFault(scope)
  if (fault !== undefined) {
    throw new ToolError('CONFIG_INVALID', `The scope of the grant ${capability}:${scope} ${fault}.`, {
      hint: `Name a file or a folder inside the project, such as ${capability}:docs/** or ${capability}:notes.md.`,
    })
  }
  const path = join(project, scope.endsWith('**') ? scope.slice(0, -2) : scope)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
