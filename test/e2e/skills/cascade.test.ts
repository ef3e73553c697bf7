import { describe, expect, it } from 'vitest'
import { retryPolicyOf } from '../../../src/guards/wrappers/retry.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, type Files, mw, type SkillCrib, skillCrib, spy } from './skill-crib.ts'

/** A middleware that logs the configuration it gets. */
function show(metadata: object = {}): string {
  return code({ role: 'middleware', ...metadata }, 'ctx.globals.log.push(JSON.stringify(args))')
}

function main(metadata: object, name = 'app'): string {
  return `---\nname: ${name}\nmetadata: ${JSON.stringify({ role: 'main', ...metadata })}\n---\n`
}

async function shown(crib: SkillCrib, ref: string): Promise<unknown[]> {
  await crib.value(ref)
  return (await crib.log()).map((line) => JSON.parse(line))
}

const job = (metadata: object = {}) => code({ ...anyParams, ...metadata }, 'return 1')

describe('levels', () => {
  it('follow C3 order, from the main to the tool', async () => {
    verifies('K34', 'S41', 'S44')
    const level = (name: string, inherit: object) =>
      code({ role: 'context', who: [name], ...inherit }, 'return 1')
    const crib = await skillCrib({
      'main.skill.md': main({ who: ['app'] }),
      'who.skill.js': show(),
      'a.skill.js': level('a', {}),
      'b.skill.js': level('b', { $inherit: 'a' }),
      'c.skill.js': level('c', { $inherit: ['a'] }),
      't.skill.js': job({ who: ['t'], $inherit: ['b', 'c'], $merge: { who: 'append' } }),
    })
    expect(await shown(crib, 't')).toEqual([['app', 'a', 'c', 'b', 't']])
  })

  it.each([
    ['inconsistent parents', { x: ['a', 'b'], y: ['b', 'a'], z: ['x', 'y'] }],
    ['a missing parent', { a: [], b: [], z: ['nowhere'] }],
    ['a repeated parent', { a: [], b: [], z: ['a', 'a'] }],
    ['a circle', { a: ['z'], b: [], z: ['a'] }],
  ])('with %s are CASCADE_INVALID, and check says so', async (_what, parents) => {
    verifies('K35', 'S41')
    const files: Record<string, string> = {
      'a.skill.js': job({ $inherit: false }),
      'b.skill.js': job({ $inherit: false }),
    }
    for (const [name, list] of Object.entries(parents))
      files[`${name}.skill.js`] = job({ $inherit: list.length > 0 ? list : false })
    const crib = await skillCrib(files)
    expect(await crib.code('z')).toBe('CASCADE_INVALID')
    expect(crib.crib.problems).toContainEqual(
      expect.objectContaining({ code: 'CASCADE_INVALID', severity: 'error', toolId: 'z' }),
    )
  })

  it('are only the tool itself with $inherit: false', async () => {
    verifies('K35')
    const crib = await skillCrib({
      'main.skill.md': main({ a: null }),
      'a.skill.js': spy('a'),
      't.skill.js': code({ ...anyParams, $inherit: false }, `ctx.globals.log.push('t')`),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual(['t'])
  })

  it('come from the nearest main above; two in one folder are invalid', async () => {
    verifies('S40')
    const crib = await skillCrib({
      'main.skill.md': main({ who: 'outer' }),
      'who.skill.js': show(),
      'sub/inner.skill.md': main({ who: 'inner' }, 'inner'),
      'sub/deep/t.skill.js': job(),
      'twin/one.skill.md': main({}, 'one'),
      'twin/two.skill.md': main({}, 'two'),
      'twin/lost.skill.js': job(),
      'skills/t2.skill.js': job(),
    })
    expect(await shown(crib, 't')).toEqual(['inner'])
    expect(await shown(crib, 't2')).toEqual(['outer'])
    expect(await crib.code('lost')).toBe('CASCADE_INVALID')
  })

  it('of a main are its own, and those of the next main where it asks for $authority', async () => {
    verifies('S40')
    const crib = await skillCrib({
      'main.skill.md': main({ who: 'outer' }),
      'who.skill.js': show(),
      'one/inner.skill.js': code({ role: 'main', ...anyParams }, 'return 1', { name: 'alone' }),
      'two/inner.skill.js': code({ role: 'main', ...anyParams, $inherit: '$authority' }, 'return 1', {
        name: 'below',
      }),
    })
    expect(await shown(crib, 'alone')).toEqual([])
    expect(await shown(crib, 'below')).toEqual(['outer'])
  })
})

describe('merging', () => {
  it.each([
    ['replace', { id: 1, a: 1 }, { id: 2 }, { id: 2 }],
    ['shallow', { id: 1, a: 1 }, { id: 2 }, { id: 2, a: 1 }],
    ['shallow', { id: 1 }, 'text', 'text'],
    ['append', [1], [2], [1, 2]],
    ['prepend', [1], [2], [2, 1]],
    ['append', 1, null, [1]],
    ['deep', { o: { p: 1 } }, { o: { q: 2 } }, { o: { p: 1, q: 2 } }],
  ])('%s: %j under %j gives %j', async (strategy, far, near, merged) => {
    verifies('K45', 'S44')
    const files = (merge: object): Files => ({
      'main.skill.md': main({ tenant: far }),
      'tenant.skill.js': show(),
      't.skill.js': job({ tenant: near, ...merge }),
    })
    const crib = await skillCrib(files(strategy === 'replace' ? {} : { $merge: { tenant: strategy } }))
    expect(await shown(crib, 't')).toEqual([merged])
  })

  it('takes the strategy of the nearest level, then of $self', async () => {
    verifies('S44', 'S45')
    const crib = await skillCrib({
      'main.skill.md': main({ tags2: [1], $merge: { list: 'append' }, list: [1] }),
      'tags2.skill.js': show({ $self: { merge: 'prepend' } }),
      'list.skill.js': show({ $self: { merge: 'prepend' } }),
      't.skill.js': job({ tags2: [2] }),
      'u.skill.js': job({ list: [2], $remove: 'tags2' }),
    })
    expect(await shown(crib, 't')).toContainEqual([2, 1])
    expect(await shown(crib, 'u')).toEqual([[1, 2]])
  })

  it('refuses an unknown strategy', async () => {
    verifies('S44')
    const crib = await skillCrib({
      'main.skill.md': main({ k: 1 }),
      't.skill.js': job({ k: 2, $merge: { k: 'stir' } }),
    })
    expect(await crib.code('t')).toBe('CASCADE_INVALID')
  })
})

describe('annotations', () => {
  it.each([
    ['$remove in the tool', {}, { $remove: ['audit'] }, []],
    ['$static in the tool', {}, { $static: 'audit' }, []],
    ['$static on the app, $dynamic in the tool', { $static: ['audit'] }, { $dynamic: ['audit'] }, ['audit']],
    ['$private on the app', { $private: ['audit'] }, {}, []],
    ['neither of them', {}, {}, ['audit']],
  ])('%s', async (_what, onApp, onTool, expected) => {
    verifies('K46', 'S42')
    const crib = await skillCrib({
      'main.skill.md': `---\nname: app\nmetadata: ${JSON.stringify({ role: 'main', delegate: 'inline://code,export default () => 1', audit: null, ...onApp })}\n---\n`,
      'audit.skill.js': spy('audit'),
      't.skill.js': job(onTool),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual(expected)
    if ('$private' in onApp) {
      await crib.value('app')
      expect(await crib.log()).toEqual(['audit'])
    }
  })

  it('$global reaches the tools of other mains unless they set the key; $local cancels it', async () => {
    verifies('K47')
    const files = (more: object): Files => ({
      'main.skill.md': main({}, 'root'),
      'k.skill.js': show(),
      'aa/a.skill.md': main({ k: 'from a', $global: 'k', ...more }, 'a-app'),
      'bb/b.skill.md': main({}, 'b-app'),
      'bb/t.skill.js': job(),
      'bb/own.skill.js': job({ k: 'own' }),
    })
    const crib = await skillCrib(files({}))
    expect(await shown(crib, 't')).toEqual(['from a'])
    expect(await shown(crib, 'own')).toEqual(['own'])
    const local = await skillCrib(files({ $local: ['k'] }))
    expect(await shown(local, 't')).toEqual([])
  })

  it('$self gives defaults, static and global', async () => {
    verifies('K48', 'S45')
    const crib = await skillCrib({
      'main.skill.md': main({}, 'root'),
      'audit.skill.js': show({ $self: { default: { n: 5 } } }),
      'quiet.skill.js': show({ $self: { static: true } }),
      'wide.skill.js': show({ $self: { global: true } }),
      'other/o.skill.md': main({ wide: 'w' }, 'other'),
      'empty.skill.js': job({ audit: null }),
      'some.skill.js': job({ audit: { m: 1 } }),
      'none.skill.js': job({ $remove: 'wide' }),
      'data.skill.js': job({ quiet: 1 }),
      'loud.skill.js': job({ quiet: 1, $dynamic: 'quiet' }),
    })
    expect(await shown(crib, 'empty')).toEqual(expect.arrayContaining([{ n: 5 }, 'w']))
    expect(await shown(crib, 'some')).toContainEqual({ m: 1, n: 5 })
    expect(await shown(crib, 'none')).toEqual([])
    expect(await shown(crib, 'data')).toEqual(['w'])
    expect(await shown(crib, 'loud')).toContainEqual(1)
  })

  it('deeper $ keys are data, and lists of names are not looked up', async () => {
    verifies('K27', 'S42')
    const crib = await skillCrib({
      'x.skill.js': show(),
      't.skill.js': job({ x: { $order: 1, y: 2 }, $private: ['x'] }),
    })
    expect(await shown(crib, 't')).toEqual([{ $order: 1, y: 2 }])
  })

  it('that are unknown or touch a guard are warnings with their line', async () => {
    verifies('S32', 'S42')
    const crib = await skillCrib({
      't.skill.md':
        '---\nname: t\nmetadata:\n  params: {type: object}\n  delegate: "inline://code,export default () => 1"\n  $odd: 1\n  $static: [trust]\n  $order:\n    limits: {before: [trust]}\n  $remove: [trust]\n---\n',
    })
    expect(crib.crib.find('t').problems.map(({ code: name, line }) => [name, line])).toEqual([
      ['ANNOTATION_UNKNOWN', 6],
      ['GUARD_LOCKED', 7],
      ['GUARD_LOCKED', 8],
    ])
    expect(await crib.value('t')).toBe(1)
  })
})

describe('hooks', () => {
  it('fire before, after and on an error, outer first, and change nothing', async () => {
    verifies('K49', 'S46')
    const note = (name: string) =>
      code(
        { role: 'middleware' },
        `ctx.globals.log.push('${name} ' + JSON.stringify(args)); return 'ignored'`,
      )
    const crib = await skillCrib({
      'main.skill.md': main({ $hook: { after: { ref: 'outer', args: { n: 1 } } } }),
      'outer.skill.js': note('outer'),
      'inner.skill.js': note('inner'),
      'good.skill.js': code({ ...anyParams, $hook: { before: 'inner', after: ['inner'] } }, `return 'good'`),
      'bad.skill.js': code({ ...anyParams, $hook: { error: 'inner' } }, `throw new Error('bad')`),
    })
    expect(await crib.value('good', { a: 1 })).toBe('good')
    expect(await crib.log()).toEqual([
      'inner {"tool":"good","args":{"a":1}}',
      'outer {"tool":"good","args":{"a":1},"result":"good","config":{"n":1}}',
      'inner {"tool":"good","args":{"a":1},"result":"good"}',
    ])
    expect(await crib.code('bad')).toBe('TOOL_FAILED')
    expect(await crib.log()).toEqual([
      'inner {"tool":"bad","args":{},"error":{"code":"TOOL_FAILED","message":"bad"}}',
    ])
  })

  it('that fail only add a warning to the run', async () => {
    verifies('K49', 'S46')
    const crib = await skillCrib({
      'broken.skill.js': code({ role: 'middleware' }, `throw new Error('hook down')`),
      't.skill.js': job({ $hook: { after: 'broken' } }),
    })
    expect(await crib.run('t')).toMatchObject({
      ok: true,
      value: 1,
      logs: expect.arrayContaining([
        expect.objectContaining({ level: 'warn', message: expect.stringContaining('hook down') }),
      ]),
    })
  })

  it('need the permission of the skill that declares them', async () => {
    verifies('S36')
    const crib = await skillCrib({
      'note.skill.js': spy('note'),
      't.skill.js': code({ ...anyParams, $hook: { after: 'note' } }, 'return 1', { 'allowed-tools': 'x' }),
    })
    expect(await crib.run('t')).toMatchObject({
      ok: true,
      logs: expect.arrayContaining([
        expect.objectContaining({ level: 'warn', message: expect.stringContaining('note') }),
      ]),
    })
    expect(await crib.log()).toEqual([])
  })
})

describe('order', () => {
  it.each([
    ['a cycle', { a: { before: ['b'] }, b: { before: ['a'] } }],
    ['a place before a guard', { a: { before: ['trust'] } }],
  ])('with %s is CASCADE_INVALID and names its members', async (_what, order) => {
    verifies('K51', 'S39')
    const crib = await skillCrib({
      'a.skill.js': spy('a'),
      'b.skill.js': spy('b'),
      't.skill.js': job({ a: null, b: null, $order: order }),
    })
    expect(await crib.run('t')).toMatchObject({
      error: { code: 'CASCADE_INVALID', message: expect.stringMatching(/\ba\b/) },
    })
  })

  it('after $pre-execute wraps the function; before params sees the call first', async () => {
    verifies('K51', 'S75')
    const crib = await skillCrib({
      'a.skill.js': mw('a'),
      'early.skill.js': spy('early'),
      't.skill.js': code(
        {
          params: { type: 'object', required: ['x'] },
          a: null,
          early: null,
          $order: { a: { after: ['$pre-execute'] }, early: { before: ['params'] } },
        },
        `ctx.globals.log.push('t')`,
      ),
    })
    expect(await crib.code('t', {})).toBe('PARAMS_INVALID')
    expect(await crib.log()).toEqual(['early'])
    await crib.value('t', { x: 1 })
    expect(await crib.log()).toEqual(['early', 'a-in', 't', 'a-out'])
  })

  it('breaks ties by level, outer first, then by the file', async () => {
    verifies('S39')
    const crib = await skillCrib({
      'main.skill.md': main({ z: null, y: null }),
      'b.skill.js': spy('b'),
      'a.skill.js': spy('a'),
      'y.skill.js': spy('y'),
      'z.skill.js': spy('z'),
      't.skill.js': job({ b: null, a: null }),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual(['z', 'y', 'b', 'a'])
  })
})

describe('keys', () => {
  it('that name a public tool or nothing are data', async () => {
    verifies('K51', 'S37')
    const crib = await skillCrib({
      'public.skill.js': code(anyParams, `ctx.globals.log.push('public')`),
      't.skill.js': job({ public: 1, nothing: 2 }),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual([])
    expect(crib.crib.find('t').problems).toMatchObject([{ code: 'KEY_IS_PUBLIC_TOOL', severity: 'warning' }])
  })

  it('of an entry’s own file run around it, inherited ones do not', async () => {
    verifies('S38')
    const crib = await skillCrib({
      'main.skill.md': main({ c: null }),
      'c.skill.js': mw('c'),
      'b.skill.js': mw('b', { $inherit: false }),
      'a.skill.js': mw('a', { b: null, $inherit: false }),
      't.skill.js': code({ ...anyParams, a: null }, `ctx.globals.log.push('t')`),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual(['c-in', 'b-in', 'a-in', 't', 'a-out', 'b-out', 'c-out'])
  })

  it('never trigger themselves or each other in a circle', async () => {
    verifies('S38')
    const crib = await skillCrib({
      'a.skill.js': spy('a', { b: null, a: null }),
      'b.skill.js': spy('b', { a: null }),
      't.skill.js': job({ a: null }),
    })
    await crib.value('t')
    expect(await crib.log()).toEqual(['a'])
  })
})

it('configuration of the cascade is in locals.config, the crib’s own facts stay', async () => {
  const crib = await skillCrib({
    'main.skill.md': main({ config: { colour: 'red', root: '/elsewhere' } }),
    't.skill.js': code(anyParams, 'return ctx.locals.config'),
  })
  expect(await crib.value('t')).toMatchObject({ colour: 'red', root: crib.root })
})

it('metadata can tighten limits and approvals, never loosen them', async () => {
  verifies('S32')
  const crib = await skillCrib(
    {
      'loose.skill.js': code({ ...anyParams, limits: { timeoutMs: 999_999 } }, 'await new Promise(() => {})'),
      'asked.skill.js': job({ approve: true }),
      'listed.skill.js': job({ approve: false }),
    },
    { limits: { timeoutMs: 60 }, approve: ['listed'] },
  )
  expect(await crib.code('loose')).toBe('TIMEOUT')
  expect(await crib.code('asked')).toBe('APPROVAL_DENIED')
  expect(await crib.code('listed')).toBe('APPROVAL_DENIED')
})

describe('retry in metadata', () => {
  /** How often a skill that always throws is tried. */
  async function attempts(metadata: object, above: object = {}): Promise<number> {
    const crib = await skillCrib({
      'main.skill.md': main(above),
      'job.skill.js': code(
        { ...anyParams, ...metadata },
        `ctx.globals.log.push('try'); throw new Error('no')`,
      ),
    })
    expect(await crib.code('job')).toBe('TOOL_FAILED')
    return (await crib.log()).length
  }

  it.each([
    ['nothing', {}, {}, 1],
    ['a number', { retry: 3 }, {}, 3],
    ['a map', { retry: { maxAttempts: 2 } }, {}, 2],
    ['more than the most', { retry: 1_000 }, {}, 10],
    ['what is no number', { retry: 'often' }, {}, 1],
    ['less than what is inherited', { retry: 2 }, { retry: 5 }, 2],
    ['none of what is inherited', { retry: 1 }, { retry: 5 }, 1],
    ['what is inherited', {}, { retry: 3 }, 3],
  ])('counts, within the most there is: %s', async (_, own, above, expected) => {
    verifies('S32')
    expect(await attempts(own, above)).toBe(expected)
  })

  it.each([
    [4, 2, 2],
    [2, 4, 2],
    [4, 0, 0],
    [4, -1, 1],
  ])('lowers what a tool itself asks for (%i) to %i, and never raises it', (own, stated, expected) => {
    verifies('S32', 'S34')
    const policy = { maxAttempts: own, backoff: 'linear', initialDelayMs: 5, maxDelayMs: 9, multiplier: 2 }
    const call = { tool: { retry: policy }, metadata: { retry: { maxAttempts: stated, initialDelayMs: 0 } } }
    expect(retryPolicyOf(call as never)).toEqual({ ...policy, maxAttempts: expected })
  })
})
