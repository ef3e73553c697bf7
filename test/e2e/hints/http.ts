// Hints of the HTTP and MCP server, each with the request that brings it and the one that follows it.
import type { Place, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, rye } from './writers.ts'

const skill: Files = { 'skills/a.skill.js': code('a', ', metadata: { params: { type: "object" } }') }
const ask =
  (
    method: string,
    path: string,
    body?: unknown,
    more: Parameters<Place['ask']>[3] = {},
    files: Files = skill,
  ): Step =>
  (at) => {
    at.put(files)
    return at.ask(method, path, body, more)
  }
const writing = {
  '.ai/tools/write.yaml': rye('write', {
    config: "{ command: sh, args: [-c, 'echo new > out.txt'] }",
    requires: '[shell.execute]',
  }),
  'toolcrib.yaml': 'grants: { tools: { write: [shell.execute, fs.write] } }\n',
}
const withTokens = (lines: string): Files => ({ ...skill, 'toolcrib.yaml': `serve:\n  tokens:\n${lines}` })
const secret = 'n'.repeat(40)
const whole = 'w'.repeat(40)
const envTokens = withTokens(
  `    - { name: narrow, token: "env://NARROW", grants: [fs.read] }\n    - { name: whole, token: "env://WHOLE" }\n    - { name: admin, token: "env://ADMIN", admin: true }\n`,
)
const asToken =
  (method: string, path: string, body: unknown, name: string): Step =>
  (at) => {
    at.put(envTokens)
    const env = { ...at.env, NARROW: secret, WHOLE: whole, ADMIN: 'a'.repeat(40) }
    return at.ask(method, path, body, { token: env[name as 'NARROW'], serve: { env } })
  }

