// A tool that matches `approve` waits for a person wherever it is called from, and every decision is on record.
import { spawn } from 'node:child_process'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Crib } from '../../src/crib/crib.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { connect } from '../../src/surfaces/mcp/fixtures/connect.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { cribOf } from './crib-of.ts'

const skill = `/*---
name: deploy
description: deploys
tags: [destructive]
---*/
export default () => 'deployed'
`
const settings = 'trust: off\napprove: ["deploy"]\n'
const files = { 'deploy.skill.js': skill, 'toolcrib.yaml': settings }

/** Kind and reason or code of every record about the tool, oldest first. */
async function recordsOf(crib: Crib): Promise<string[]> {
  await crib.crumbs.runs.flush()
  const store = await crib.crumbs.store()
  const records = await store.runs.list({ limit: 100 })
  return records
    .filter((record) => record.tool === 'deploy')
    .map((record) => `${record.kind}: ${record.reason ?? record.errorCode ?? 'ok'}`)
    .reverse()
}

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 20 })

describe('in the library', () => {
  it('a call waits until somebody who attends decides', async () => {
    proves('approve')
    const { crib } = await cribOf(files)
    onTestFinished(crib.approvals.attend())
    const call = crib.call('deploy', {})
    const [pending] = await soon(() => {
      expect(crib.approvals.pending).toHaveLength(1)
      return crib.approvals.pending
    })
    expect(pending).toMatchObject({ tool: 'deploy', caller: 'library' })
    crib.approvals.decide(pending!.id, { decision: 'approve', by: 'Ada' })
    expect(await call).toMatchObject({ ok: true, value: 'deployed' })
    expect(await recordsOf(crib)).toEqual(['allow: approved by Ada', 'run: ok'])
  })

  it('nobody attending, nobody answering and a no are denials on record', async () => {
    proves('approve', 'audit-denials')
    const { crib } = await cribOf(files, { approvals: { timeoutMs: 50 } })
    expect(await crib.call('deploy', {})).toMatchObject({ error: { code: 'APPROVAL_DENIED' } })
    onTestFinished(crib.approvals.attend())
    expect(await crib.call('deploy', {})).toMatchObject({
      error: { code: 'APPROVAL_DENIED', message: expect.stringContaining('within 50 ms') },
    })
    crib.approvals.once('requested', ({ id }) =>
      crib.approvals.decide(id, { decision: 'deny', by: 'Ada', reason: 'not on a Friday' }),
    )
    expect(await crib.call('deploy', {})).toMatchObject({
      error: { message: expect.stringContaining('Friday') },
    })
    expect(await recordsOf(crib)).toEqual(Array(3).fill('deny: APPROVAL_DENIED'))
  })

  it('a tool that calls it on behalf of somebody waits too', async () => {
    proves('approve')
    const { crib } = await cribOf({
      ...files,
      'outer.skill.js': `/*---\nname: outer\ndescription: calls\n---*/\nexport default (ctx) => ctx.manager.invoke('deploy', {})\n`,
    })
    expect(await crib.call('outer', {}, { approved: true })).toMatchObject({
      error: { code: 'APPROVAL_DENIED' },
    })
  })
})

describe('over HTTP', () => {
  it('the call hangs, an admin sees and decides it, another token can do neither', async () => {
    proves('approve', 'approve-admin')
    const token = 'weak-token-0123456789abcdef'
    const { crib, ask } = await servedCrib({
      files,
      config: { serve: { tokens: [{ name: 'weak', token: 'env://WEAK' }] } },
      env: { WEAK: token },
    })
    const call = ask('POST', '/api/tools/deploy/call', { params: {} }, { token })
    const pending = await soon(async () => {
      const { body } = await ask('GET', '/api/approvals')
      expect(body).toMatchObject([{ tool: 'deploy', caller: 'weak', params: {} }])
      return body[0]
    })
    expect(new Date(pending.expiresAt).getTime()).toBeGreaterThan(Date.now())
    expect((await ask('GET', '/api/approvals', undefined, { token })).status).toBe(403)
    const decide = (decision: string, as?: string) =>
      ask('POST', `/api/approvals/${pending.id}`, { decision }, as === undefined ? {} : { token: as })
    expect((await decide('approve', token)).status).toBe(403)
    expect((await decide('maybe')).status).toBe(400)
    expect((await decide('approve')).status).toBe(200)
    expect((await call).body).toMatchObject({ ok: true, value: 'deployed' })
    expect((await decide('deny')).status).toBe(404)
    expect(await recordsOf(crib)).toEqual(['allow: approved by operator', 'run: ok'])
  })
})

