import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInside } from './is-inside.ts'
import { isFileInside, isReallyInside, nearestRealPath, realPathOf } from './real-path.ts'

let base: string
let crib: string
let outside: string

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-real-path-')))
  crib = join(base, 'crib')
  outside = join(base, 'outside')
  for (const folder of ['crib/a/b', 'crib/..data', 'outside'])
    mkdirSync(join(base, folder), { recursive: true })
  for (const file of ['crib/a/file', 'crib/..data/key', 'outside/secret'])
    writeFileSync(join(base, file), 'x')
  symlinkSync('a', join(crib, 'in'))
  symlinkSync('../outside', join(crib, 'out'))
  symlinkSync(outside, join(crib, 'a', 'out'))
  symlinkSync('circle', join(crib, 'circle'))
  symlinkSync('nowhere', join(crib, 'broken'))
  symlinkSync(crib, join(base, 'alias'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('realPathOf', () => {
  it.each([
    ['a/file', 'a/file'],
    ['in/file', 'a/file'],
    ['in/b/../file', 'a/file'],
    ['in/new/deeper', 'a/new/deeper'],
    ['..data/key', '..data/key'],
    ['out/secret', '../outside/secret'],
    ['in/out/new', '../outside/new'],
  ])('follows %j to %j', (given, real) => {
    expect(realPathOf(join(crib, given))).toBe(join(crib, real))
  })

  it.each(['circle', 'circle/x', 'broken', 'broken/x', 'a/file/x', `a/${'n'.repeat(300)}`])(
    'has no answer for %j',
    (given) => expect(realPathOf(join(crib, given))).toBeUndefined(),
  )

  it('gives paths without links, and each leads to itself', () => {
    const name = fc.constantFrom(
      'a',
      'b',
      'in',
      'out',
      'circle',
      'broken',
      'file',
      'new',
      '..data',
      '..',
      '.',
    )
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const real = realPathOf([crib, ...names].join('/'))
        if (real === undefined) return
        expect(realPathOf(real)).toBe(real)
        if (!names.includes('..')) expect(isInside(real, base)).toBe(true)
        expect(nearestRealPath([crib, ...names].join('/'))).toBe(real)
      }),
    )
  })
})

it('a link that cannot be followed stands for itself, from its real folder', () => {
  expect(nearestRealPath(join(base, 'alias', 'broken'))).toBe(join(crib, 'broken'))
  expect(nearestRealPath(join(base, 'alias', 'in', 'circle', 'x'))).toBe(join(crib, 'a', 'circle', 'x'))
})

describe('isReallyInside', () => {
  it.each([
    ['crib/in/file', 'crib', true],
    ['crib/in/file', 'alias', true],
    ['alias/a/file', 'crib/in', true],
    ['crib/..data/key', 'crib', true],
    ['crib', 'alias', true],
    ['crib/out/secret', 'crib', false],
    ['crib/out', 'crib', false],
    ['crib/new', 'crib', false],
    ['crib/broken', 'crib', false],
    ['crib/circle', 'crib', false],
    ['crib/a', 'missing', false],
  ])('%j in %j: %j', (path, folder, answer) => {
    expect(isReallyInside(join(base, path), join(base, folder))).toBe(answer)
  })

  it('a folder is no file inside', () => {
    expect(isFileInside(join(crib, 'in', 'file'), crib)).toBe(true)
    expect(isFileInside(join(crib, 'a'), dirname(crib))).toBe(false)
    expect(isFileInside(join(crib, 'out', 'secret'), crib)).toBe(false)
  })
})
