import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { makeTool } from '../../tool/tool.ts'
import { inferInline } from './infer-inline.ts'

it('finds the line of what a definition names in the file as it is now', () => {
  verifies('U13')
  const file = join(
    tempFolder({ 'api.yaml': 'openapi: 3.1.0\nservers:\n  - url: https://a.example\n' }),
    'api.yaml',
  )
  const lineOf = (id: string, host = 'a.example') => {
    const tool = makeTool({ id, format: 'openapi', tier: 'project', source: { file, digest: '', line: 9 } })
    return inferInline({ hosts: () => [host] }, tool)[0]!.line
  }
  expect(lineOf('one')).toBe(3)
  expect(lineOf('two')).toBe(3)
  expect(lineOf('other', 'b.example')).toBe(9)
  writeFileSync(file, 'servers: [{ url: https://a.example }]\n')
  expect(lineOf('two')).toBe(1)
  rmSync(file)
  expect(lineOf('two')).toBe(9)
})
