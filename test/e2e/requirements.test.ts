import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { finished, requirements } from '../helpers/requirements.ts'

function citedIds(): Set<string> {
  const cited = new Set<string>()
  for (const file of testFiles()) {
    const text = readFileSync(file, 'utf8')
    for (const call of text.matchAll(/verifies\(([^)]*)\)/g)) {
      for (const id of call[1]!.matchAll(/'([^']+)'/g)) cited.add(id[1]!)
    }
  }
  return cited
}

function testFiles(): string[] {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  return ['src', 'test'].flatMap((dir) =>
    readdirSync(`${root}${dir}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${root}${dir}/${file}`),
  )
}

it('every rule of a finished format is cited by a test', () => {
  const cited = citedIds()
  const uncited = finished.flatMap((format) => requirements[format].filter((id) => !cited.has(id)))
  expect(uncited).toEqual([])
})

it('every citation names a known rule', () => {
  const known = new Set<string>(Object.values(requirements).flat())
  expect([...citedIds()].filter((id) => !known.has(id))).toEqual([])
})
