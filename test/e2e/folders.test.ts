// The folders of src/ and which may import from which: a folder imports only from folders above it.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))
const folders = [
  'tool',
  'files',
  'config',
  'formats',
  'trust',
  'catalog',
  'sandbox',
  'workers',
  'runtimes',
  'kernel',
  'guards',
  'store',
  'secrets',
  'runs',
  'events',
  'fleet',
  'automation',
  'crib',
  'surfaces',
]
/** Entry points of the package: they may import anything. */
const entries = ['index.ts', 'cli.ts', 'skill.ts', 'exports.ts']

function files(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
}

function folderOf(file: string): string {
  return file.split('/')[0]!
}

function importsOf(file: string): string[] {
  const text = readFileSync(resolve(src, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(src, resolve(src, dirname(file), match[1]!)),
  )
}

it('every source file stands in a known folder', () => {
  expect(files().filter((file) => !folders.includes(folderOf(file)) && !entries.includes(file))).toEqual([])
})

it('a folder imports only from folders above it', () => {
  const wrong = files()
    .filter((file) => !entries.includes(file))
    .flatMap((file) =>
      importsOf(file)
        .filter(
          (target) =>
            folders.indexOf(folderOf(target)) > folders.indexOf(folderOf(file)) || entries.includes(target),
        )
        .map((target) => `${file} imports ${target}`),
    )
  expect(wrong).toEqual([])
})

it('a format does not import another format', () => {
  const wrong = files()
    .filter((file) => /^formats\/[^/]+\//.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => /^formats\/[^/]+\//.test(target) && target.split('/')[1] !== file.split('/')[1])
        .map((target) => `${file} imports ${target}`),
    )
  expect(wrong).toEqual([])
})

it('modules have named exports only', () => {
  const wrong = files().filter((file) =>
    /^export (default|\*)/m.test(readFileSync(resolve(src, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})
