// Hints of parts that a step can ask directly: settings of stores and buses, tokens, models, orders, refs, scopes.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { editSettings } from '../../../src/config/edit-settings.ts'
import { findDeno } from '../../../src/config/find-deno.ts'
import { Budget } from '../../../src/runtimes/agent/budget.ts'
import { chooseModel } from '../../../src/runtimes/agent/choose-model.ts'
import { openModel } from '../../../src/runtimes/agent/open-model.ts'
import { checkArguments, paramsFlag } from '../../../src/runtimes/rye/flags.ts'
import { parseKey, readKeyFile } from '../../../src/secrets/key-file.ts'
import { CodeFlows } from '../../../src/secrets/logins/code-flows.ts'
import { listenForCallback } from '../../../src/secrets/logins/listen-for-callback.ts'
import { copyStore } from '../../../src/store/copy-store.ts'
import { parseNatsAddress } from '../../../src/store/nats/nats-address.ts'
import { openBus, openStore } from '../../../src/store/open-store.ts'
import { Database as Postgres } from '../../../src/store/postgres/database.ts'
import { Idempotency } from '../../../src/surfaces/http/idempotency.ts'
import { openTokens } from '../../../src/surfaces/http/tokens.ts'
import { requiredText } from '../../../src/surfaces/mcp/expose-search.ts'
import { pastedServers } from '../../../src/surfaces/servers/pasted-servers.ts'
import { actionTool } from '../../../src/tool/action-tool.ts'
import { placeKeys } from '../../../src/tool/order.ts'
import { parseRef } from '../../../src/tool/ref.ts'
import { jsonSchemaOf } from '../../../src/tool/standard-schema.ts'
import { makeTool, type Tool } from '../../../src/tool/tool.ts'
import type { Step, Table } from './place.ts'

const tool = (fields: Partial<Tool> = {}) =>
  makeTool({
    id: 'a',
    format: 'builtin',
    tier: 'project',
    source: { file: null, digest: '' },
    ...fields,
  } as never)
const of =
  (work: () => unknown): Step =>
  async () => {
    await work()
    return ''
  }
const store =
  (where: string): Step =>
  async (at) => {
    const open = await openStore({ store: where.replace('{root}', at.root), bus: 'memory' }, at.root)
    await open.close()
    return ''
  }
const postgres = (address: string): Step =>
  of(async () => {
    // Nobody listens there; an address that can be read is no longer what is wrong.
    const error = await Postgres.open(address, { connectMs: 200 } as never).catch((thrown) => thrown)
    if (error.code === 'STORE_ADDRESS') throw error
  })
const local = { provider: 'openai-compatible', model: 'm', baseURL: 'http://127.0.0.1:9/v1' } as const
const budget = (choice: object, spent: object): Step =>
  of(() => {
    const kept = new Budget('a', { id: 'm', maxTurns: 5, settings: local, ...choice } as never)
    kept.add({ inputTokens: 10, outputTokens: 10, ...spent } as never)
    kept.check()
  })
const tokens = (token: object, env: Record<string, string> = {}): Step =>
  of(() => openTokens(undefined, [token as never], { env, readSecret: async () => undefined as never }))
const digest = 'a'.repeat(64)
const listening = (at: number) =>
  new Promise<Server>((done) => {
    const server = createServer().listen(at, '127.0.0.1', () => done(server))
  })
const kept = new Map<string, Idempotency<number>>()

