// An approval is for these arguments, this principal and one use (G25): over HTTP, over MCP and inside a call.
import { expect, it, onTestFinished, vi } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { maxWaitingOf } from '../../src/guards/approvals.ts'
import type { Wrapper } from '../../src/kernel/stages.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { tokenPrincipal } from './crib-of.ts'

const skill = `export const frontmatter = {
  name: 'deploy',
  description: 'deploys',
  metadata: { params: { type: 'object', properties: { to: { type: 'string' } } } },
}
export default (ctx, { to }) => 'deployed to ' + to
`
const files = { 'deploy.skill.js': skill, 'toolcrib.yaml': 'trust: off\napprove: ["deploy"]\n' }

it('a decision about other arguments than those that wait is refused, and one decides once', async () => {
  verifies('G25')
  const { ask } = await servedCrib({ files })
  const call = (to: string) => ask('POST', '/api/tools/deploy/call', { params: { to } })
  const waiting = [call('test'), call('production')]
  const pending = await vi.waitFor(async () => {
    const { body } = await ask('GET', '/api/approvals')
    expect(body).toHaveLength(2)
    return body as { id: string; digest: string; params: { to: string } }[]
  }, 20_000)
  const [test, production] = ['test', 'production'].map(
    (to) => pending.find(({ params }) => params.to === to)!,
  )
  const decide = (id: string, digest: string) =>
    ask('POST', `/api/approvals/${id}`, { decision: 'approve', digest })
  expect(test!.digest).not.toBe(production!.digest)
  expect(await decide(production!.id, test!.digest)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT' },
  })
  expect((await decide(test!.id, test!.digest)).status).toBe(200)
  expect((await decide(test!.id, test!.digest)).status).toBe(404)
  expect((await waiting[0])!.body).toMatchObject({ ok: true, value: 'deployed to test' })
  await ask('POST', `/api/approvals/${production!.id}`, { decision: 'deny' })
  expect((await waiting[1])!.body).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
})

it('the answer of an MCP client counts for the question it was asked, once', async () => {
  verifies('G25')
  proves('approve-bound')
  const { ask } = await servedCrib({ files })
  let id = 0
  const call = async (to: string, more: object = {}) => {
    const { body } = await ask(
      'POST',
      '/mcp',
      {
        jsonrpc: '2.0',
        id: ++id,
        method: 'tools/call',
        params: {
          name: 'deploy',
          arguments: { to },
          ...more,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      },
      {
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'deploy',
        },
      },
    )
    const text = typeof body === 'string' ? body.slice(body.indexOf('{')) : JSON.stringify(body)
    return JSON.parse(text).result
  }
  const yes = { approve: { action: 'accept', content: { approve: true } } }
  const asked = { resultType: 'input_required', requestState: expect.any(String) }
  const done = { content: [{ type: 'text', text: 'deployed to test' }] }

  // Nobody asked yet.
  expect(await call('production', { inputResponses: yes })).toMatchObject(asked)
  const { requestState } = await call('test')
  // Asked about something else.
  expect(await call('production', { inputResponses: yes, requestState })).toMatchObject(asked)
  const again = await call('test')
  expect(await call('test', { inputResponses: yes, requestState: again.requestState })).toMatchObject(done)
  // Used already.
  expect(await call('test', { inputResponses: yes, requestState: again.requestState })).toMatchObject(asked)
  expect(await call('test', { inputResponses: yes, requestState: 'made-up' })).toMatchObject(asked)
})

it('arguments that change between the approval and the run do not run', async () => {
  verifies('G25')
  const switches: Wrapper = {
    name: 'switches',
    stage: '$pre-execute',
    wrap(call, next) {
      call.params = { to: 'production' }
      return next()
    },
  }
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root }, use: [{ name: 'test', wrappers: [switches] }] })
  onTestFinished(() => crib.close())
  onTestFinished(crib.approvals.attend())
  crib.approvals.on('requested', ({ id }) => crib.approvals.decide(id, { decision: 'approve', by: 'Ada' }))
  const changed = {
    error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('changed after they were approved') },
  }
  expect(await crib.call('deploy', { to: 'test' })).toMatchObject(changed)
  expect(await crib.call('deploy', { to: 'test' }, { approved: true })).toMatchObject(changed)
  expect(await crib.call('deploy', { to: 'production' })).toMatchObject({ value: 'deployed to production' })
})

it('one asker fills neither the list of those who decide nor the memory, and leaves the others their turn', async () => {
  verifies('G22')
  proves('bounds')
  const crib = await openCrib({ root: tempFolder(files), trustFolder: true })
  onTestFinished(() => crib.close())
  onTestFinished(crib.approvals.attend())
  const stop = new AbortController()
  const call = (name: string) =>
    crib.call('deploy', { to: 'x' }, { principal: tokenPrincipal(name), signal: stop.signal })
  const flood = Array.from({ length: maxWaitingOf }, () => call('flood'))
  await vi.waitFor(() => expect(crib.approvals.pending).toHaveLength(maxWaitingOf), 20_000)
  expect(await call('flood')).toMatchObject({ ok: false, error: { code: 'BUSY' } })
  const other = call('other')
  await vi.waitFor(() => expect(crib.approvals.pending).toHaveLength(maxWaitingOf + 1), 20_000)
  const { id, digest } = crib.approvals.pending.find(({ caller }) => caller === 'other')!
  crib.approvals.decide(id, { decision: 'approve', by: 'me', digest })
  expect(await other).toMatchObject({ ok: true })
  // Questions that go to clients have the same bound: the oldest of the one who asks too much goes.
  const subject = (name: string) => ({ tool: 'deploy', params: {}, principal: tokenPrincipal(name) })
  const ticket = crib.approvals.issue(subject('other'))
  const first = crib.approvals.issue(subject('flood'))
  for (let n = 0; n < 2_000; n++) crib.approvals.issue(subject('flood'))
  expect(crib.approvals.redeem(first, subject('flood'))).toBe(false)
  expect(crib.approvals.redeem(ticket, subject('other'))).toBe(true)
  stop.abort()
  await Promise.all(flood)
})
