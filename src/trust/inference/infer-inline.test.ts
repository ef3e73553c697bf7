import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { makeTool } from '../../tool/tool.ts'
import { inferInline } from './infer-inline.ts'

it('reads a definition once for all tools that stand in it, and again when it may have changed', async () => {
  verifies('U13')
  const file = join(
    tempFolder({ 'api.yaml': 'openapi: 3.1.0\nservers:\n  - url: https://a.example\n' }),
    'api.yaml',
  )
  const toolNamed = (id: string) =>
    makeTool({ id, format: 'openapi', tier: 'project', source: { file, digest: '', line: 9 } })
  const lineOf = (id: string) => inferInline({ hosts: () => ['a.example'] }, toolNamed(id))[0]!.line
  expect(lineOf('one')).toBe(3)
  // Were it read again for the next tool, its place would be that of the tool.
  rmSync(file)
  expect(lineOf('two')).toBe(3)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lineOf('three')).toBe(9)
  writeFileSync(file, 'servers: [{ url: https://a.example }]\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(lineOf('four')).toBe(1)
})
