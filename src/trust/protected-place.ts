// One entry of the protected set.
import { resolve } from 'node:path'

/** A file or folder, with everything below it, that is not for tools to change. */
export interface ProtectedPlace {
  readonly path: string
  /** Why, as the end of a sentence: "it says what tools may do". */
  readonly reason: string
  /** True: no grant opens it. */
  readonly isFixed: boolean
}

export function place(path: string, reason: string, isFixed = false): ProtectedPlace {
  return { path: resolve(path), reason, isFixed }
}
