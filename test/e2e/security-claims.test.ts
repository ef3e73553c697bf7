// docs/security.md and the tests say the same: every claim is proved by a test, every proof belongs to a claim.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = join(root, 'docs', 'security.md')
const claims = [...readFileSync(page, 'utf8').matchAll(/\[sec:([a-z][a-z0-9-]*)\]\(([^)]+)\)/g)].map(
  ([, id, link]) => ({ id: id!, file: join(dirname(page), link!) }),
)

/** Ids cited in the text of a test. */
function cited(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/proves\(([^)]*)\)/g)].flatMap((call) =>
    [...call[1]!.matchAll(/'([^']+)'/g)].map((id) => id[1]!),
  )
}

const proofs = new Set(
  ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .flatMap((file) => cited(join(root, folder, file))),
  ),
)

it('every claim has a test, and its link leads to it', () => {
  expect(claims.length).toBeGreaterThan(30)
  for (const { id, file } of claims) {
    expect(existsSync(file), `${id} links to ${file}`).toBe(true)
    expect(cited(file), `${file} does not prove ${id}`).toContain(id)
  }
})

it('every proof belongs to a claim', () => {
  const known = new Set(claims.map(({ id }) => id))
  expect([...proofs].filter((id) => !known.has(id))).toEqual([])
})

it('no claim is made twice', () => {
  const ids = claims.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})
