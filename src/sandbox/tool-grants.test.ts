import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { defaultConfig } from '../config/config.ts'
import { makeTool } from '../tool/tool.ts'
import { grantsFor } from './tool-grants.ts'

const tool = makeTool({
  id: 'text/count',
  format: 'rye',
  tier: 'project',
  source: { file: null, digest: '0' },
  requires: null,
})
const granted = (tools: { readonly [pattern: string]: readonly string[] }) =>
  grantsFor(tool, { ...defaultConfig, grants: { ...defaultConfig.grants, tools } })

it.each([
  [
    'nothing else counts beside a list with `only`',
    { '*': ['net.http'], 'text/*': ['only', 'fs.read'] },
    ['fs.read'],
  ],
  ['one under its own id counts alone', { 'text/*': ['only', 'net.http'], 'text/count': ['only'] }, []],
  ['one of other tools changes nothing', { 'web/*': ['only'] }, ['fs.read', 'fs.write']],
])('%s', (_, tools, expected) => {
  verifies('L6', 'G26')
  expect(granted(tools as Parameters<typeof granted>[0])).toEqual(expected)
})
