// What is at a path, for this user: a path through something that is no folder, or that may not be entered, or a
// link that leads to itself, leads to nothing, like one where nothing lies.
import { type Stats, statSync } from 'node:fs'

export function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (['EACCES', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