describe('over MCP', () => {
  const info = { name: 'test', version: '1' }
  const headers = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

  it.each([
    [
      'a yes',
      { action: 'accept', content: { approve: true } },
      ['allow: approved beforehand by operator', 'run: ok'],
    ],
    ['a no', { action: 'decline' }, ['deny: APPROVAL_DENIED']],
  ] as const)("the operator's client of the newer era asks its user: %s", async (_, answer, records) => {
    proves('approve')
    const { crib, url, token } = await servedCrib({ files })
    const client = new ModernClient(info, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    } as never)
    onTestFinished(() => client.close())
    client.setRequestHandler('elicitation/create', () => answer as never)
    await client.connect(new ModernHttp(new URL(`${url}/mcp`), headers(token)))
    await client.callTool({ name: 'deploy', arguments: {} })
    expect(await recordsOf(crib)).toEqual(records)
  })

  /** The operator's client of the older era, over HTTP or over stdio. */
  async function olderClient(via: 'http' | 'stdio', capabilities: object) {
    if (via === 'stdio') {
      const { crib } = await cribOf(files)
      return { crib, client: await connect(crib, {}, capabilities) }
    }
    const { crib, url, token } = await servedCrib({ files })
    const client = new OldClient(info, { capabilities })
    onTestFinished(() => client.close())
    await client.connect(new OldHttp(new URL(`${url}/mcp`), headers(token)) as never)
    return { crib, client }
  }

  describe.each(['http', 'stdio'] as const)('in the era of 2025-11-25, over %s', (via) => {
    it.each([
      [
        'a yes',
        { action: 'accept', content: { approve: true } },
        ['allow: approved beforehand by operator', 'run: ok'],
      ],
      ['an unticked box', { action: 'accept', content: { approve: false } }, ['deny: APPROVAL_DENIED']],
      ['a no', { action: 'decline' }, ['deny: APPROVAL_DENIED']],
      ['a closed dialogue', { action: 'cancel' }, ['deny: APPROVAL_DENIED']],
    ] as const)(
      "the operator's client asks its user by elicitation/create: %s",
      async (_, answer, records) => {
        proves('approve')
        const { crib, client } = await olderClient(via, { elicitation: {} })
        const asked: string[] = []
        client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          asked.push(params.message)
          return answer as never
        })
        const result = await client.callTool({ name: 'deploy', arguments: {} })
        expect(asked).toEqual([expect.stringContaining('Let deploy run')])
        expect(result.isError ?? false).toBe(records.length === 1)
        if (result.isError) expect(JSON.stringify(result.content)).toContain('not approved by')
        expect(await recordsOf(crib)).toEqual(records)
      },
    )

    it('a client that answers with an error has not approved', async () => {
      proves('approve')
      const { crib, client } = await olderClient(via, { elicitation: {} })
      client.setRequestHandler(ElicitRequestSchema, () => {
        throw new Error('no screen')
      })
      const result = await client.callTool({ name: 'deploy', arguments: {} }).catch((error) => error)
      expect(result instanceof Error || result.isError).toBe(true)
      expect((await recordsOf(crib)).filter((record) => record.startsWith('run'))).toEqual([])
    })

    it('a client that cannot ask is never taken as a yes', async () => {
      proves('approve')
      const { crib, client } = await olderClient(via, {})
      const call = client.callTool({ name: 'deploy', arguments: {} })
      if (via === 'stdio') {
        // Nobody else attends: it is refused at once, and told what to do.
        expect(await call).toMatchObject({
          isError: true,
          content: [{ text: expect.stringMatching(/nobody can be asked here.*toolcrib serve/s) }],
        })
        expect(await recordsOf(crib)).toEqual(['deny: APPROVAL_DENIED'])
        return
      }
      const { id } = await soon(() => {
        expect(crib.approvals.pending).toHaveLength(1)
        return crib.approvals.pending[0]!
      })
      crib.approvals.decide(id, { decision: 'approve', by: 'Ada' })
      expect(await call).not.toHaveProperty('isError', true)
      expect(await recordsOf(crib)).toEqual(['allow: approved by Ada', 'run: ok'])
    })
  })

  it("a token that is no admin's is not asked: its call waits for the operator", async () => {
    proves('approve-admin')
    const token = 'weak-token-0123456789abcdef'
    const { crib, url } = await servedCrib({
      files,
      config: { serve: { tokens: [{ name: 'weak', token: 'env://WEAK' }] } },
      env: { WEAK: token },
    })
    const client = new OldClient(info, { capabilities: { elicitation: {} } })
    onTestFinished(() => client.close())
    let asked = 0
    client.setRequestHandler(ElicitRequestSchema, () => {
      asked++
      return { action: 'accept', content: { approve: true } }
    })
    await client.connect(new OldHttp(new URL(`${url}/mcp`), headers(token)) as never)
    const call = client.callTool({ name: 'deploy', arguments: {} })
    const pending = await soon(() => {
      expect(crib.approvals.pending).toHaveLength(1)
      return crib.approvals.pending[0]!
    })
    crib.approvals.decide(pending.id, { decision: 'deny', by: 'operator' })
    expect(await call).toMatchObject({ isError: true })
    expect(asked).toBe(0)
  })
})

