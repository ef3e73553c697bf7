import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { programFiles } from './program-files.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'program-')))
afterAll(() => rmSync(folder, { recursive: true }))

it('shows the whole environment of an interpreter that has one', () => {
  const prefix = join(folder, 'environment')
  mkdirSync(join(prefix, 'bin'), { recursive: true })
  writeFileSync(join(prefix, 'pyvenv.cfg'), '')
  writeFileSync(join(prefix, 'bin/python3'), '')
  expect(programFiles(join(prefix, 'bin/python3'), '/crib')).toEqual([join(prefix, 'bin/python3'), prefix])
})

it.each(['/', '/usr'])('shows no more than the program where a link stands for %s', (target) => {
  const link = join(folder, `venv${target.replaceAll('/', '-')}`)
  symlinkSync(target, link)
  // A Python of the system has its library below /usr, and so seems to stand in a prefix of its own.
  expect(programFiles(join(link, 'bin/python3'), '/crib')).not.toContain(link)
})

it('shows the version manager that a shim belongs to, and no folder that is merely named so', () => {
  const shim = join(folder, '.pyenv/shims/python3')
  mkdirSync(join(folder, '.pyenv/shims'), { recursive: true })
  writeFileSync(shim, '#!/bin/sh\n')
  expect(programFiles(shim, '/crib')).toEqual([shim, join(folder, '.pyenv')])
  mkdirSync(join(folder, 'home/shims'), { recursive: true })
  writeFileSync(join(folder, 'home/shims/python3'), '#!/bin/sh\n')
  expect(programFiles(join(folder, 'home/shims/python3'), '/crib')).toEqual([
    join(folder, 'home/shims/python3'),
  ])
})
