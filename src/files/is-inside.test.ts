import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInside, pathWithin, shortPath } from './is-inside.ts'

const part = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '..data', '...', '.a', 'a..', 'ä', 'a b'),
  fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !/[/\0]/.test(text) && !/^\.{1,2}$/.test(text)),
)
const parts = fc.array(part, { maxLength: 4 })
/** The same path in another spelling. */
const spelling = fc.constantFrom<(path: string) => string>(
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}//.`,
  (path) => path.replaceAll('/', '//').replace(/^\/+/, '/'),
  (path) => `${path}/x/..`,
  (path) => `/up/..${path}`,
)

describe('isInside', () => {
  it.each([
    ['/crib', '/crib', true],
    ['/crib/', '/crib', true],
    ['/crib', '/crib/', true],
    ['/crib/a', '/crib', true],
    ['/crib/a', '/crib/', true],
    ['/crib/..data', '/crib', true],
    ['/crib/..data/x', '/crib/', true],
    ['/crib/...', '/crib', true],
    ['/crib/..', '/crib', false],
    ['/crib/../x', '/crib', false],
    ['/crib/a/../../crib/x', '/crib', true],
    ['/cribs', '/crib', false],
    ['/crib', '/crib/a', false],
    ['/', '/', true],
    ['/a', '/', true],
    ['/', '/a', false],
    ['a/b', 'a', true],
    ['..', '.', false],
    ['..data', '.', true],
    ['', '.', true],
  ])('%j in %j: %j', (path, folder, answer) => {
    expect(isInside(path, folder)).toBe(answer)
  })

  it('agrees with comparing part by part, however the two are spelled', () => {
    fc.assert(
      fc.property(parts, parts, fc.boolean(), spelling, spelling, (outer, more, isBelow, spellA, spellB) => {
        const inner = isBelow ? [...outer, ...more] : more
        const path = spellA(`/${inner.join('/')}`)
        const folder = spellB(`/${outer.join('/')}`)
        expect(isInside(path, folder)).toBe(outer.every((name, index) => inner[index] === name))
      }),
    )
  })

  it('pathWithin leads back to the path', () => {
    fc.assert(
      fc.property(parts, parts, spelling, (outer, inner, spell) => {
        const folder = spell(`/${outer.join('/')}`)
        const path = join(folder, ...inner)
        const way = pathWithin(path, folder)
        expect(way).toBeDefined()
        expect(resolve(folder, way!)).toBe(resolve(path))
      }),
    )
  })
})

it('shows a path from the folder it lies in, and any other whole', () => {
  expect(shortPath('/crib/a/b', '/crib')).toBe('a/b')
  expect(shortPath('/crib/..data', '/crib')).toBe('..data')
  expect(shortPath('/crib', '/crib')).toBe('/crib')
  expect(shortPath('/else', '/crib')).toBe('/else')
})
