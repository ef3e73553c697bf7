// A small spell check without a dictionary: a word of the documentation that stands nowhere else in the repository
// is either in words.txt or a slip of the pen.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { proseOf } from './code-blocks.ts'
import { pages, readPage, repository } from './pages.ts'

const words = (text: string) => text.toLowerCase().match(/[a-z]{4,}/g) ?? []

it('every word of the documentation is used elsewhere or listed', () => {
  const known = new Set(words(readFileSync(new URL('words.txt', import.meta.url), 'utf8')))
  for (const file of sources()) for (const word of words(readFileSync(file, 'utf8'))) known.add(word)
  const isKnown = (word: string) =>
    known.has(word) ||
    ['s', 'es', 'd', 'ed', 'ing', 'ly', 'er'].some(
      (end) =>
        word.endsWith(end) &&
        (known.has(word.slice(0, -end.length)) || known.has(`${word.slice(0, -end.length)}e`)),
    )
  const unknown = new Set<string>()
  for (const page of pages)
    for (const word of words(proseOf(readPage(page)).replace(/`[^`]*`|\]\([^)]*\)|https?:\S+/g, ' ')))
      if (!isKnown(word)) unknown.add(`${page}: ${word}`)
  expect([...unknown]).toEqual([])
})

/** The code of the repository: what git knows, or, in a copy without git, what lies under src. */
function sources(): string[] {
  const listed = existsSync(join(repository, '.git'))
    ? execFileSync('git', ['ls-files', 'src', 'test', 'system', 'console', 'bench'], {
        cwd: repository,
        encoding: 'utf8',
      }).split('\n')
    : readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' }).map((file) => `src/${file}`)
  return listed
    .filter((file) => /\.(ts|tsx|mjs|py|yaml)$/.test(file) && existsSync(join(repository, file)))
    .map((file) => join(repository, file))
}
