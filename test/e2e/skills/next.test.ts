import { describe, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, skillCrib } from './skill-crib.ts'

const next = 'ctx.envelope.target.manager.next()'
const middleware = (body: string) => code({ role: 'middleware' }, body)
const plain = (head: object, body: string) =>
  code(head, body).replace('export default async function', 'export default function')

describe('a next() that nobody awaits', () => {
  it('runs the rest once, however long the rest takes', async () => {
    verifies('S29')
    const crib = await skillCrib({
      'careless.skill.js': middleware(next),
      'job.skill.js': code(
        { ...anyParams, careless: null },
        `ctx.globals.log.push('ran')\nawait new Promise((resolve) => setTimeout(resolve, 20))\nreturn 'done'`,
      ),
    })
    expect(await crib.value('job')).toBe('done')
    expect(await crib.log()).toEqual(['ran'])
  })

  it('does not lose a failure that comes after its entry ended', async () => {
    verifies('S29', 'S30')
    const crib = await skillCrib({
      'careless.skill.js': middleware(next),
      'job.skill.js': code(
        { ...anyParams, careless: null },
        `await new Promise((resolve) => setTimeout(resolve, 20))\nthrow new Error('late')`,
      ),
    })
    expect(await crib.run('job')).toMatchObject({ ok: false, error: { message: 'late' } })
  })

  it('does not lose the failure of a function that throws at once', async () => {
    verifies('S29', 'S30')
    const crib = await skillCrib({
      'careless.skill.js': plain({ role: 'middleware' }, next),
      'job.skill.js': plain({ ...anyParams, careless: null }, `throw new Error('now')`),
    })
    expect(await crib.run('job')).toMatchObject({ ok: false, error: { message: 'now' } })
  })
})

describe('a next() for the second time', () => {
  const twice = {
    'at once': `await Promise.all([${next}, ${next}])`,
    later: `const first = ${next}\nawait new Promise((resolve) => setTimeout(resolve, 5))\nawait ${next}\nawait first`,
    'by a function that has returned': `setTimeout(() => ${next}, 5)`,
  }

  it.each(Object.entries(twice))(
    'does not get past a person who has not decided yet, %s',
    async (_, body) => {
      verifies('S29')
      const crib = await skillCrib({
        'twice.skill.js': middleware(body),
        'job.skill.js': code({ ...anyParams, twice: null, approve: true }, `ctx.globals.log.push('ran')`),
      })
      const { approvals } = crib.crib
      onTestFinished(approvals.attend())
      approvals.on('requested', ({ id }) =>
        setTimeout(() => approvals.decide(id, { decision: 'deny', by: 'Ada' }), 50),
      )
      expect(await crib.run('job')).toMatchObject({ ok: false, error: { code: 'APPROVAL_DENIED' } })
      expect(await crib.log()).toEqual([])
    },
  )
})

describe('the next() of each middleware', () => {
  const inner = `ctx.globals.log.push('inner waits')
await new Promise((resolve) => setTimeout(resolve, 20))
ctx.globals.log.push('inner goes on')
await ${next}
ctx.globals.log.push('inner ends')`
  const order = { outer: null, inner: null, $order: { outer: { before: ['inner'] } } }
  const job = code({ ...anyParams, ...order }, `ctx.globals.log.push('ran')\nreturn 'done'`)
  const once = ['inner waits', 'inner goes on', 'ran', 'inner ends']

  it.each([
    ['at once', `const result = await Promise.all([${next}, ${next}])\nreturn result.join()`],
    ['later', `const first = ${next}\nawait null\nreturn (await Promise.all([first, ${next}])).join()`],
  ])('is its own: a second one of the outer does not let the inner one pass, %s', async (_, outer) => {
    verifies('S29')
    const crib = await skillCrib({
      'outer.skill.js': middleware(outer),
      'inner.skill.js': middleware(inner),
      'job.skill.js': job,
    })
    expect(await crib.value('job')).toBe('done,done')
    expect(await crib.log()).toEqual(once)
  })

  it('runs nothing once its middleware has ended without it', async () => {
    verifies('S29')
    const crib = await skillCrib({
      'outer.skill.js': middleware(`setTimeout(() => ${next}, 5)`),
      'inner.skill.js': middleware(inner),
      'job.skill.js': job,
    })
    expect(await crib.value('job')).toBe('done')
    expect(await crib.log()).toEqual(once)
  })

  it('leaves one context of the call: what one middleware puts there, the next one finds', async () => {
    verifies('S22')
    const crib = await skillCrib({
      'outer.skill.js': middleware(`ctx.envelope.target.locals.seen = 1\nctx.envelope.parent.run.mark = 2`),
      'inner.skill.js': middleware(
        `const { target, parent } = ctx.envelope\nctx.globals.log.push([target.locals.seen, target.run.mark, target === parent].join())`,
      ),
      'job.skill.js': job,
    })
    expect(await crib.value('job')).toBe('done')
    expect(await crib.log()).toEqual(['1,2,true', 'ran'])
  })
})

