import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, mw, skillCrib, spy } from './skill-crib.ts'

describe('results', () => {
  it('are what the function returns, an error object included', async () => {
    verifies('K1', 'S15', 'S64')
    const crib = await skillCrib({
      'validate.skill.js': code(
        { params: { type: 'object', properties: { title: { type: 'string' } } } },
        `if (!args.title) return { error: 'INVALID', message: 'Title required' }\nreturn { valid: true }`,
      ),
    })
    expect(await crib.value('validate', { title: '' })).toEqual({
      error: 'INVALID',
      message: 'Title required',
    })
    expect(await crib.value('validate', { title: 'x' })).toEqual({ valid: true })
  })

  it('may be undefined', async () => {
    verifies('K2')
    const crib = await skillCrib({ 'nothing.skill.js': code(anyParams, '') })
    expect(await crib.run('nothing')).toMatchObject({ ok: true, value: undefined })
  })

  it.each([['null'], ['false'], ['0'], ['""']])('%s stops the chain', async (text) => {
    verifies('K3', 'S27')
    const crib = await skillCrib({
      'late.skill.js': spy('late'),
      'job.skill.js': code(
        { ...anyParams, late: null, $order: { late: { after: ['execute'] } } },
        `return ${text}`,
      ),
    })
    expect(await crib.value('job')).toBe(JSON.parse(text))
    expect(await crib.log()).toEqual([])
  })

  it('that are undefined let the chain go on past the leaf', async () => {
    verifies('K3', 'S27')
    const crib = await skillCrib({
      'late.skill.js': spy('late'),
      'job.skill.js': code({ ...anyParams, late: null, $order: { late: { after: ['execute'] } } }, ''),
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['late'])
  })

  it('may come from a function that is not async', async () => {
    verifies('S15')
    const crib = await skillCrib({ 'plain.skill.js': 'export default () => 7' })
    expect(await crib.value('plain')).toBe(7)
  })

  it('need a default export that is a function', async () => {
    verifies('S15')
    const crib = await skillCrib({
      'seven.skill.js': '// a comment\n\nexport default 7\n',
      'none.skill.js': 'export const a = 1\nmodule.exports = () => 1\n',
      'late.skill.ts': 'const made: unknown = JSON.parse("7")\nexport { made as default }\n',
      'shape.skill.js': 'class Shape {}\n\nexport default Shape\n',
      'form.skill.js': 'const Form = class {}\nexport { Form as default }\n',
      'made.skill.js': 'const make = () => class {}\nexport default make()\n',
      'other.skill.js': `export const frontmatter = { metadata: { delegate: 'inline://code,export default () => 1' } }`,
    })
    const refusal = async (name: string) => {
      const outcome = await crib.run(name)
      return outcome.ok ? undefined : [outcome.error.code, outcome.error.details, outcome.error.message]
    }
    const at = (file: string, line: number) => [
      'EXPORT_INVALID',
      { file: join(crib.root, 'skills', file), line, column: 1 },
      expect.stringContaining(`${file}:${line}:1`),
    ]
    expect(await refusal('seven')).toEqual(at('seven.skill.js', 3))
    expect(await refusal('late')).toEqual(at('late.skill.ts', 2))
    expect(await refusal('shape')).toEqual(at('shape.skill.js', 3))
    expect(await refusal('made')).toEqual(at('made.skill.js', 2))
    expect(await crib.code('none')).toBe('LOAD_FAILED')
    expect(await crib.value('other')).toBe(1)
    const found = crib.crib.problems.filter(({ code: name }) => name === 'EXPORT_INVALID')
    expect(found.map(({ toolId, line, severity }) => [toolId, line, severity])).toEqual([
      ['form', 2, 'warning'],
      ['none', 1, 'warning'],
      ['seven', 3, 'warning'],
      ['shape', 3, 'warning'],
    ])
  })
})

describe('a throw', () => {
  const boom = code(anyParams, `throw new Error('boom')`)

  it('keeps its message inside and is TOOL_FAILED outside', async () => {
    verifies('K4', 'S30')
    const crib = await skillCrib({ 'boom.skill.js': boom })
    expect(await crib.drive('boom', {})).toMatchObject({ error: 'boom' })
    expect(await crib.run('boom')).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED', message: 'boom' },
    })
  })

  it('can be caught by middleware, whose value is then the result', async () => {
    verifies('K5', 'S30')
    const crib = await skillCrib({
      'guard.skill.js': code(
        { role: 'middleware' },
        `try { await ctx.envelope.target.manager.next() } catch (error) { return 'caught:' + error.message }`,
      ),
      'job.skill.js': code({ ...anyParams, guard: null }, `throw new Error('boom')`),
    })
    expect(await crib.value('job')).toBe('caught:boom')
  })

  it('that was caught and answered with nothing leaves neither result nor error', async () => {
    verifies('S30')
    const crib = await skillCrib({
      'guard.skill.js': code(
        { role: 'middleware' },
        `const target = ctx.envelope.target\ntry { await target.manager.next() } catch (error) { ctx.globals.log.push(String(target.locals.error === error)) }`,
      ),
      'job.skill.js': code({ ...anyParams, guard: null }, `throw new Error('boom')`),
    })
    expect(await crib.run('job')).toMatchObject({ ok: true, value: undefined })
    expect(await crib.log()).toEqual(['true'])
  })

  it('in a next() that nobody awaited is not lost', async () => {
    verifies('S29')
    const crib = await skillCrib({
      'careless.skill.js': code(
        { role: 'middleware' },
        `ctx.envelope.target.manager.next()\nawait new Promise((resolve) => setTimeout(resolve, 20))`,
      ),
      'job.skill.js': code({ ...anyParams, careless: null }, `throw new Error('boom')`),
    })
    expect(await crib.run('job')).toMatchObject({ ok: false, error: { message: 'boom' } })
  })

  it('passes finally blocks on its way out, and short cuts too', async () => {
    verifies('S31')
    const wrap = (name: string) =>
      code(
        { role: 'middleware' },
        `ctx.globals.log.push('${name}-in')\ntry { await ctx.envelope.target.manager.next() } finally { ctx.globals.log.push('${name}-out') }`,
      )
    const crib = await skillCrib({
      'a.skill.js': wrap('a'),
      'b.skill.js': mw('b'),
      'c.skill.js': code({ role: 'middleware' }, `ctx.globals.log.push('c-in')\nreturn 'x'`),
      'job.skill.js': code(
        { ...anyParams, a: null, b: null, $order: { a: { before: ['b'] } } },
        `ctx.globals.log.push('job')\nthrow new Error('no')`,
      ),
      'short.skill.js': code(
        { ...anyParams, a: null, c: null, $order: { a: { before: ['c'] } } },
        `ctx.globals.log.push('job')`,
      ),
    })
    expect((await crib.run('job')).ok).toBe(false)
    expect(await crib.log()).toEqual(['a-in', 'b-in', 'job', 'a-out'])
    expect(await crib.value('short')).toBe('x')
    expect(await crib.log()).toEqual(['a-in', 'c-in', 'a-out'])
  })
})

