import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { asksOf, withoutAsks } from './folder-asks.ts'

it.each([
  ['trust', { trust: 'off' }],
  ['sandbox', { sandbox: 'off' }],
  ['sandbox.mode', { sandbox: { mode: 'off', require: [] } }],
  ['grants.default', { grants: { default: ['fs.read', 'net.http'] } }],
  ['grants.default', { grants: { default: ['fs.write:/etc/**'] } }],
  ['grants.default', { grants: { default: ['fs.read:../**'] } }],
  ['grants.tools.web/**', { grants: { tools: { 'web/**': ['shell.execute'] } } }],
  ['tools.a', { tools: { a: { network: true } } }],
  ['env.expose', { env: { expose: ['TOKEN'] } }],
  ['skills.env', { skills: { env: ['TOKEN'] } }],
  ['serve.host', { serve: { host: '0.0.0.0' } }],
  ['serve.tokens', { serve: { tokens: [{ name: 'x', token: 'env://X' }] } }],
  ['mcp.servers.x', { mcp: { servers: { x: { command: 'node' } } } }],
  ['plugins', { plugins: ['./p.mjs'] }],
])('%s of %j asks for more than the defaults, and can be left out alone', (key, values) => {
  verifies('G2')
  const more = { ...values, approve: ['#x'] }
  const asks = asksOf(more, '/crib/toolcrib.yaml')
  expect(asks.map((ask) => ask.key)).toEqual([key])
  const left = withoutAsks(more, asks)
  expect(asksOf(left, '/crib/toolcrib.yaml')).toEqual([])
  expect(left).toMatchObject({ approve: ['#x'] })
})

it.each([
  {},
  { trust: 'require', sandbox: 'required', roots: ['.'], limits: { timeoutMs: 1 } },
  { grants: { default: ['fs.read', 'fs.write'], tools: { a: ['fs.read:docs/**'] } } },
  { serve: { host: '127.0.0.1', port: 1, tokens: [] }, env: { expose: [] } },
])('%j asks for nothing', (values) => {
  verifies('G2')
  expect(asksOf(values, 'f')).toEqual([])
})
