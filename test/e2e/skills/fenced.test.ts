// Code skills that nobody vouches for run behind the fence, in a process of their own (G13, G14).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { jsonOutcome } from '../../../src/surfaces/outcome-json.ts'
import { Worker } from '../../../src/workers/worker.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, mw, skillCrib } from './skill-crib.ts'

const fenced = { skills: { host: 'never' } }

it('runs in another process, and the label of the run says so', async () => {
  const crib = await skillCrib({ 'who.skill.js': code(anyParams, 'return process.pid') }, fenced)
  const outcome = await crib.run('who')
  expect(outcome).toMatchObject({ ok: true })
  expect(outcome.ok && outcome.value).not.toBe(process.pid)
  expect(outcome.enforcement.layers).not.toContain('in-process')
  expect(await crib.value('who')).toBe(outcome.ok && outcome.value)
})

it('runs inside the host where the user says so', async () => {
  const files = { 'who.skill.js': code(anyParams, 'return process.pid') }
  const crib = await skillCrib(files, { skills: { host: 'always' } })
  expect(await crib.value('who')).toBe(process.pid)
})

it('cannot change the files that are loaded next', async () => {
  const write = `const { writeFileSync } = await import('node:fs')
try { writeFileSync(args.file, 'x'); return 'written' } catch (error) { return error.code }`
  const crib = await skillCrib({ 'write.skill.js': code(anyParams, write) }, fenced)
  const file = join(crib.root, 'skills', 'new.skill.js')
  expect(await crib.value('write', { file })).not.toBe('written')
  expect(existsSync(file)).toBe(false)
})

it('reads and changes its context, and sees what the rest of the chain made of it', async () => {
  const around = `import { ctxTarget } from 'toolcrib/skill'
${code(
  { role: 'middleware' },
  `const target = ctxTarget(ctx)
target.nonlocals.tenant = 'a'
await target.manager.next()
target.locals.result = { ...target.locals.result, seen: target.locals.result.tenant, args: target.args }`,
)}`
  const crib = await skillCrib(
    {
      'around.skill.js': around,
      'job.skill.js': code({ ...anyParams, around: null }, 'return { tenant: ctx.nonlocals.tenant }'),
    },
    fenced,
  )
  expect(await crib.value('job', { x: 1 })).toEqual({ tenant: 'a', seen: 'a', args: { x: 1 } })
})

it('leaves a result of another process as it is when it looks at its target before', async () => {
  verifies('G13')
  const look = code(
    { role: 'middleware' },
    'const target = ctxTarget(ctx); target.run; await target.manager.next()',
  )
  const crib = await skillCrib(
    {
      'look.skill.js': `import { ctxTarget } from 'toolcrib/skill'\n${look}`,
      'skills/lib/answer.js': 'export default () => ({ answer: 42 })\n',
      'job.skill.md':
        '---\nname: job\ndescription: Answers\nmetadata: { params: { type: object }, delegate: ./lib/answer.js, look: null }\n---\nAnswer.\n',
    },
    fenced,
  )
  expect(await crib.value('job')).toEqual({ answer: 42 })
})

it('nests middleware in the stated order, in one process', async () => {
  const crib = await skillCrib(
    {
      'a.skill.js': mw('a'),
      'b.skill.js': mw('b'),
      'job.skill.js': code(
        { ...anyParams, a: null, b: null, $order: { a: { before: ['b'] } } },
        `ctx.globals.log.push('job')`,
      ),
    },
    fenced,
  )
  await crib.value('job')
  expect(await crib.log()).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
})

describe('middlewares that follow each other', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `m${index}`)
  const keys = Object.fromEntries(ten.map((name) => [name, null]))
  const chain = Object.fromEntries(ten.map((name) => [`${name}.skill.js`, mw(name)]))

  it('run in one hop to their process, and the tool in another', async () => {
    verifies('G15')
    const job = code({ ...anyParams, ...keys }, `ctx.globals.log.push('job')`)
    const crib = await skillCrib({ ...chain, 'job.skill.js': job }, fenced)
    await crib.value('job')
    await crib.log()
    const calls = vi.spyOn(Worker.prototype, 'call')
    onTestFinished(() => calls.mockRestore())
    await crib.value('job')
    expect(calls).toHaveBeenCalledTimes(2)
    const ins = ten.map((name) => `${name}-in`)
    const outs = ten.map((name) => `${name}-out`).reverse()
    expect(await crib.log()).toEqual([...ins, 'job', ...outs])
  })

  it('give the host back what has not begun when one of them changes the chain', async () => {
    verifies('G15', 'S23')
    const inject = code(
      { role: 'middleware' },
      `ctx.envelope.target.manager.inject({ name: 'extra', before: ['m0'], after: ['first'] })`,
    )
    const crib = await skillCrib(
      {
        ...chain,
        'first.skill.js': inject,
        'extra.skill.js': mw('extra'),
        'job.skill.js': code(
          { ...anyParams, first: null, m0: null, $order: { first: { before: ['m0'] } } },
          `ctx.globals.log.push('job')`,
        ),
      },
      fenced,
    )
    await crib.value('job')
    expect(await crib.log()).toEqual(['extra-in', 'm0-in', 'job', 'm0-out', 'extra-out'])
  })

  it('catch what one further in throws', async () => {
    verifies('G15', 'S30')
    const crib = await skillCrib(
      {
        'outer.skill.js': code(
          { role: 'middleware' },
          `try { await ctx.envelope.target.manager.next() } catch (error) { return 'caught ' + error.message }`,
        ),
        'inner.skill.js': code({ role: 'middleware' }, `throw new Error('boom')`),
        'job.skill.js': code(
          { ...anyParams, outer: null, inner: null, $order: { outer: { before: ['inner'] } } },
          'return 1',
        ),
      },
      fenced,
    )
    expect(await crib.value('job')).toBe('caught boom')
  })
})

