import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { makeFolder } from './make-folder.ts'

it('makes .toolcrib/ private and out of the repository, once', () => {
  verifies('G4')
  const root = tempFolder()
  makeFolder(join(root, '.toolcrib/cache/mcp'))
  expect(statSync(join(root, '.toolcrib')).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(root, '.toolcrib/.gitignore'), 'utf8')).toBe('*\n')
  rmSync(join(root, '.toolcrib/.gitignore'))
  makeFolder(join(root, '.toolcrib/cache/other'))
  expect(() => statSync(join(root, '.toolcrib/.gitignore'))).toThrow()
})
