import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { writeAtomic } from './write-atomic.ts'

it.each([{}, { isDurable: false }])('replaces a file with what is given, and its mode, with %o', (how) => {
  const folder = tempFolder({ 'a.json': 'the former one, which is longer' })
  writeAtomic(join(folder, 'a.json'), 'new', 0o600, how)
  expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('new')
  expect(statSync(join(folder, 'a.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['a.json'])
})

it('leaves no draft where the file cannot be replaced', () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'taken'))
  expect(() => writeAtomic(join(folder, 'taken'), 'new', 0o600)).toThrow(/EISDIR/)
  expect(readdirSync(folder)).toEqual(['taken'])
  expect(existsSync(join(folder, 'taken'))).toBe(true)
})