it('calls other skills, and what they throw is the same object again', async () => {
  const crib = await skillCrib(
    {
      'bad.skill.js': code(anyParams, `throw ctx.globals.cache.error = new RangeError('boom')`),
      'ask.skill.js': code(
        anyParams,
        `try { await ctx.manager.invoke('bad', {}) } catch (error) { return [error === ctx.globals.cache.error, error.message] }`,
      ),
    },
    fenced,
  )
  expect(await crib.value('ask')).toEqual([true, 'boom'])
  expect(await crib.run('bad')).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED', message: 'boom' } })
})

describe('what cannot be carried', () => {
  const files = {
    'open.skill.js': code({ role: 'middleware' }, 'ctx.envelope.target.nonlocals.db = { query: () => 42 }'),
    'job.skill.js': code({ ...anyParams, open: null }, 'return ctx.nonlocals.db.query()'),
  }

  it('stays what it is for the other skills of its process', async () => {
    verifies('G13')
    const crib = await skillCrib(files, fenced)
    expect(await crib.value('job')).toBe(42)
  })

  it('is refused by its key where the next skill runs in another process', async () => {
    verifies('G13')
    const crib = await skillCrib(files, { ...fenced, grants: { tools: { job: ['net.http'] } } })
    expect(await crib.run('job')).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: expect.stringContaining('nonlocals.db.query holds a function') },
    })
  })
})

it('tells progress and log lines, and what it prints', async () => {
  const crib = await skillCrib(
    {
      'say.skill.js': code(
        anyParams,
        `ctx.log('warn', 'careful'); console.log('printed'); ctx.progress(1, 2, 'half')`,
      ),
    },
    fenced,
  )
  const { logs } = await crib.run('say')
  expect(logs.map(({ message }) => message)).toEqual(expect.arrayContaining(['careful', 'printed']))
})

it('an endless loop ends its own process with TIMEOUT, and the host goes on', async () => {
  const crib = await skillCrib(
    {
      'loop.skill.js': code(anyParams, 'for (;;);'),
      'job.skill.js': code(anyParams, `return 'fine'`),
    },
    fenced,
  )
  const outcome = await crib.crib.call('loop', {}, { timeoutMs: 1_000 })
  expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
  expect(await crib.value('job')).toBe('fine')
})

it('runs inline code and delegates there too', async () => {
  const crib = await skillCrib(
    {
      'inline.skill.md': `---\nname: inline\nmetadata:\n  params: { type: object }\n  delegate: "inline://code,export default () => process.pid"\n---\n`,
      'own.skill.md': `---\nname: own\nmetadata:\n  params: { type: object }\n  delegate: ./lib/who.js\n---\n`,
      'skills/lib/who.js': 'export default () => process.pid',
    },
    fenced,
  )
  for (const name of ['inline', 'own']) {
    const pid = await crib.value(name)
    expect(pid).toBeTypeOf('number')
    expect(pid).not.toBe(process.pid)
  }
})

it.each([
  ['a BigInt', '{ n: 1n }'],
  ['a circle', '(() => { const a = {}; a.a = a; return a })()'],
])('refuses %s as a result, as inside the host', async (_, value) => {
  const files = { 'odd.skill.js': code(anyParams, `return ${value}`) }
  for (const host of ['never', 'always']) {
    const { crib } = await skillCrib(files, { skills: { host } })
    expect(jsonOutcome(await crib.call('odd')).outcome).toMatchObject({
      ok: false,
      error: { code: 'RESULT_INVALID', message: expect.stringContaining('cannot be written as JSON') },
    })
  }
})

it('says why a skill cannot be loaded', async () => {
  const crib = await skillCrib(
    {
      'none.skill.js':
        'export const frontmatter = { name: "none", metadata: { params: { type: "object" } } }',
    },
    fenced,
  )
  expect(['EXPORT_INVALID', 'TOOL_INVALID']).toContain(await crib.code('none'))
})
