// The page about the architecture says where each question is answered: what it names must be there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/architecture.md`, 'utf8')
const section = (title: string) => page.split(`## ${title}\n`)[1]!.split('\n## ')[0]!
const firstCells = (text: string) =>
  [...text.matchAll(/^\| ([^|]+?) \|/gm)].map((row) => row[1]!).filter((cell) => !/^-+$/.test(cell))

it('names files and folders that are there', () => {
  const named = [...page.matchAll(/`((?:src|test|system)\/[\w./-]+)`/g)].map((match) => match[1]!)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((path) => !existsSync(root + path))).toEqual([])
})

it('has a row for every folder of src', () => {
  const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const rows = firstCells(section('The folders'))
  expect(folders.map(({ name }) => `\`src/${name}\``).filter((name) => !rows.includes(name))).toEqual([])
})

it('has a glossary of at most 60 words, each once and in order', () => {
  const words = firstCells(section('Glossary')).slice(1)
  expect(words.length).toBeLessThanOrEqual(60)
  expect(words).toEqual([...new Set(words)].sort())
})
