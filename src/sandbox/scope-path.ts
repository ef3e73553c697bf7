// From the scope of a file grant (`docs/**`, `~/Documents/**`) to the one path it opens. A bind mount opens a file or a
// folder with all below it, so a scope that says anything finer is refused instead of being rounded up. One outside of
// the crib never opens keys, a home folder or what belongs to the system (U3d).
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { ToolError } from '../tool/tool-error.ts'
import { isSensitivePath } from './access/sensitive.ts'

/** Why a scope cannot be used, in words; undefined when it can. */
export function scopeFault(scope: string): string | undefined {
  if (scope === '') return 'is empty'
  if (scope.includes('\0')) return 'contains a zero byte'
  if (/^[A-Za-z]:[\\/]/.test(scope)) return 'is no path of this system'
  const parts = scope.split('/')
  if (/^~./.test(parts[0]!)) return 'starts with the home folder of somebody else'
  if (parts.includes('..')) return 'leaves its folder with ..'
  const literal = parts.at(-1) === '**' ? parts.slice(0, -1) : parts
  if (literal.some((part) => /[*?[\]{}]/.test(part))) return 'has a wildcard other than a final /**'
  const outside = absoluteOf(scope)
  return outside === undefined ? undefined : whyClosed(outside)
}

const ofTheSystem = ['/etc', '/proc', '/sys', '/dev', '/run', '/var/run', '/boot']

function whyClosed(path: string): string | undefined {
  if (path === '/') return 'is the whole machine'
  if (isInside(homedir(), path)) return 'holds your home folder'
  if (ofTheSystem.some((folder) => isInside(path, folder))) return 'belongs to the system'
  return isSensitivePath(path) ? 'leads to keys or passwords' : undefined
}

/** The path of a scope that says it whole, or from the home folder. */
function absoluteOf(scope: string): string | undefined {
  const literal = scope.replace(/\*\*$/, '')
  if (isAbsolute(literal)) return resolve(literal)
  return /^~(\/|$)/.test(literal) ? join(homedir(), literal.slice(1), '.') : undefined
}

/**
 * The absolute path that a scope opens.
 * @example
 * scopePath('fs.read', 'docs/**', '/crib') // '/crib/docs'
 */
export function scopePath(capability: string, scope: string, project: string): string {
  const outside = absoluteOf(scope)
  const isAround = outside !== undefined && outside !== project && isInside(project, outside)
  const fault = scopeFault(scope) ?? (isAround ? 'holds the whole crib' : undefined)
  if (fault !== undefined) {
    throw new ToolError('CONFIG_INVALID', `The scope of the grant ${capability}:${scope} ${fault}.`, {
      hint: scopeHint(capability),
    })
  }
  const path = outside ?? join(project, scope.replace(/\*\*$/, ''))
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

export function scopeHint(capability: string): string {
  return `Name a file or a folder, such as ${capability}:docs/** of the crib or ${capability}:~/Documents/**.`
}
