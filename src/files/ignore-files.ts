// `.gitignore` and `.toolcribignore`: what the rules of the folders above a path say about it.
import { type Dirent, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Ignore } from 'ignore'
import { readPlainFile } from './read-plain-file.ts'

const maxBytes = 1_048_576

export interface IgnoreRules {
  /** The folder of the file, relative to the walk, with a slash at its end. */
  readonly base: string
  readonly file: string
  readonly mtimeMs: number
  readonly matcher: Ignore
}

const ignoreFiles = ['.gitignore', '.toolcribignore']
const require = createRequire(import.meta.url)

/** The rules of the ignore files among a folder's entries. */
export function ignoreRulesOf(folder: string, base: string, entries: readonly Dirent[]): IgnoreRules[] {
  const found: IgnoreRules[] = []
  for (const entry of entries) {
    if (!ignoreFiles.includes(entry.name)) continue
    try {
      const file = join(folder, entry.name)
      const ignore = require('ignore') as { default: () => Ignore }
      const { mtimeMs } = statSync(file)
      found.push({ base, file, mtimeMs, matcher: ignore.default().add(readPlainFile(file, maxBytes)) })
    } catch {
      // An ignore file that cannot be read ignores nothing.
    }
  }
  return found
}

/** What leaves a path out, in words; undefined when nothing does. Inner files override outer ones. */
export function ignoredBy(path: string, rules: readonly IgnoreRules[]): string | undefined {
  let by: string | undefined
  for (const rule of rules) {
    const verdict = rule.matcher.test(path.slice(rule.base.length))
    if (verdict.ignored) by = `${rule.file} leaves it out`
    else if (verdict.unignored) by = undefined
  }
  return by
}