export const parts: Table = {
  'Write bus: nats://user:password@host:4222, with %-encoding for special characters.': [
    of(() => parseNatsAddress('nats://user:a/b@host:4222')),
    of(() => parseNatsAddress('nats://user:a%2Fb@host:4222')),
  ],
  'Write `bus: memory` or `bus: nats://host:4222`.': [
    of(() => openBus('redis://x', {} as never, () => {})),
    of(() => openBus('memory', {} as never, () => {})),
  ],
  'Set `store: postgres://…` too, or use `bus: memory`.': [
    of(() => openBus('nats://127.0.0.1:9', { kind: 'sqlite' } as never, () => {})),
    of(() => openBus('memory', { kind: 'sqlite' } as never, () => {})),
  ],
  'Name a file, for example `store: .toolcrib/crib.db`, or postgres://user@host:5432/database.': [
    store('mysql://x'),
    store('{root}/.toolcrib/crib.db'),
  ],
  'Check that the folder exists and that you may write to it, or set `store` in toolcrib.yaml.': [
    async (at) => {
      at.put({ file: 'x' })
      return store('{root}/file/crib.db')(at)
    },
    store('{root}/folder/crib.db'),
  ],
  'Nothing was written to it. Move the file aside (with its -wal and -shm) and restore a backup, or start with a new one.':
    [
      async (at) => {
        at.put({ 'crib.db': 'this is no database, however long it is read\n'.repeat(200) })
        return store('{root}/crib.db')(at)
      },
      async (at) => {
        at.put({ 'crib.db': null })
        return store('{root}/crib.db')(at)
      },
    ],
  'Characters such as @ : / in a password are written percent-encoded; the password may also come from PGPASSWORD.':
    [postgres('postgres://user:a/b:c@@host:x/db'), postgres('postgres://user:a%2Fb%3Ac%40@127.0.0.1:9/db')],
  'Letters, digits and _ only, for example ?schema=crib_two.': [
    postgres('postgres://user@127.0.0.1:9/db?schema=Crib-2'),
    postgres('postgres://user@127.0.0.1:9/db?schema=crib_two'),
  ],
  'Write it at the end of the address, for example ?connections=20.': [
    postgres('postgres://user@127.0.0.1:9/db?connections=many'),
    postgres('postgres://user@127.0.0.1:9/db?connections=20'),
  ],
  'Copy into a new file, a new database, or another ?schema= of it.': [
    of(() => copyStore({} as never, { isEmpty: async () => false, where: 'x' } as never)),
    async (at) => {
      await at.cli(['crumbs', 'create'], { input: '{"schema_name":"note.v1","title":"N","context":{}}' })
      return at.cli(['store', 'copy', '--to', 'new.db'])
    },
  ],
  'Put the key file back (it has mode 0600), or set TOOLCRIB_SECRETS_KEY.': [
    (at) => readKeyFile(at.path('gone'), false),
    of(() => parseKey(Buffer.alloc(32, 1).toString('base64'), 'the environment')),
  ],
  'Begin again with `toolcrib login <server>`.': [
    of(() => new CodeFlows().finish(new URLSearchParams({ state: 'x', code: 'y' }), async () => {})),
    async () => {
      const flows = new CodeFlows()
      const record = {
        provider: {
          issuer: 'http://127.0.0.1:9',
          authorization_endpoint: 'http://127.0.0.1:9/a',
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        },
        client: { client_id: 'c' },
      }
      const { state } = await flows.start({ name: 'box' } as never, record as never, {
        redirectUri: 'http://127.0.0.1:9/c',
        scope: undefined,
        fetch: fetch as never,
      })
      // It is known now; what it lacks is the code.
      const error = await flows
        .finish(new URLSearchParams({ state }), async () => {})
        .catch((thrown) => thrown)
      return (error as { hint?: string }).hint ?? ''
    },
  ],
  'Take another with --port, or leave it away.': [
    async (at) => {
      const server = await listening(0)
      const { port } = server.address() as AddressInfo
      at.put({ port: String(port) })
      open.set(at.root, server)
      return listenForCallback(async () => ({ name: 'x' }), { port, mustHavePort: true })
    },
    async (at) => {
      const port = Number(readFileSync(at.path('port'), 'utf8'))
      const listener = await listenForCallback(async () => ({ name: 'x' }), { port, mustHavePort: false })
      await listener.close()
      open.get(at.root)!.close()
      return ''
    },
  ],
  'Give it a smaller task, or raise maxTurns of its model.': [
    budget({ maxTurns: 1 }, {}),
    budget({ maxTurns: 2 }, {}),
  ],
  'Give it a smaller task, or raise ${} of its model.': [
    budget({ maxTokens: 15 }, {}),
    budget({ maxTokens: 25 }, {}),
  ],
  'Write `model: <id>` or `model: { id: <id>, maxTurns: 10 }`.': [
    of(() => chooseModel(tool(), { id: 5 }, { m: local } as never)),
    of(() => chooseModel(tool(), { id: 'm', maxTurns: 10 }, { m: local } as never)),
  ],
  'Let one of them be a model of its own.': [
    of(() => chooseModel(tool(), 'a', { a: 'b', b: 'a' } as never)),
    of(() => chooseModel(tool(), 'a', { a: 'b', b: local } as never)),
  ],
  'There are: ${}.': [
    of(() => chooseModel(tool(), 'qqqqqq', { a: local } as never)),
    of(() => chooseModel(tool(), 'a', { a: local } as never)),
  ],
  'Give the address of its service, for example baseURL: http://127.0.0.1:8080/v1.': [
    of(() => openModel({ provider: 'openai-compatible', model: 'm' } as never, undefined)),
    of(() => openModel({ ...local, baseURL: 'http://127.0.0.1:8080/v1' } as never, undefined)),
  ],
  'Give the key as apiKey: env://NAME or secret://NAME.': [
    of(() => openModel({ ...local, baseURL: 'http://user:key@127.0.0.1:9/v1' } as never, undefined)),
    of(() => openModel({ ...local, apiKey: 'env://KEY' } as never, 'key')),
  ],
  'That is the name of the token of `toolcrib serve` itself; choose another.': [
    tokens({ name: 'operator', sha256: digest }),
    tokens({ name: 'ci', sha256: digest, token: `sha256:${digest}` }),
  ],
  'Set ${} in the environment, where the server is started.': [
    tokens({ name: 'ci', token: 'env://CI_TOKEN' }),
    tokens({ name: 'ci', token: 'env://CI_TOKEN' }, { CI_TOKEN: 'x'.repeat(40) }),
  ],
  'Make it with: printf %s "$TOKEN" | sha256sum': [
    tokens({ name: 'ci', token: 'sha256:xyz' }),
    async () => {
      const { execFileSync } = await import('node:child_process')
      const out = execFileSync('sh', ['-c', 'printf %s "$TOKEN" | sha256sum'], {
        env: { ...process.env, TOKEN: 'x'.repeat(40) },
        encoding: 'utf8',
      })
      await openTokens(undefined, [{ name: 'ci', token: `sha256:${out.split(' ')[0]}` } as never], {
        env: {},
        readSecret: async () => '' as never,
      })
      return ''
    },
  ],
  'Use a new key for a new request.': [
    async (at) => {
      const once = new Idempotency<number>()
      kept.set(at.root, once)
      await once.once({ owner: 'me', tool: 'a' }, 'key', { n: 1 }, async () => 1)
      return once.once({ owner: 'me', tool: 'a' }, 'key', { n: 2 }, async () => 2)
    },
    (at) => kept.get(at.root)!.once({ owner: 'me', tool: 'a' }, 'other', { n: 2 }, async () => 2),
  ],
  'Paste an address, a command in one line, or a block { "mcpServers": { … } }.': [
    of(() => pastedServers('{ "what": 5 }')),
    of(() => pastedServers('{ "mcpServers": { "box": { "command": "node" } } }')),
  ],
  '${} has no actions; call it without #${}.': [of(() => actionTool(tool(), 'go')), of(() => tool())],
  '${}Its actions are ${}.': [
    of(() =>
      actionTool(
        tool({ details: { actions: [{ name: 'start', description: 'S', params: null }] } } as never),
        'strat',
      ),
    ),
    of(() =>
      actionTool(
        tool({ details: { actions: [{ name: 'start', description: 'S', params: null }] } } as never),
        'start',
      ),
    ),
  ],
  'Remove one of the `$order` constraints.': [
    of(() =>
      placeKeys([], [
        { name: 'a', before: [], after: ['b'] },
        { name: 'b', before: [], after: ['a'] },
      ] as never),
    ),
    of(() =>
      placeKeys([], [
        { name: 'a', before: [], after: ['b'] },
        { name: 'b', before: [], after: [] },
      ] as never),
    ),
  ],
  'Convert it (Valibot: toStandardJsonSchema of @valibot/to-json-schema) or give JSON Schema.': [
    of(() =>
      jsonSchemaOf(
        { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } } as never,
        'a',
      ),
    ),
    (at) => at.callAdded({ id: 'a', fn: () => 'x', params: { type: 'object' } }),
  ],
  'Install it with `npm install deno`, or set deno.path in toolcrib.yaml.': [
    of(() => findDeno({ configured: 'no-such-deno', path: '' } as never)),
    of(() => findDeno({ configured: null, path: process.env['PATH'] } as never)),
  ],
  'Fix it in an editor first; `toolcrib check` says where.': [
    (at) => {
      at.put({ 'toolcrib.yaml': 'grants: {\n' })
      editSettings(at.root, { list: 'approve', value: 'a', isIn: true } as never)
      return ''
    },
    (at) => {
      at.put({ 'toolcrib.yaml': 'grants: {}\n' })
      editSettings(at.root, { list: 'approve', value: 'a', isIn: true } as never)
      return ''
    },
  ],
  'Pass less, or let the tool read its params from standard input.': [
    of(() => paramsFlag(JSON.stringify({ x: 'y'.repeat(200_000) }))),
    of(() => paramsFlag('{}')),
  ],
  'Pass long values on standard input (config.input_data).': [
    of(() => checkArguments(['y'.repeat(200_000)])),
    of(() => checkArguments(['y'])),
  ],
  'Leave out # and what follows it.': [
    of(() => parseRef('file:///a.js#b')),
    of(() => parseRef('file:///a.js')),
  ],
  'Name the server and its tool, as in mcp://github/create_issue.': [
    of(() => parseRef('mcp://github')),
    of(() => parseRef('mcp://github/create_issue')),
  ],
  'Give "${}" as its definition says, and call it again.': [
    of(() => requiredText({ name: 5 }, 'name')),
    of(() => requiredText({ name: 'a' }, 'name')),
  ],
}
const open = new Map<string, Server>()