describe('what next() gives', () => {
  it('is a promise, also when the rest takes no time', async () => {
    verifies('S28')
    const crib = await skillCrib({
      'look.skill.js': middleware(
        `const rest = ${next}
ctx.globals.log.push(String(rest instanceof Promise), Object.prototype.toString.call(rest), String(await rest))`,
      ),
      'job.skill.js': plain({ ...anyParams, look: null }, `return 'done'`),
    })
    expect(await crib.value('job')).toBe('done')
    expect(await crib.log()).toEqual(['true', '[object Promise]', 'done'])
  })

  it.each([
    ['then', `${next}.then((value) => value + '!')`],
    ['catch', `${next}.catch(() => 'caught').then((value) => value + '!')`],
    ['finally', `${next}.finally(() => {}).then((value) => value + '!')`],
    ['Promise.all', `Promise.all([${next}]).then(([value]) => value + '!')`],
  ])('can be waited for with %s', async (_, body) => {
    verifies('S28')
    const crib = await skillCrib({
      'wrap.skill.js': plain({ role: 'middleware' }, `return ${body}`),
      'job.skill.js': code({ ...anyParams, wrap: null }, `return 'done'`),
    })
    expect(await crib.value('job')).toBe('done!')
  })

  it.each([
    ['throws at once', plain({ ...anyParams, wrap: null }, `throw new Error('boom')`)],
    ['throws later', code({ ...anyParams, wrap: null }, `await null\nthrow new Error('boom')`)],
  ])('rejects when the tool %s, and whoever catches that owns it', async (_, job) => {
    verifies('S30')
    const crib = await skillCrib({
      'wrap.skill.js': plain(
        { role: 'middleware' },
        `return ${next}.catch((error) => 'caught ' + error.message)`,
      ),
      'job.skill.js': job,
    })
    expect(await crib.value('job')).toBe('caught boom')
  })
})

describe('middleware that is not async', () => {
  it('stands around a tool that is not async either', async () => {
    verifies('S26', 'S28')
    const around = (name: string) =>
      plain(
        { role: 'middleware' },
        `ctx.globals.log.push('${name}-in')\nreturn ${next}.then(() => { ctx.globals.log.push('${name}-out') })`,
      )
    const crib = await skillCrib({
      'a.skill.js': around('a'),
      'b.skill.js': around('b'),
      'job.skill.js': plain(
        { ...anyParams, a: null, b: null, $order: { a: { before: ['b'] } } },
        `ctx.globals.log.push('job')\nreturn 'done'`,
      ),
    })
    expect(await crib.value('job')).toBe('done')
    expect(await crib.log()).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
  })

  it('that throws at once ends the call with that very error', async () => {
    verifies('S30')
    const crib = await skillCrib({
      'guard.skill.js': plain({ role: 'middleware' }, `throw new TypeError('not today')`),
      'job.skill.js': plain({ ...anyParams, guard: null }, `ctx.globals.log.push('ran')`),
    })
    expect(await crib.run('job')).toMatchObject({ ok: false, error: { message: 'not today' } })
    expect(await crib.log()).toEqual([])
  })

  it('that returns at once lets the call go on, or answers for it', async () => {
    verifies('S27')
    const crib = await skillCrib({
      'nothing.skill.js': plain({ role: 'middleware' }, ''),
      'short.skill.js': plain({ role: 'middleware' }, `return 'short'`),
      'one.skill.js': plain({ ...anyParams, nothing: null }, `return 'job'`),
      'two.skill.js': plain({ ...anyParams, short: null }, `return 'job'`),
    })
    expect(await crib.value('one')).toBe('job')
    expect(await crib.value('two')).toBe('short')
  })
})

describe('a call that was stopped before it began', () => {
  it('is cancelled although its tool gives its answer at once', async () => {
    const crib = await skillCrib({ 'job.skill.js': plain(anyParams, `return 'done'`) })
    const outcome = await crib.crib.call('job', {}, { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
  })
})

describe('the parts of a context', () => {
  it('have everything as their own, also what is made only when somebody looks', async () => {
    verifies('S21')
    const crib = await skillCrib({
      'look.skill.js': code(
        anyParams,
        `return { envelope: Object.keys(ctx.envelope).sort(), locals: Object.keys(ctx.locals).sort(), plain: Object.getPrototypeOf(ctx.locals) === Object.prototype }`,
      ),
    })
    expect(await crib.value('look')).toEqual({
      envelope: ['id', 'parent', 'signal', 'target'],
      locals: ['config', 'error', 'history', 'prompt', 'result'],
      plain: true,
    })
  })
})
