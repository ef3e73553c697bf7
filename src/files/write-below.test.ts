// What a folder was shipped with, or a tool left in it, leads no write out of it.
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { writeBelow } from './write-below.ts'

it('writes a file and the folders on its way', () => {
  const root = tempFolder()
  expect(writeBelow(root, 'a/b/c.txt', 'text', { mode: 0o755 })).toBe(join(root, 'a/b/c.txt'))
  expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('text')
  expect(statSync(join(root, 'a/b/c.txt')).mode & 0o777).toBe(0o755)
})

it('keeps the mode of a file that was there', () => {
  const root = tempFolder()
  writeBelow(root, 'x', '1', { mode: 0o600 })
  writeBelow(root, 'x', '2', { mode: 0o644 })
  expect(readFileSync(join(root, 'x'), 'utf8')).toBe('2')
  expect(statSync(join(root, 'x')).mode & 0o777).toBe(0o600)
})

it('follows a link to a folder of the same project', () => {
  const root = tempFolder({ 'real/keep': '' })
  symlinkSync('real', join(root, 'link'))
  writeBelow(root, 'link/new/x', 'text')
  expect(readFileSync(join(root, 'real/new/x'), 'utf8')).toBe('text')
})

it.each([
  ['to a folder outside', (outside: string) => outside],
  ['to a folder outside that is not there yet', (outside: string) => join(outside, 'missing')],
  ['in a circle', () => 'link'],
])('refuses a way through a link %s', (_, target) => {
  verifies('G9')
  const outside = tempFolder()
  const root = tempFolder()
  symlinkSync(target(outside), join(root, 'link'))
  const write = () => writeBelow(root, 'link/x', 'text', { isNew: true })
  expect(write).toThrow(expect.objectContaining({ code: 'PATH_OUTSIDE' }))
  expect(existsSync(join(outside, 'x'))).toBe(false)
  expect(existsSync(join(outside, 'missing'))).toBe(false)
})

it('refuses a name that leads upwards', () => {
  const root = tempFolder()
  expect(() => writeBelow(join(root, 'in'), '../x', 'text')).toThrow(/written outside/)
})

it.each([true, false])('writes nothing through a link at the name itself, there (%s) or not', (isThere) => {
  verifies('G9')
  const outside = tempFolder(isThere ? { x: 'mine' } : {})
  const root = tempFolder()
  symlinkSync(join(outside, 'x'), join(root, 'x'))
  expect(() => writeBelow(root, 'x', 'text', { isNew: true })).toThrow(/EEXIST/)
  writeBelow(root, 'x', 'text')
  expect(lstatSync(join(root, 'x')).isFile()).toBe(true)
  expect(existsSync(join(outside, 'x'))).toBe(isThere)
  if (isThere) expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('mine')
})
