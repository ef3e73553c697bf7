// The audit chain: every denial is in it, arguments only by shape, and no change to it goes unnoticed.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { proves } from '../helpers/proves.ts'
import { cribOf, tokenPrincipal } from './crib-of.ts'

const require = createRequire(import.meta.url)

async function records(crib: Crib) {
  await crib.crumbs.runs.flush()
  return [...(await (await crib.crumbs.store()).runs.list({ limit: 1_000 }))].reverse()
}

function withTools(crib: Crib): void {
  crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
  crib.addTool({ id: 'web', requires: ['net.http'], fn: () => 'page' })
}

describe('a record is kept', () => {
  it('of every kind of denial', async () => {
    proves('audit-denials')
    const { crib } = await cribOf(
      { 'unsigned.skill.js': '/*---\nname: unsigned\ndescription: d\n---*/\nexport default () => 1\n' },
      { trust: 'require', approve: ['approved'] },
    )
    withTools(crib)
    crib.addTool({ id: 'approved', fn: () => 1 })
    await crib.call('unsigned', {})
    await crib.call('web', {})
    await crib.call('echo', {}, { principal: tokenPrincipal('ada', { allowedTools: 'web' }) })
    await crib.call('web', {}, { principal: tokenPrincipal('ada', { grants: ['fs.read'] }) })
    await crib.call('approved', {})
    await crib.dryRun('web', {})
    expect(
      (await records(crib)).map(({ kind, tool, errorCode, caller }) => [kind, tool, errorCode, caller]),
    ).toEqual([
      ['deny', 'unsigned', 'TRUST_UNSIGNED', 'library'],
      ['deny', 'web', 'CAPABILITY_DENIED', 'library'],
      ['deny', 'echo', 'TOOL_DENIED', 'ada'],
      ['deny', 'web', 'CAPABILITY_DENIED', 'ada'],
      ['deny', 'approved', 'APPROVAL_DENIED', 'library'],
      ['deny', 'web', 'CAPABILITY_DENIED', 'library'],
    ])
    expect(await crib.crumbs.runs.verify()).toMatchObject({ ok: true, count: 6 })
  })

  it('of wrong tokens and of tools out of sight, without the token, and not by the thousand', async () => {
    proves('audit-denials')
    const { crib, ask } = await servedCrib({
      config: { serve: { tokens: [{ name: 'weak', token: 'env://WEAK', allowedTools: 'echo' }] } },
      env: { WEAK: 'weak-token-0123456789abcdef' },
    })
    withTools(crib)
    for (let n = 0; n < 30; n++)
      await ask('GET', '/api/tools', undefined, { token: 'wrong-token-wrong-token' })
    await ask('POST', '/api/tools/web/call', { params: {} }, { token: 'weak-token-0123456789abcdef' })
    const kept = await records(crib)
    expect(kept.filter((record) => record.errorCode === 'TOKEN_INVALID')).toHaveLength(10)
    expect(kept.at(-1)).toMatchObject({ kind: 'deny', tool: 'web', caller: 'weak', surface: 'http' })
    expect(JSON.stringify(kept)).not.toMatch(/wrong-token|weak-token/)
  })

  it('of everything a good token was refused for: admin work, secrets, crumbs, pages of strangers', async () => {
    proves('audit-denials')
    const { crib, ask } = await servedCrib({
      config: { serve: { tokens: [{ name: 'weak', token: 'env://WEAK', grants: ['fs.read'] }] } },
      env: { WEAK: 'weak-token-0123456789abcdef' },
    })
    withTools(crib)
    const refused = [
      ['GET', '/api/approvals', 'ADMIN_NEEDED'],
      ['POST', '/api/approvals/some-id', 'ADMIN_NEEDED'],
      ['POST', '/api/drift/echo/approve', 'ADMIN_NEEDED'],
      ['GET', '/api/tokens', 'ADMIN_NEEDED'],
      ['GET', '/api/nodes', 'ADMIN_NEEDED'],
      ['GET', '/api/automation', 'ADMIN_NEEDED'],
      ['GET', '/api/console/source/echo', 'ADMIN_NEEDED'],
      ['GET', '/secrets', 'CAPABILITY_DENIED'],
      ['POST', '/breadcrumbs', 'CAPABILITY_DENIED'],
    ] as const
    for (const [method, path] of refused) {
      const body =
        method === 'POST' ? { decision: 'approve', schema_name: 'x.v1', title: 't', context: {} } : undefined
      const answer = await ask(method, path, body, { token: 'weak-token-0123456789abcdef' })
      expect([path, answer.status]).toEqual([path, 403])
    }
    await ask('GET', '/api/tools', undefined, { headers: { origin: 'https://evil.example' } })
    const kept = await records(crib)
    expect(kept.map(({ kind, caller, surface, errorCode }) => [kind, caller, surface, errorCode])).toEqual([
      ...refused.map(([, , code]) => ['deny', 'weak', 'http', code]),
      ['deny', 'unknown', 'http', 'ORIGIN_REFUSED'],
    ])
    expect(JSON.stringify(kept[0])).toContain('GET /api/approvals')
    expect(await crib.crumbs.runs.verify()).toMatchObject({ ok: true })
    expect(JSON.stringify(kept)).not.toContain('weak-token')
  })

  it('of how many requests were refused beyond the first ten, at the latest when the server stops', async () => {
    proves('audit-denials')
    const { root } = await cribOf({})
    const first = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
    const served = await serveCrib(first, { port: 0, watch: false, env: {} })
    for (let n = 0; n < 25; n++) await fetch(`${served.url}/api/tools`)
    await served.close(0)
    const kept = await records(first)
    await first.close()
    expect(kept).toHaveLength(11)
    expect(JSON.stringify(kept.at(-1)!.outcome)).toContain('15 more requests')
  })

  it('with the shape of the arguments, or with their values when that is configured', async () => {
    proves('audit-shape')
    for (const params of ['shape', 'full'] as const) {
      const { crib } = await cribOf({}, { audit: { params } })
      withTools(crib)
      await crib.call('echo', { name: 'Ada Lovelace', n: 36 })
      const [run] = await records(crib)
      expect(run!.params).toEqual(
        params === 'full' ? { name: 'Ada Lovelace', n: 36 } : { name: 'string(12)', n: 'number' },
      )
      expect(JSON.stringify(run).includes('Lovelace')).toBe(params === 'full')
    }
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the chain', () => {
  type Change = (db: { prepare(sql: string): { run(...values: unknown[]): unknown } }, seq: number) => void
  const column =
    (name: string, value: unknown): Change =>
    (db, seq) =>
      db.prepare(`UPDATE runs SET ${name} = ? WHERE seq = ?`).run(value, seq)

  it('is found broken after any change to any stored record', async () => {
    proves('audit-chain')
    const { crib, root } = await cribOf({})
    withTools(crib)
    const count = 12
    for (let n = 0; n < count; n++) await crib.call(n % 3 === 0 ? 'web' : 'echo', { n })
    expect(await crib.crumbs.runs.verify()).toMatchObject({ ok: true, count })
    const Libsql = require('libsql')
    const db = new Libsql(join(root, '.toolcrib', 'crib.db'))
    onTestFinished(() => db.close())
    const bodies = new Map<number, string>()
    for (let seq = 1; seq <= count; seq++)
      bodies.set(seq, db.prepare('SELECT body FROM runs WHERE seq = ?').get(seq).body as string)
    const change = fc.oneof(
      // A character of the record itself.
      fc.nat().map(
        (at): Change =>
          (base, seq) => {
            const body = bodies.get(seq)!
            const index = at % body.length
            const other = /\d/.test(body[index]!) ? String((Number(body[index]) + 1) % 10) : 'x'
            const changed = body.slice(0, index) + other + body.slice(index + 1)
            // What is no JSON any more, an index of the table refuses.
            fc.pre(changed !== body && isJson(changed))
            base.prepare('UPDATE runs SET body = ? WHERE seq = ?').run(changed, seq)
          },
      ),
      fc.constantFrom<Change>(
        column('hash', '0'.repeat(64)),
        column('tool', 'another'),
        column('caller', 'somebody'),
        column('kind', 'allow'),
        column('run_id', 'another'),
        (base, seq) => base.prepare('UPDATE runs SET ok = 1 - coalesce(ok, 0) WHERE seq = ?').run(seq),
        (base, seq) => base.prepare('DELETE FROM runs WHERE seq = ?').run(seq),
        (base, seq) => base.prepare('DELETE FROM runs WHERE seq >= ?').run(seq),
        (base, seq) => base.prepare('UPDATE runs SET seq = seq + 1000 WHERE seq = ?').run(seq),
        (base) => base.prepare("UPDATE runs_head SET hash = 'x'").run(),
        (base) => base.prepare('UPDATE runs_head SET count = count - 1').run(),
      ),
    )
    await fc.assert(
      fc.asyncProperty(change, fc.integer({ min: 1, max: count }), async (apply, seq) => {
        const kept = db.prepare('SELECT * FROM runs').all()
        const head = db.prepare('SELECT count, hash FROM runs_head').get()
        try {
          apply(db, seq)
          expect(await crib.crumbs.runs.verify()).toMatchObject({
            ok: false,
            broken: { seq: expect.any(Number) },
          })
        } finally {
          db.exec('DELETE FROM runs')
          for (const row of kept)
            db.prepare(
              'INSERT INTO runs(seq, run_id, kind, tool, caller, ok, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
            ).run(row.seq, row.run_id, row.kind, row.tool, row.caller, row.ok, row.body, row.hash)
          db.prepare('UPDATE runs_head SET count = ?, hash = ?').run(head.count, head.hash)
        }
      }),
      { numRuns: 150 },
    )
    expect(await crib.crumbs.runs.verify()).toMatchObject({ ok: true, count })
  })
})
