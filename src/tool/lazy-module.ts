// Parsers are loaded when the first file needs them: a crib whose files are all known from the last time loads none.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A package that is loaded on the first use; `T` is `typeof import('name')`. */
export function lazyModule<T>(name: string): () => T {
  let loaded: T | undefined
  return () => {
    loaded ??= require(name) as T
    return loaded
  }
}
