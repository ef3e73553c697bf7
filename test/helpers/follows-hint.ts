// A test outside of the tables of test/e2e/hints that follows a hint says so with `followsHint`; the test that looks for
// hints nobody follows reads these marks from the sources.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { saysHint } from './source-hints.ts'

/** Expects that a hint, or what was printed with it, is this one of the source; the test then does what it says. */
export function followsHint(text: string, said: string | undefined): void {
  expect(saysHint({ file: '', text }, said ?? ''), `"${said}" is not: ${text}`).toBe(true)
}

/** Every hint that some test is marked to follow. */
export function markedHints(): string[] {
  return ['../../src', '../../test'].flatMap((folder) => {
    const path = fileURLToPath(new URL(folder, import.meta.url))
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) => [
        ...readFileSync(join(path, file), 'utf8').matchAll(
          /\bfollowsHint\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g,
        ),
      ])
      .map(([, single, double]) => (single ?? double)!.replace(/\\(.)/g, '$1'))
  })
}
