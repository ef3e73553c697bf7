import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { makeStateFolder, standingOfState } from './state-folder.ts'

it('is private, ignored by git and the own one', () => {
  verifies('G4')
  const state = join(tempFolder(), '.toolcrib')
  makeStateFolder(state)
  expect(lstatSync(state).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n')
  writeFileSync(join(state, 'token'), 'x')
  expect(standingOfState(state)).toBe('own')
})

it('is the same folder afterwards where an empty one was, which a view of a running tool may hide', () => {
  verifies('G4', 'G10')
  const root = tempFolder({ '.toolcrib/.gitignore': '!*\n' })
  const state = join(root, '.toolcrib')
  const { ino } = lstatSync(state)
  expect(standingOfState(state)).toBe('own')
  makeStateFolder(state)
  makeStateFolder(state)
  expect(lstatSync(state).ino).toBe(ino)
  expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n')
  writeFileSync(join(state, 'token'), 'x')
  expect(standingOfState(state)).toBe('own')
})

it('writes through no link, and takes no folder with one for its own', () => {
  verifies('G2')
  const root = tempFolder({ victim: 'mine', '.toolcrib/made-here': 'x' })
  const state = join(root, '.toolcrib')
  symlinkSync(join(root, 'victim'), join(state, '.gitignore'))
  expect(standingOfState(state)).toBe('foreign')
  makeStateFolder(state)
  expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('mine')
})

it('is not told by the number of its inode alone, which an archive could guess', () => {
  verifies('G2')
  const state = join(tempFolder(), '.toolcrib')
  makeStateFolder(state)
  writeFileSync(join(state, 'token'), 'x')
  const { ino, birthtimeMs, ctimeMs } = lstatSync(state)
  const hasBirth = birthtimeMs > 0 && birthtimeMs !== ctimeMs
  writeFileSync(join(state, 'made-here'), `${ino}:`)
  expect(standingOfState(state)).toBe(hasBirth ? 'foreign' : 'own')
})
