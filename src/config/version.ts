// The version of this package, read from package.json so that it is stated once.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemSpace } from './spaces.ts'

let known: string | undefined

export function version(): string {
  known ??= JSON.parse(readFileSync(join(dirname(systemSpace()), 'package.json'), 'utf8')).version as string
  return known
}