describe('on the command line', () => {
  it('nobody at the terminal is a denial, --approve and --yes are consent', async () => {
    proves('approve')
    const cwd = tempFolder(files)
    const denied = await toolcrib(['run', 'deploy', '--json'], { cwd })
    expect(denied).toMatchObject({ code: 5, json: { ok: false, error: { code: 'APPROVAL_DENIED' } } })
    expect(await toolcrib(['run', 'deploy', '--no-input'], { cwd })).toMatchObject({ code: 5 })
    for (const flag of ['--approve', '--yes'])
      expect(await toolcrib(['run', 'deploy', flag], { cwd })).toMatchObject({
        code: 0,
        stdout: 'deployed\n',
      })
  })

  /** Runs the program on a terminal of its own and types. */
  function onTerminal(cwd: string, args: string, typed: string): Promise<string> {
    return new Promise((resolve) => {
      const child = spawn(
        'script',
        ['-qec', `stty cols 120 rows 40; '${process.execPath}' '${cli}' ${args}`, '/dev/null'],
        {
          cwd,
          env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', TOOLCRIB_TRUST_FOLDER: '1' },
        },
      )
      let said = ''
      let hasTyped = false
      child.stdout.on('data', (chunk) => {
        said += chunk
        if (hasTyped || !said.includes('Let deploy run')) return
        hasTyped = true
        child.stdin.write(typed)
      })
      child.on('close', () => resolve(said))
    })
  }

  it.skipIf(!has('script'))('asks the person at the terminal', async () => {
    proves('approve')
    const cwd = tempFolder(files)
    expect(await onTerminal(cwd, 'run deploy', 'y')).toContain('deployed')
    expect(await onTerminal(cwd, 'run deploy', 'n')).toMatch(/APPROVAL_DENIED/)
    expect(await onTerminal(cwd, 'run deploy --no-input', '')).toMatch(/nobody can be asked/)
  })
})
