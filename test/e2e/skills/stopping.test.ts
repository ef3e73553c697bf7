// Calls that are stopped while something runs on: one end, told once, and never taken back.
import { describe, expect, it } from 'vitest'
import { anyParams, code, skillCrib } from './skill-crib.ts'

const next = 'ctx.envelope.target.manager.next()'

describe('the time limit of a call', () => {
  it('holds for a middleware that waited before the rest and waits after it', async () => {
    const crib = await skillCrib({
      'slow.skill.js': code(
        { role: 'middleware' },
        `await new Promise((resolve) => setTimeout(resolve, 5))\nawait ${next}\nif (ctx.globals.log.push('looked') > 1) await new Promise(() => {})`,
      ),
      'job.skill.js': code({ ...anyParams, slow: null, limits: { timeoutMs: 2_000 } }, 'return 1').replace(
        'async function',
        'function',
      ),
    })
    // Its module is imported by the first call, so only the second has a rest that takes no time.
    expect(await crib.value('job')).toBe(1)
    expect(await crib.code('job')).toBe('TIMEOUT')
  })

  it.each([0, 2, 5, 9])(
    'is not taken back by a tool that answers %i steps after it was stopped',
    async (steps) => {
      const crib = await skillCrib({
        'job.skill.js': code(
          { ...anyParams, retry: 2, limits: { timeoutMs: 20 } },
          `return new Promise((resolve) => ctx.envelope.signal.addEventListener('abort', async () => {
for (let step = 0; step < ${steps}; step++) await null
resolve('late')
}))`,
        ),
      })
      const outcome = await crib.run('job')
      expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
      expect(outcome).not.toHaveProperty('value')
      const run = await crib.crib.crumbs.runs.find(outcome.runId)
      expect(run?.outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    },
  )
})

describe('a middleware', () => {
  it.each(['undefined', 'null', '0', '""', 'false'])('that throws %s fails the call', async (thrown) => {
    const crib = await skillCrib({
      'odd.skill.js': code({ role: 'middleware' }, `throw ${thrown}`),
      'job.skill.js': code({ ...anyParams, odd: null }, `return 'ran'`),
    })
    expect(await crib.run('job')).toMatchObject({ ok: false })
  })
})

describe('the record of a call', () => {
  it.each([
    ['a result whose member throws', `return { get x() { throw new Error('no') } }`],
    ['a result that is a hostile proxy', `return new Proxy({}, { ownKeys() { throw new Error('no') } })`],
    [
      'an error whose message throws',
      `throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })`,
    ],
    [
      'an error that is a revoked proxy',
      `const { proxy, revoke } = Proxy.revocable({}, {})\nrevoke()\nthrow proxy`,
    ],
    [
      'an error that claims to be one of ours',
      `throw Object.assign(new Error('x'), { [Symbol.for('toolcrib.error')]: true, retryable: 1n })`,
    ],
    ['a log line that is no text', `ctx.log(1n, { no: 'text' })\nreturn 1`],
    [
      'a result that is a revoked proxy',
      `const { proxy, revoke } = Proxy.revocable({}, {})\nrevoke()\nreturn { proxy }`,
    ],
  ])('is written for %s', async (_, body) => {
    const crib = await skillCrib({ 'job.skill.js': code(anyParams, body) })
    await crib.run('job').catch(() => {})
    const { runs } = await crib.crib.crumbs.runs.list({ limit: 5 })
    expect(runs.map((run) => run.tool)).toEqual(['job'])
    expect(crib.crib.kernel.running).toEqual([])
  })

  it.each([
    [
      'whose arguments would become code',
      { ...anyParams, delegate: 'inline://code,export default () => "${args.x}"' },
      1,
    ],
    ['that went too deep', anyParams, 66],
  ])('is written for one %s', async (_, head, calls) => {
    const crib = await skillCrib({ 'job.skill.js': code(head, `return ctx.manager.invoke('job', {})`) })
    expect(await crib.run('job')).toMatchObject({ ok: false })
    const { runs } = await crib.crib.crumbs.runs.list({ limit: 100 })
    expect(runs.filter((run) => run.ok === false)).toHaveLength(calls)
  })
})
