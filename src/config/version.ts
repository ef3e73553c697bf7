// The version of this package, read from package.json so that it is stated once.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemSpace } from './spaces.ts'

let known: string | undefined

export function version(): string {
  known ??= JSON.parse(readFileSync(join(dirname(systemSpace()), 'package.json'), 'utf8')).version as string
  return known
}

/** Tells one build of a version from another: what an older one kept on disk is not believed. */
export function build(): string {
  return `${version()} ${statSync(fileURLToPath(import.meta.url)).mtimeMs}`
}
