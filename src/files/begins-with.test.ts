import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { beginsWith } from './begins-with.ts'

it('looks at the first bytes, and says no of what is shorter or not there', () => {
  const folder = tempFolder({ script: '#!/bin/sh\n', short: '#' })
  expect(beginsWith(join(folder, 'script'), '#!')).toBe(true)
  expect(beginsWith(join(folder, 'script'), '\x7fELF')).toBe(false)
  expect(beginsWith(join(folder, 'short'), '#!')).toBe(false)
  expect(beginsWith(join(folder, 'none'), '#!')).toBe(false)
  expect(beginsWith(process.execPath, '\x7fELF')).toBe(process.platform === 'linux')
})
