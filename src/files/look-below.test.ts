import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { atEntryBelow, linkBelow, lstatBelow, namesBelow } from './look-below.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'look-')))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'd'))
writeFileSync(join(folder, 'd', 'line\nbreak'), 'x')
writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/`), Buffer.from([0xff])]), 'odd')
symlinkSync('d', join(folder, 'link'))

it('lists names as text that leads back to them', () => {
  expect(namesBelow(folder, '')).toEqual(['d', 'link'])
  expect(namesBelow(folder, 'd')).toEqual(['line\nbreak', '\udcff'])
  expect(lstatBelow(folder, 'd/\udcff')?.size).toBe(3)
})

it('looks at a link, and through none', () => {
  expect(lstatBelow(folder, 'link')?.isSymbolicLink()).toBe(true)
  expect(linkBelow(folder, 'link')).toBe('d')
  expect(lstatBelow(folder, 'link/line\nbreak')).toBeUndefined()
  expect(() => namesBelow(folder, 'link')).toThrow('ELOOP')
})

it('finds nothing where nothing is, and refuses to leave the folder', () => {
  expect(lstatBelow(folder, 'none/x')).toBeUndefined()
  expect(lstatBelow(folder, 'd/line\nbreak/x')).toBeUndefined()
  expect(() => lstatBelow(folder, '../x')).toThrow('EXDEV')
  expect(() => atEntryBelow(folder, '../x', String)).toThrow('EXDEV')
})
