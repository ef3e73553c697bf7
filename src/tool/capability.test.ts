import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { coversCapability, parseGrant } from './capability.ts'

it.each([
  ['fs.read', 'fs.read', true],
  ['fs.read', 'fs.write', false],
  ['fs', 'fs.read', false],
  ['fs.*', 'fs.read', true],
  ['fs.*', 'fs', true],
  ['*', 'net.http', true],
  ['net.?ttp', 'net.http', true],
  ['rye.execute', 'rye.execute.tool.a', true],
  ['rye.execute.*', 'rye.execute', true],
  ['net.http', 'net.*', false],
  ['fs.re*', 'fs.read.more', true],
])('grant %s against need %s: %s', (grant, need, expected) => {
  verifies('R67')
  expect(coversCapability(grant, need)).toBe(expected)
})

it('parts a grant from its scope at the first colon', () => {
  expect(parseGrant('net.http:127.0.0.1:8080')).toEqual({ capability: 'net.http', scope: '127.0.0.1:8080' })
  expect(parseGrant('fs.read')).toEqual({ capability: 'fs.read' })
})
