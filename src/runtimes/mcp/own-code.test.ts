import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { ownCode } from './own-code.ts'

it('shows of a package that holds the crib what is installed, never the package itself', () => {
  const clone = realpathSync(tempFolder())
  const crib = join(clone, 'examples')
  const script = join(crib, 'servers', 'units.mjs')
  mkdirSync(join(clone, 'node_modules'))
  mkdirSync(join(crib, 'servers'), { recursive: true })
  writeFileSync(join(clone, 'package.json'), '{}')
  writeFileSync(script, '')
  expect(ownCode(['servers/units.mjs'], crib, crib).sort()).toEqual(
    [script, join(clone, 'node_modules'), join(clone, 'package.json')].sort(),
  )
})

it('shows the package of a server that lies elsewhere', () => {
  const folder = realpathSync(tempFolder())
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'main.mjs'), '')
  expect(ownCode([join(folder, 'main.mjs')], '/', realpathSync(tempFolder()))).toContain(folder)
})
