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
  ['roots', { roots: ['/'] }],
  ['roots', { roots: ['.', '../other'] }],
  ['skills.directory', { skills: { directory: '~/skills' } }],
  ['skills.extraDirs', { skills: { extraDirs: ['/tmp'] } }],
  ['skills.paths', { skills: { paths: ['./skills', { external: '../app' }] } }],
  ['skills.allowScripts', { skills: { allowScripts: true } }],
  ['skills.host', { skills: { host: 'always' } }],
  ['store', { store: 'postgres://a:b@db.example.com/crib' }],
  ['store', { store: '/tmp/crib.db' }],
  ['bus', { bus: 'nats://bus.example.com' }],
  ['secrets.file', { secrets: { file: './key' } }],
  ['models.default', { models: { default: { provider: 'anthropic', model: 'm', apiKey: 'env://KEY' } } }],
  [
    'models.default',
    { models: { default: { provider: 'ollama', model: 'm', baseURL: 'http://evil.example.com' } } },
  ],
  ['deno.path', { deno: { path: './deno' } }],
  ['limits.memoryMb', { limits: { memoryMb: 100_000 } }],
  ['effects.default', { effects: { default: 'direct' } }],
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
  { roots: ['tools'], store: '.toolcrib/other.db', bus: 'memory', limits: { memoryMb: 64 } },
  { models: { default: { provider: 'ollama', model: 'm' }, other: 'default' }, effects: { default: 'hold' } },
])('%j asks for nothing', (values) => {
  verifies('G2')
  expect(asksOf(values, 'f')).toEqual([])
})

it.each([
  ['grants.default', { grants: { default: ['fs.read'] } }, { grants: { default: ['fs.read', 'fs.write'] } }],
  ['grants.tools.a', { grants: { default: [] } }, { grants: { tools: { a: ['fs.read'] } } }],
  ['effects.default', { effects: { default: 'hold' } }, { effects: { default: 'commit' } }],
  ['effects.tools.*', { effects: { tools: { a: 'hold' } } }, { effects: { tools: { '*': 'commit' } } }],
  ['skills.host', { skills: { host: 'never' } }, { skills: { host: 'vouched' } }],
  ['limits.processes', { limits: { processes: 8 } }, { limits: { processes: 64 } }],
])('%s asks for more than the user’s own settings give', (key, own, values) => {
  verifies('G2')
  const asks = asksOf(values, '/crib/toolcrib.yaml', own)
  expect(asks.map((ask) => ask.key)).toEqual([key])
  expect(asksOf(withoutAsks(values, asks, own), '/crib/toolcrib.yaml', own)).toEqual([])
})

it('leaves what narrows in place, and what the user wants to be asked about', () => {
  verifies('G2')
  const values = { grants: { tools: { a: ['fs.read:docs/**', 'net.http'] } }, approve: [] }
  const own = { approve: ['#destructive'] }
  const asks = asksOf(values, '/crib/toolcrib.yaml', own)
  expect(asks.map(({ key }) => key)).toEqual(['grants.tools.a', 'approve'])
  expect(withoutAsks(values, asks, own)).toEqual({
    grants: { tools: { a: ['fs.read:docs/**'] } },
    approve: ['#destructive'],
  })
})

it('shows no password of an address', () => {
  const [ask] = asksOf({ store: 'postgres://a:hunter2@db.example.com/crib' }, '/crib/toolcrib.yaml')
  expect(ask!.what).toContain('db.example.com')
  expect(ask!.what).not.toContain('hunter2')
})
