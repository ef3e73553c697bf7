import { lstatSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { sha256 } from '../../tool/json.ts'
import { stampOf, stateBelow, stateOf } from './entry-state.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-'))
  writeFileSync(join(folder, 'file'), 'old')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('has the stamp of what was read', () => {
  expect(stateBelow(folder, 'file')?.stamp).toBe(stampOf(lstatSync(join(folder, 'file'))))
})

it('has a stamp that nothing has where somebody replaced the file before it was read', () => {
  verifies('E12')
  const seen = lstatSync(join(folder, 'file'))
  writeFileSync(join(folder, 'other'), 'new')
  renameSync(join(folder, 'other'), join(folder, 'file'))
  const state = stateOf(folder, 'file', seen)
  expect(state.sha256).toBe(sha256('new'))
  expect([stampOf(seen), stampOf(lstatSync(join(folder, 'file')))]).not.toContain(state.stamp)
})
