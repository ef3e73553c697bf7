// A path that an argument of a call names, as something the tool reaches for.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { pathWithin } from '../../files/is-inside.ts'
import type { Access } from './access.ts'

export interface NamedPath {
  /** Real and absolute. */
  readonly path: string
  readonly use: 'read' | 'write'
  readonly isDenied: boolean
}

export function pathAccess({ path, use, isDenied }: NamedPath, project: string): Access {
  const within = pathWithin(path, project)
  const what = within === '' ? '.' : (within ?? path)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (use === 'read') return { kind: stat?.isDirectory() ? 'list' : 'read', what, isDenied }
  if (stat?.isDirectory()) return { kind: 'make', what: join(what, '*'), isDenied }
  return { kind: stat ? 'write' : 'make', what, isDenied }
}
