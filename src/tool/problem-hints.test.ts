// Every problem says what to do: the type of a Problem demands a hint, and every code of the formats has one of its own.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasOwnHint, hintFor } from './problem-hints.ts'

const formats = fileURLToPath(new URL('../formats', import.meta.url))

/** Codes that a format reports without a word about what to do, as its sources name them. */
function codesIn(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(join(formats, folder), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const texts = sources.map((file) => readFileSync(join(formats, folder, file), 'utf8'))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1]!)))]
}

it.each([
  ['rye', /^ {2}'?([a-z-]+)'?: \['(?:error|warning|info)'/gm, 40],
  ['tool-code', /^ {2}'(tc-[a-z0-9-]+)': /gm, 25],
  ['tools-json', /\.(?:error|warning)\(\s*'([a-z-]+)',\s*[^,]+,\s*[^,]+\)/g, 1],
])('every code of %s has a hint', (folder, pattern, least) => {
  const codes = codesIn(folder, pattern)
  expect(codes.length).toBeGreaterThanOrEqual(least)
  expect(codes.filter((code) => !hasOwnHint(code))).toEqual([])
  for (const code of codes) expect(hintFor(code)).toMatch(/^[A-Z].*[.}`]$/)
})

it.each(['schema-invalid', 'pattern-invalid', 'enum-empty', 'param-type-invalid'])(
  '%s, which every format reports, has a hint',
  (code) => expect(hasOwnHint(code)).toBe(true),
)
