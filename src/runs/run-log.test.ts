import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Call } from '../kernel/call.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { CrumbStore } from '../store/store.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { RunLog } from './run-log.ts'

let dir: string
let store: CrumbStore
let log: RunLog
const file = () => join(dir, 'crib.db')
const open = (params: 'shape' | 'full' = 'shape') => new RunLog({ store: () => store, params: () => params })

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'runs-'))
  store = openSqliteStore(file())
  log = open()
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const tool = makeTool({ id: 'mail/send', format: 'rye', tier: 'project', source: { file: null, digest: '' } })

function call(
  id: string,
  more: { args?: unknown; error?: unknown; result?: unknown; secrets?: { [name: string]: string } } = {},
): Call {
  const made = new Call({
    id,
    tool,
    args: more.args ?? { to: 'ada@example.org', n: 1 },
    options: { principal: makePrincipal({ surface: 'cli', name: 'ada' }) },
  })
  made.result = more.result ?? { sent: true }
  made.error = more.error
  made.secrets = more.secrets ?? {}
  return made
}

/** Changes the file behind the program's back. */
function tamper(sql: string): void {
  const db = new Database(file())
  db.exec(sql)
  db.close()
}

describe('a record', () => {
  it('tells who called what and how it ended, arguments and result by shape', async () => {
    log.recordCall(call('r1'))
    log.recordCall(call('r2', { error: new ToolError('TIMEOUT', 'too slow') }))
    log.recordCall(call('r3', { error: new ToolError('CAPABILITY_DENIED', 'no network') }))
    expect(
      (await log.list({ limit: 10 })).runs.map(({ runId, ok, errorCode }) => ({ runId, ok, errorCode })),
    ).toEqual([
      { runId: 'r3', ok: false, errorCode: 'CAPABILITY_DENIED' },
      { runId: 'r2', ok: false, errorCode: 'TIMEOUT' },
      { runId: 'r1', ok: true, errorCode: undefined },
    ])
    expect(await log.find('r1')).toMatchObject({
      tool: 'mail/send',
      format: 'rye',
      caller: 'ada',
      surface: 'cli',
      params: { to: 'string(15)', n: 'number' },
      outcome: { ok: true, value: { sent: 'boolean' } },
    })
    expect((await log.list({ limit: 10, ok: false })).runs.map(({ runId }) => runId)).toEqual(['r3', 'r2'])
    expect((await log.list({ limit: 10, tool: 'other' })).runs).toEqual([])
    expect((await log.list({ limit: 10, caller: 'bob' })).runs).toEqual([])
  })

  it('tells a call as it was when it ended, whatever is done to its arguments and outcome afterwards', async () => {
    const args: { [key: string]: unknown } = { to: 'ada@example.org' }
    const result: { [key: string]: unknown } = { sent: true }
    const made = call('r1', { args, result })
    made.addMeta({ attempts: 1 })
    made.log('info', 'sent')
    log.recordCall(made)
    args['added'] = 1
    result['sent'] = 'no'
    made.meta!['attempts'] = 2
    made.logs.length = 0
    expect(await log.find('r1')).toMatchObject({
      params: { to: 'string(15)' },
      outcome: { ok: true, value: { sent: 'boolean' }, meta: { attempts: 1 } },
      logs: [{ level: 'info', message: 'sent' }],
    })
    expect((await log.find('r1'))?.params).not.toHaveProperty('added')
  })

  it('holds values in full when configured, and never a secret', async () => {
    const full = open('full')
    const secret = 'hunter2-hunter2'
    const made = call('r1', {
      args: { password: secret, to: 'x' },
      result: { echo: `<${secret}>` },
      secrets: { PASSWORD: secret },
    })
    made.log('info', `using ${secret}`)
    full.recordCall(made)
    full.recordCall(call('r2', { error: new Error(`bad ${secret}`), secrets: { PASSWORD: secret } }))
    const detail = await full.find('r1')
    expect(detail).toMatchObject({
      params: { password: '[secret:PASSWORD]', to: 'x' },
      outcome: { value: { echo: '<[secret:PASSWORD]>' } },
      logs: [{ message: 'using [secret:PASSWORD]' }],
    })
    expect(JSON.stringify([detail, await full.find('r2')])).not.toContain(secret)
  })

  it('is not made for a dry run', async () => {
    const dry = new Call({
      id: 'd',
      tool,
      args: {},
      options: { principal: makePrincipal({ surface: 'cli' }), dryRun: true },
    })
    log.recordCall(dry)
    expect((await log.list({ limit: 10 })).runs).toEqual([])
  })

  it('that cannot be written is told and does not fail the call', async () => {
    const faults: unknown[] = []
    const broken = new RunLog({
      store: () => Promise.reject(new Error('no disk')),
      params: () => 'shape',
      onError: (error) => faults.push(error),
    })
    broken.recordCall(call('r1'))
    await broken.flush()
    expect(faults).toHaveLength(1)
  })
})

describe('the chain', () => {
  beforeEach(async () => {
    for (let n = 1; n <= 20; n++) log.recordCall(call(`r${n}`, { args: { n } }))
    await log.flush()
  })

  it('is good as written, by several writers too', async () => {
    const other = openSqliteStore(file())
    const second = new RunLog({ store: () => other, params: () => 'shape' })
    for (let n = 0; n < 20; n++) {
      log.recordCall(call(`a${n}`))
      second.recordCall(call(`b${n}`))
      await Promise.all([log.flush(), second.flush()])
    }
    expect(await log.verify()).toMatchObject({ ok: true, count: 60 })
    await other.close()
  })

  it.each([
    ['a changed body', `UPDATE runs SET body = replace(body, '"ok":true', '"ok":false') WHERE seq = 7`, 7],
    ['one changed character', `UPDATE runs SET body = body || ' ' WHERE seq = 3`, 3],
    ['a changed column', `UPDATE runs SET tool = 'innocent' WHERE seq = 9`, 9],
    ['a changed caller', `UPDATE runs SET caller = 'nobody' WHERE seq = 2`, 2],
    ['a changed hash', `UPDATE runs SET hash = 'x' WHERE seq = 4`, 4],
    ['a deleted record', 'DELETE FROM runs WHERE seq = 5', 5],
    ['a deleted first record', 'DELETE FROM runs WHERE seq = 1', 1],
    ['a deleted end', 'DELETE FROM runs WHERE seq > 15', 16],
    ['an emptied table', 'DELETE FROM runs', 1],
    [
      'two records that changed places',
      'UPDATE runs SET seq = -1 WHERE seq = 6; UPDATE runs SET seq = 6 WHERE seq = 8; UPDATE runs SET seq = 8 WHERE seq = -1',
      6,
    ],
    [
      'a removed record with the rest moved up',
      'DELETE FROM runs WHERE seq = 10; UPDATE runs SET seq = -seq WHERE seq > 10; UPDATE runs SET seq = -seq - 1 WHERE seq < 0; UPDATE runs_head SET count = 19',
      10,
    ],
    ['a moved start', 'DELETE FROM runs WHERE seq < 4; UPDATE runs_head SET base = 3', 4],
    ['a changed head', `UPDATE runs_head SET hash = 'x'`, 20],
  ])('shows %s', async (_, sql, seq) => {
    tamper(sql)
    expect(await log.verify()).toMatchObject({ ok: false, broken: { seq } })
  })

  it('shows a record that was added at the end without its place', async () => {
    tamper(`INSERT INTO runs SELECT 21, run_id, kind, tool, caller, ok, body, hash FROM runs WHERE seq = 20`)
    expect((await log.verify()).ok).toBe(false)
  })
})
