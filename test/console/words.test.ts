// Every text that the console says through `say` has its German, with the same values in it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { words } from '../../console/src/words/de.ts'
import { verifies } from '../helpers/verifies.ts'

const folder = fileURLToPath(new URL('../../console/src', import.meta.url))

function textsSaid(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('words'))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8')
      const one = [...source.matchAll(/\bsay\(\s*'((?:[^'\\]|\\.)*)'/g)].map((match) => match[1]!)
      const many = [...source.matchAll(/\bsayMany\([^,]+,\s*'((?:[^'\\]|\\.)*)',\s*'((?:[^'\\]|\\.)*)'/g)]
      return [...one, ...many.flatMap(([, first, second]) => [first!, second!])]
    })
}

it('has German words for every text', () => {
  verifies('V24')
  const texts = textsSaid()
  expect(texts.length).toBeGreaterThan(200)
  expect(texts.filter((text) => !Object.hasOwn(words, text))).toEqual([])
})

it('keeps the values of every text', () => {
  verifies('V24')
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
  const changed = Object.entries(words).filter(
    ([text, german]) => names(text).join() !== names(german).join(),
  )
  expect(changed).toEqual([])
})