export const http: Table = {
  'See /openapi.json for what there is.': [ask('GET', '/api/nothing'), ask('GET', '/openapi.json')],
  'Send Authorization: Bearer <token>; `toolcrib serve` prints the token and keeps it in .toolcrib/token.': [
    ask('GET', '/api/tools', undefined, { token: null }),
    async (at) => {
      const { readFileSync } = await import('node:fs')
      return at.ask('GET', '/api/tools', undefined, {
        token: readFileSync(at.path('.toolcrib/token'), 'utf8').trim(),
      })
    },
  ],
  'Add it to serve.allowedHosts in toolcrib.yaml if it is yours.': [
    async () => {
      const { checkHost } = await import('../../../src/surfaces/http/check-host.ts')
      checkHost({ bound: '127.0.0.1', allowed: [] }, 'box.example', undefined)
    },
    async () => {
      const { checkHost } = await import('../../../src/surfaces/http/check-host.ts')
      checkHost({ bound: '127.0.0.1', allowed: ['box.example'] }, 'box.example', undefined)
      return ''
    },
  ],
  'Add its host to serve.allowedHosts in toolcrib.yaml if it is yours.': [
    async () => {
      const { checkHost } = await import('../../../src/surfaces/http/check-host.ts')
      checkHost({ bound: '127.0.0.1', allowed: [] }, '127.0.0.1', 'https://pages.example')
    },
    async () => {
      const { checkHost } = await import('../../../src/surfaces/http/check-host.ts')
      checkHost({ bound: '127.0.0.1', allowed: ['pages.example'] }, '127.0.0.1', 'https://pages.example')
      return ''
    },
  ],
  'Send Content-Type: application/json.': [
    ask('POST', '/api/tools/a/call', '{}', { headers: { 'content-type': 'text/plain' } }),
    ask('POST', '/api/tools/a/call', {}),
  ],
  'Send one JSON document in UTF-8.': [
    ask('POST', '/api/tools/a/call', '{ no'),
    ask('POST', '/api/tools/a/call', {}),
  ],
  'A preview throws away what the call changed, `hold` keeps it until somebody decides.': [
    ask('POST', '/api/tools/write/call', { params: {}, preview: true, hold: true }, {}, writing),
    ask('POST', '/api/tools/write/call', { params: {}, hold: true }),
  ],
  'It may have been decided, cancelled or timed out; see GET /api/approvals.': [
    ask('POST', '/api/approvals/x', { decision: 'approve' }),
    ask('GET', '/api/approvals'),
  ],
  'See GET /api/runs.': [ask('GET', '/api/runs/0000'), ask('GET', '/api/runs')],
  'A crib has one owner: tokens stand in toolcrib.yaml, dead letters are tool.error.v1 breadcrumbs, subscriptions belong to tools.':
    [ask('GET', '/dlq'), ask('GET', '/breadcrumbs?schema_name=tool.error.v1')],
  'GET /secrets lists those there are, with their ids.': [
    ask('PUT', '/secrets/x', { value: 'y' }),
    ask('GET', '/secrets'),
  ],
  'Change its value with PUT /secrets/{id} or `toolcrib secrets set`.': [
    async (at) => {
      await at.ask('POST', '/secrets', { name: 'KEY', value: 'one' })
      return at.ask('POST', '/secrets', { name: 'KEY', value: 'two' })
    },
    async (at) => {
      const { body } = await at.ask('GET', '/secrets')
      const list = Array.isArray(body) ? body : (body.secrets ?? body.items)
      return at.ask('PUT', `/secrets/${list[0].id}`, { value: 'two' })
    },
  ],
  'Give a version such as 3 or "3", or *.': [
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      return at.ask(
        'PATCH',
        `/breadcrumbs/${made.body.id}`,
        { title: 'M' },
        { headers: { 'if-match': 'one' } },
      )
    },
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      return at.ask(
        'PATCH',
        `/breadcrumbs/${made.body.id}`,
        { title: 'M' },
        { headers: { 'if-match': '"1"' } },
      )
    },
  ],
  'Read it again and repeat the change.': [
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      await at.ask('PATCH', `/breadcrumbs/${made.body.id}`, { title: 'M' }, { headers: { 'if-match': '1' } })
      return at.ask('PATCH', `/breadcrumbs/${made.body.id}`, { title: 'O' }, { headers: { 'if-match': '1' } })
    },
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      const read = await at.ask('GET', `/breadcrumbs/${made.body.id}`)
      return at.ask(
        'PATCH',
        `/breadcrumbs/${made.body.id}`,
        { title: 'O' },
        { headers: { 'if-match': String(read.body.version) } },
      )
    },
  ],
  'Use a new key for a new request.': [
    async (at) => {
      await at.ask(
        'POST',
        '/breadcrumbs',
        { schema_name: 'note.v1', title: 'N', context: {} },
        { headers: { 'idempotency-key': 'k' } },
      )
      return at.ask(
        'POST',
        '/breadcrumbs',
        { schema_name: 'note.v1', title: 'M', context: {} },
        { headers: { 'idempotency-key': 'k' } },
      )
    },
    ask(
      'POST',
      '/breadcrumbs',
      { schema_name: 'note.v1', title: 'M', context: {} },
      { headers: { 'idempotency-key': 'l' } },
    ),
  ],
  'Look at the difference again, then accept.': [
    async (at) => {
      await at.cli(['lock'], { files: { '.ai/tools/say.yaml': rye('say') } })
      at.put({ '.ai/tools/say.yaml': rye('say', { description: 'Says more' }) })
      return at.ask('POST', '/api/drift/say/approve', { digest: 'x' })
    },
    async (at) => {
      const seen = await at.ask('GET', '/api/review/say')
      return at.ask('POST', '/api/drift/say/approve', { digest: seen.body.digest })
    },
  ],
  'Look at the difference again, then save.': [
    ask(
      'POST',
      '/api/console/settings',
      { list: 'approve', add: ['a'], digest: 'x' },
      { serve: { edit: true } },
    ),
    async (at) => {
      const seen = await at.ask('POST', '/api/console/settings/preview', { list: 'approve', add: ['a'] })
      return at.ask('POST', '/api/console/settings', {
        list: 'approve',
        add: ['a'],
        digest: seen.body.digest,
      })
    },
  ],
  'Add ${} to its grants under serve.tokens in toolcrib.yaml; one of `toolcrib tokens new` is made anew with --grants.':
    [
      asToken('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} }, 'NARROW'),
      asToken('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} }, 'WHOLE'),
    ],
  'Use the token of `toolcrib serve`, or one with admin: true.': [
    asToken('GET', '/api/tokens', undefined, 'WHOLE'),
    asToken('GET', '/api/tokens', undefined, 'ADMIN'),
  ],
  'See `toolcrib requests`.': [
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      return at.cli(['requests', 'show', made.body.id])
    },
    (at) => at.cli(['requests']),
  ],
  'Name the request; a response and a dead letter carry its id at context.request_breadcrumb_id.': [
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', { schema_name: 'note.v1', title: 'N', context: {} })
      return at.ask('POST', `/requests/${made.body.id}/retry`)
    },
    async (at) => {
      const made = await at.ask('POST', '/breadcrumbs', {
        schema_name: 'tool.request.v1',
        title: 'R',
        tags: ['tool:request'],
        context: { tool: 'nothing', input: {} },
      })
      return at.ask('POST', `/requests/${made.body.id}/retry`)
    },
  ],
}
