import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { isPlainObject } from '../tool/json.ts'
import { askRules, freeSettings } from './ask-rules.ts'
import { configSchema } from './config-schema.ts'
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
  // Nothing of what ran would be kept.
  ['store', { store: ':memory:' }],
  ['effects.default', { effects: { default: 'direct' } }],
  ['sandbox.engine', { sandbox: { engine: 'bubblewrap' } }],
  ['serve.publicUrl', { serve: { publicUrl: 'https://evil.example.com' } }],
  ['effects.keep.days', { effects: { keep: { days: 1 } } }],
  ['effects.keep.bytes', { effects: { keep: { bytes: 1 } } }],
  ['effects.files', { effects: { files: 1_000_000 } }],
  ['approvals.timeoutMs', { approvals: { timeoutMs: 999_999_999 } }],
  ['runs.keep', { runs: { keep: '1m' } }],
  ['events.keep', { events: { keep: '1m' } }],
  ['audit.params', { audit: { params: 'full' } }],
  ['fleet.name', { fleet: { name: 'the-other-node' } }],
  ['apis.x', { apis: { x: { spec: '../openapi.json' } } }],
  ['deno.logBytes', { deno: { logBytes: 1_000_000_000 } }],
  ['brandNew', { brandNew: { thing: 1 } }],
  ['serve.brandNew', { serve: { brandNew: { deep: true } } }],
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
  { $schema: 'x', system: false, runs: { keep: 'forever' }, schedules: { engine: 'off' } },
  { sandbox: { require: ['network'] }, skills: { disabled: ['a'], enabled: ['b'], tools: 'never' } },
  { offers: { notes: { tools: ['notes_*'] } }, apis: { x: { spec: 'apis/x.json' } } },
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
  ['sandbox.require', { sandbox: { require: ['network'] } }, { sandbox: { require: [] } }],
  ['skills.disabled', { skills: { disabled: ['a'] } }, { skills: { disabled: [] } }],
  ['skills.enabled', { skills: { enabled: ['a'] } }, { skills: { enabled: ['a', 'b'] } }],
  ['skills.enabled', { skills: { enabled: ['a'] } }, { skills: { enabled: null } }],
  ['system', { system: false }, { system: true }],
  ['schedules.engine', { schedules: { engine: 'off' } }, { schedules: { engine: 'builtin' } }],
  ['effects.onConflict', { effects: { onConflict: 'refuse' } }, { effects: { onConflict: 'merge' } }],
  ['audit.params', { audit: { params: 'full' } }, { audit: { params: 'shape' } }],
  ['offers.ro', { offers: { ro: { tools: ['a'] } } }, { offers: { ro: { tools: ['**'] } } }],
  ['fleet.tools.*', { fleet: { tools: { a: 1 } } }, { fleet: { tools: { '*': 9 } } }],
  [
    'models.default',
    { models: { dear: { provider: 'anthropic', model: 'm' } } },
    { models: { default: 'dear' } },
  ],
  ['store', { store: 'postgres://db/crib' }, { store: '.toolcrib/crib.db' }],
  [
    'grants.tools.web/x',
    { grants: { tools: { 'web/**': ['only', 'fs.read:docs/**'] } } },
    { grants: { tools: { 'web/x': ['only', 'fs.read'] } } },
  ],
  [
    'grants.tools.web/**',
    { grants: { tools: { 'web/**': ['fs.read:docs/**'] } } },
    { grants: { tools: { 'web/**': [] } } },
  ],
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

it('has a judgement for every setting there is: a new one is asked for until a list names it', () => {
  verifies('G2')
  const judged = [...askRules.map(([pattern]) => pattern), ...freeSettings]
  const missing = settingsOf(configSchema, []).filter(
    (key) => !judged.some((pattern) => pattern === `${key}.*` || `${key}.`.startsWith(`${pattern}.`)),
  )
  expect(missing).toEqual([])
  expect(settingsOf(configSchema, []).length).toBeGreaterThan(70)
  // A list with a name that is no setting would hide that a setting was renamed.
  const known = settingsOf(configSchema, [])
  expect(judged.filter((pattern) => !known.some((key) => `${key}.*.`.startsWith(`${pattern}.`)))).toEqual([])
})

/** Every place of the schema where a value stands; `*` for the keys of a map. */
function settingsOf(schema: unknown, path: readonly string[]): string[] {
  if (!isPlainObject(schema)) return [path.join('.')]
  const forms = [schema, ...[schema['anyOf'] ?? []].flat()].filter(isPlainObject)
  const inner = forms.flatMap(({ properties, additionalProperties }) => [
    ...Object.entries(isPlainObject(properties) ? properties : {}),
    ...(isPlainObject(additionalProperties) ? [['*', additionalProperties] as const] : []),
  ])
  const own = inner.length === 0 || schema['anyOf'] !== undefined ? [path.join('.')] : []
  return [...own, ...inner.flatMap(([key, value]) => settingsOf(value, [...path, key]))]
}