describe('middleware', () => {
  const probe = code(
    { role: 'middleware' },
    `ctx.globals.log.push(JSON.stringify({ args, own: ctx.args, target: ctx.envelope.target.args }))\nawait ctx.envelope.target.manager.next()\nctx.globals.log.push(JSON.stringify(ctx.envelope.target.args))`,
  )

  it.each([[{ level: 'high' }], [['a', 'b']], ['text'], [null]])(
    'gets its configuration %j as it stands, and the target keeps its arguments',
    async (value) => {
      verifies('K6', 'K7', 'S22', 'S26', 'S37', 'S66')
      const crib = await skillCrib({
        'audit.skill.js': probe,
        'job.skill.js': code({ ...anyParams, audit: value }, 'return args'),
      })
      const args = { x: 1 }
      expect(await crib.value('job', args)).toBe(args)
      expect((await crib.log()).map((line) => JSON.parse(line))).toEqual([
        { args: value, own: value, target: { x: 1 } },
        { x: 1 },
      ])
    },
  )

  it('cannot replace the arguments', async () => {
    verifies('K8')
    const crib = await skillCrib({
      'thief.skill.js': code(
        { role: 'middleware' },
        `try { ctx.envelope.target.args = {} } catch (error) { ctx.globals.log.push(error.constructor.name) }`,
      ),
      'job.skill.js': code({ ...anyParams, thief: null }, 'return args'),
    })
    expect(await crib.value('job', { x: 1 })).toEqual({ x: 1 })
    expect(await crib.log()).toEqual(['TypeError'])
  })

  it('nests in the stated order', async () => {
    verifies('K28', 'S28', 'S31', 'S39')
    const job = (order: object) =>
      code({ ...anyParams, a: null, b: null, $order: order }, `ctx.globals.log.push('job'); return 1`)
    const crib = await skillCrib({
      'a.skill.js': mw('a'),
      'b.skill.js': mw('b'),
      'job.skill.js': job({ a: { before: ['b'] } }),
      'other.skill.js': job({ b: { before: 'a' } }),
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
    await crib.value('other')
    expect(await crib.log()).toEqual(['b-in', 'a-in', 'job', 'a-out', 'b-out'])
  })

  it('that returns a value without next() stops the call; after next() it replaces the result', async () => {
    verifies('K29', 'S27', 'S28')
    const crib = await skillCrib({
      'short.skill.js': code({ role: 'middleware' }, `return 'short'`),
      'wrap.skill.js': code(
        { role: 'middleware' },
        `const inner = await ctx.envelope.target.manager.next()\nreturn inner + '!'`,
      ),
      'one.skill.js': code({ ...anyParams, short: null }, `ctx.globals.log.push('ran'); return 'job'`),
      'two.skill.js': code({ ...anyParams, wrap: null }, `return 'job'`),
    })
    expect(await crib.value('one')).toBe('short')
    expect(await crib.log()).toEqual([])
    expect(await crib.value('two')).toBe('job!')
  })

  it('runs the rest once, however often it calls next(), and once more with again', async () => {
    verifies('S29')
    const crib = await skillCrib({
      'twice.skill.js': code(
        { role: 'middleware' },
        `const { next } = ctx.envelope.target.manager\nctx.globals.log.push(await next(), await next(), await next({ again: true }))`,
      ),
      'job.skill.js': code(
        { ...anyParams, twice: null },
        `ctx.globals.count = (ctx.globals.count ?? 0) + 1\nreturn 'run ' + ctx.globals.count`,
      ),
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['run 1', 'run 1', 'run 2'])
  })

  it('set on the main runs once around each tool, also of another format', async () => {
    verifies('K50', 'S34', 'S38')
    const crib = await skillCrib({
      'main.skill.md':
        '---\nname: app\nmetadata:\n  role: main\n  a:\n  b:\n  $order: {a: {before: b}}\n---\n',
      'a.skill.js': mw('a'),
      'b.skill.js': mw('b'),
      'job.skill.js': code(anyParams, `ctx.globals.log.push('job')`),
      '.ai/tools/utility/hello.py':
        '__version__ = "1.0.0"\n__executor_id__ = "rye/core/runtimes/python/script"\n__tool_type__ = "python"\n__category__ = "utility"\n__tool_description__ = "Says hello"\nCONFIG_SCHEMA = {"type": "object", "properties": {}}\nprint("hi")\n',
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['a-in', 'b-in', 'job', 'b-out', 'a-out'])
    await crib.run('utility/hello', {})
    expect((await crib.log()).slice(0, 2)).toEqual(['a-in', 'b-in'])
  })

  it('placed after retry runs with every attempt, placed before it once', async () => {
    verifies('K61')
    const crib = await skillCrib({
      'inner.skill.js': spy('inner'),
      'outer.skill.js': spy('outer'),
      'flaky.skill.js': code(
        {
          ...anyParams,
          retry: { maxAttempts: 3 },
          inner: null,
          outer: null,
          $order: { inner: { after: ['retry'] }, outer: { before: ['retry'] } },
        },
        `ctx.globals.tries = (ctx.globals.tries ?? 0) + 1\nif (ctx.globals.tries < 3) throw new Error('not yet')\nreturn ctx.globals.tries`,
      ),
    })
    expect(await crib.value('flaky')).toBe(3)
    expect(await crib.log()).toEqual(['outer', 'inner', 'inner', 'inner'])
  })

  it('that never ends is stopped with its target', async () => {
    verifies('S33')
    const crib = await skillCrib({
      'stuck.skill.js': code({ role: 'middleware' }, 'await new Promise(() => {})'),
      'job.skill.js': code({ ...anyParams, stuck: null, limits: { timeoutMs: 50 } }, 'return 1'),
    })
    expect(await crib.code('job')).toBe('TIMEOUT')
  })

  it('passes trust and limits but neither params nor allow lists', async () => {
    verifies('S33', 'S62')
    const crib = await skillCrib({
      'strict.skill.js': code(
        { role: 'middleware', params: { type: 'object', required: ['never'] } },
        `ctx.globals.log.push('ran')`,
      ),
      'job.skill.js': code({ ...anyParams, strict: 'text' }, 'return 1', { 'allowed-tools': '' }),
    })
    expect(await crib.value('job')).toBe(1)
    expect(await crib.log()).toEqual(['ran'])
  })
})

describe('arguments', () => {
  it('are {} when absent, so destructuring works', async () => {
    verifies('K9', 'S65')
    const crib = await skillCrib({
      'greet.skill.js':
        'export const frontmatter = { metadata: { params: { type: "object" } } }\nexport default (ctx, { name = "you" }) => `Hello, ${name}!`',
    })
    expect(await crib.value('greet')).toBe('Hello, you!')
  })

  it('are refused from outside by a tool without params, and passed raw from inside', async () => {
    verifies('K36', 'S66')
    const crib = await skillCrib({
      't.skill.js': 'export default (ctx, args) => ({ got: args, isAbsent: args === undefined })',
    })
    expect(await crib.value('t', {})).toEqual({ got: {}, isAbsent: false })
    expect(await crib.run('t', { a: 1 })).toMatchObject({
      error: { code: 'PARAMS_INVALID', message: expect.stringContaining('takes no arguments') },
    })
    expect(await crib.run('t', 'raw')).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(await crib.drive('t', 'raw')).toMatchObject({ result: { got: 'raw' } })
    expect(await crib.drive('t')).toMatchObject({ result: { isAbsent: true } })
  })

  it('get neither defaults nor coercion, and are validated inside too', async () => {
    verifies('S64', 'S65')
    const crib = await skillCrib({
      't.skill.js': code(
        { params: { type: 'object', properties: { n: { type: 'number', default: 5 } } } },
        'return args',
      ),
    })
    expect(await crib.value('t', {})).toEqual({})
    expect(await crib.run('t', { n: '1' })).toMatchObject({
      error: { code: 'PARAMS_INVALID', message: expect.stringMatching(/t: \/n must be number/) },
    })
    expect(await crib.drive('t', { n: '1' })).toMatchObject({ code: 'PARAMS_INVALID' })
    expect(await crib.code('t', [1])).toBe('PARAMS_INVALID')
  })

  it('that begin with $ are options inside and refused outside', async () => {
    verifies('K30', 'S24', 'S25')
    const crib = await skillCrib({
      't.skill.js': code(anyParams, 'return { args, k: ctx.nonlocals.k, more: ctx.locals.more }'),
      'caller.skill.js': code(
        anyParams,
        `const given = { v: 1, $context: { nonlocals: { k: 2 }, locals: { more: 'yes' }, args: { no: 1 } }, $other: 1 }
const one = await ctx.manager.invoke('t', given)
const two = await ctx.manager.invoke('t', given, { context: { nonlocals: { k: 3 } } })
return { one, two, untouched: '$context' in given }`,
      ),
    })
    expect(await crib.value('caller')).toEqual({
      one: { args: { v: 1 }, k: 2, more: 'yes' },
      two: { args: { v: 1 }, k: 3, more: 'yes' },
      untouched: true,
    })
    expect(await crib.code('t', { $context: {} })).toBe('PARAMS_INVALID')
  })
})

describe('the context', () => {
  it('has seven keys, a frozen envelope and an origin', async () => {
    verifies('S21', 'S22')
    const crib = await skillCrib({
      'look.skill.js': code(
        anyParams,
        `return {
  keys: Object.keys(ctx).sort(),
  frozen: Object.isFrozen(ctx.envelope),
  self: ctx.envelope.target === ctx,
  parent: ctx.envelope.parent,
  signal: ctx.envelope.signal instanceof AbortSignal,
  uri: ctx.run.origin.uri,
  tool: ctx.run.tool.name,
  config: ctx.locals.config,
  root: ctx.nonlocals.rootContextId === ctx.envelope.id,
}`,
      ),
    })
    expect(await crib.value('look')).toEqual({
      keys: ['args', 'envelope', 'globals', 'locals', 'manager', 'nonlocals', 'run'],
      frozen: true,
      self: true,
      parent: null,
      signal: true,
      uri: `file://${crib.root}/skills/look.skill.js`,
      tool: 'look',
      config: {
        cwd: crib.root,
        root: crib.root,
        runtime: { name: 'toolcrib', version: expect.stringMatching(/^\d/) },
      },
      root: true,
    })
  })

  it('as JSON has ids for contexts and neither globals nor manager', async () => {
    verifies('S21')
    const crib = await skillCrib({
      'inner.skill.js': code(
        anyParams,
        `ctx.locals.loop = ctx.locals\nctx.locals.fn = () => 1\nreturn JSON.parse(JSON.stringify(ctx))`,
      ),
      'outer.skill.js': code(
        anyParams,
        `return { id: ctx.envelope.id, json: await ctx.manager.invoke('inner', { a: 1 }) }`,
      ),
    })
    const { id, json } = (await crib.value('outer')) as { id: string; json: Record<string, unknown> }
    expect(Object.keys(json).sort()).toEqual(['args', 'envelope', 'locals', 'nonlocals', 'run'])
    expect(json).toMatchObject({ envelope: { parent: id }, args: { a: 1 } })
    expect(json['locals']).not.toHaveProperty('loop.loop')
    expect(json['locals']).not.toHaveProperty('fn')
  })

  it('copies nonlocals for a child and shares globals', async () => {
    verifies('K31')
    const crib = await skillCrib({
      'child.skill.js': code(
        anyParams,
        `ctx.nonlocals.z = 1\nctx.nonlocals.shared.push('child')\nreturn { seen: ctx.nonlocals.own, globals: ctx.globals }`,
      ),
      'parent.skill.js': code(
        anyParams,
        `ctx.nonlocals.own = 'mine'\nctx.nonlocals.shared = []
const child = await ctx.manager.invoke('child', {})
return { seen: child.seen, same: child.globals === ctx.globals, z: ctx.nonlocals.z, shared: ctx.nonlocals.shared }`,
      ),
    })
    expect(await crib.value('parent')).toEqual({ seen: 'mine', same: true, z: undefined, shared: ['child'] })
  })

  it('keeps a history that can only grow', async () => {
    verifies('S25')
    const crib = await skillCrib({
      'inner.skill.js': code(
        anyParams,
        `const { history } = ctx.locals
for (const change of [() => { history[0] = null }, () => history.pop(), () => { history[0].tool = 'x' }]) {
  try { change() } catch (error) { ctx.globals.log.push(error.constructor.name) }
}
history.push({ tool: 'note', args: null, timestamp: 0 })
return history.map((frame) => frame.tool)`,
      ),
      'outer.skill.js': code(anyParams, `return ctx.manager.invoke('inner', {})`),
    })
    expect(await crib.value('outer')).toEqual(['outer', 'inner', 'note'])
    expect(await crib.log()).toEqual(['TypeError', 'TypeError', 'TypeError'])
  })

  it('tells progress and logs to whoever asked', async () => {
    const crib = await skillCrib({
      'work.skill.js': code(anyParams, `ctx.progress(1, 2, 'half'); ctx.log('info', 'working'); return 1`),
    })
    const seen: unknown[] = []
    const outcome = await crib.crib.call('work', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([{ done: 1, total: 2, message: 'half' }])
    expect(outcome.logs).toContainEqual(expect.objectContaining({ level: 'info', message: 'working' }))
  })

  it('stops at 64 nested calls', async () => {
    verifies('S25')
    const crib = await skillCrib({
      'deep.skill.js': code(anyParams, `return ctx.manager.invoke('deep', {})`),
    })
    expect(await crib.code('deep')).toBe('DEPTH_EXCEEDED')
  })

  it('carries cancellation down to nested calls', async () => {
    verifies('S25')
    const crib = await skillCrib({
      'inner.skill.js': code(
        anyParams,
        `const stopped = new Promise((resolve) => ctx.envelope.signal.addEventListener('abort', resolve))
ctx.log('info', 'waiting')
await stopped
ctx.globals.log.push('stopped')`,
      ),
      'outer.skill.js': code(
        anyParams,
        `ctx.globals.log.push('started'); return ctx.manager.invoke('inner', {})`,
      ),
    })
    const controller = new AbortController()
    const pending = crib.crib.call(
      'outer',
      {},
      {
        signal: controller.signal,
        onLog: ({ message }) => {
          if (message === 'waiting') controller.abort()
        },
      },
    )
    expect(await pending).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await crib.log()).toEqual(['started', 'stopped'])
  })
})

describe('manager', () => {
  it('injects a function or a tool into the part that has not run', async () => {
    verifies('S23')
    const crib = await skillCrib({
      'extra.skill.js': spy('extra'),
      'inject.skill.js': code(
        { role: 'middleware' },
        `const { manager } = ctx.envelope.target
manager.inject({ fn: (target, args) => { target.globals.log.push('fn ' + args + ' ' + (target.locals === ctx.envelope.target.locals)) }, args: 'x', before: 'execute' })
manager.inject({ name: 'extra', after: ['$pre-execute'] })
try { manager.inject({ name: 'extra', before: ['params'] }) } catch (error) { ctx.globals.log.push(error.code) }`,
      ),
      'job.skill.js': code({ ...anyParams, inject: null }, `ctx.globals.log.push('job')`),
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['INJECT_LATE', 'fn x true', 'extra', 'job'])
  })

  it('refreshes the part of the chain that has not run', async () => {
    verifies('S23')
    const crib = await skillCrib({
      'late.skill.js': spy('late'),
      'fresh.skill.js': code(
        { role: 'middleware' },
        `ctx.log('info', 'write')\nawait ctx.envelope.target.manager.refresh()`,
      ),
      'job.skill.js': code({ ...anyParams, fresh: null }, `ctx.globals.log.push('job')`),
    })
    const late = { fresh: null, late: null, $order: { late: { after: ['$pre-execute'] } } }
    const changed = code({ ...anyParams, ...late }, `ctx.globals.log.push('job')`)
    const onLog = ({ message }: { message: string }) =>
      message === 'write' && crib.write({ 'job.skill.js': changed })
    expect(await crib.crib.call('job', {}, { onLog })).toMatchObject({ ok: true })
    expect(await crib.log()).toEqual(['late', 'job'])
  })
})
