import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { findOnPath, missingPrograms, realProgram } from './find-on-path.ts'

describe('findOnPath', () => {
  let dir: string
  beforeAll(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-path-')))
    for (const folder of ['one', 'two', 'two/tool']) mkdirSync(join(dir, folder), { recursive: true })
    writeFileSync(join(dir, 'one', 'data'), '', { mode: 0o644 })
    mkdirSync(join(dir, 'one', 'folder'))
    for (const folder of ['two', 'one']) {
      writeFileSync(join(dir, folder, 'prog'), '#!/bin/sh\n')
      chmodSync(join(dir, folder, 'prog'), 0o755)
    }
    symlinkSync(join(dir, 'one', 'prog'), join(dir, 'two', 'linked'))
  })

  it('takes the first executable regular file of PATH, links followed', () => {
    verifies('T43')
    expect(findOnPath('prog', `${dir}/one:${dir}/two`)).toBe(`${dir}/one/prog`)
    expect(findOnPath('prog', `${dir}/two:${dir}/one`)).toBe(`${dir}/two/prog`)
    expect(findOnPath('linked', `${dir}/two`)).toBe(`${dir}/two/linked`)
    expect(realProgram('linked', `${dir}/two`)).toBe(`${dir}/one/prog`)
  })

  it.each(['data', 'folder', 'tool', 'nothing', '', '.', '..', 'a/b', './prog', 'pr\0og'])(
    'does not take %j',
    (name) => {
      verifies('T43')
      expect(findOnPath(name, `${dir}/one:${dir}/two`)).toBeUndefined()
    },
  )

  it('skips empty and relative folders of PATH', () => {
    verifies('T43')
    const before = process.cwd()
    process.chdir(join(dir, 'one'))
    try {
      expect(findOnPath('prog', ':.:../one')).toBeUndefined()
    } finally {
      process.chdir(before)
    }
  })

  it('takes an absolute path as it is, when it is a program', () => {
    verifies('T43')
    expect(findOnPath(`${dir}/one/prog`, '')).toBe(`${dir}/one/prog`)
    expect(findOnPath(`${dir}/one/data`, '')).toBeUndefined()
  })
})

describe('missingPrograms', () => {
  it('wants one list complete and names what the nearest one lacks', () => {
    verifies('T8')
    expect(missingPrograms([['sh', 'no-such-a']], '/bin:/usr/bin')).toEqual(['no-such-a'])
    expect(missingPrograms([['no-such-a'], ['sh']], '/bin:/usr/bin')).toEqual([])
    expect(
      missingPrograms(
        [
          ['no-such-a', 'no-such-b'],
          ['sh', 'no-such-c'],
        ],
        '/bin:/usr/bin',
      ),
    ).toEqual(['no-such-c'])
    expect(missingPrograms([], '/bin')).toEqual([])
  })
})
