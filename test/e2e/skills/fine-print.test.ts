// Clauses of the rules that the larger tests pass by: what must not happen, and which of two statements wins.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, mw, skillCrib, spy } from './skill-crib.ts'

const show = (metadata: object = {}) =>
  code({ role: 'middleware', ...metadata }, 'ctx.globals.log.push(JSON.stringify(args))')
const job = (metadata: object = {}) => code({ ...anyParams, ...metadata }, 'return 1')
const main = (metadata: object, name = 'app') =>
  `---\nname: ${name}\nmetadata: ${JSON.stringify({ role: 'main', ...metadata })}\n---\n`

describe('a call between skills', () => {
  it('takes a signal as an option, and stops with it', async () => {
    verifies('S24')
    const crib = await skillCrib({
      'slow.skill.js': code(
        anyParams,
        `const stopped = new Promise((resolve) => ctx.envelope.signal.addEventListener('abort', resolve))
ctx.globals.log.push('waiting')
await stopped
ctx.globals.log.push('stopped')`,
      ),
      'caller.skill.js': code(
        anyParams,
        `const stop = new AbortController()
const running = ctx.manager.invoke('slow', { $signal: stop.signal })
while (!ctx.globals.log.includes('waiting')) await new Promise(setImmediate)
stop.abort()
try { await running } catch (error) { return error.code ?? error.name }
return 'ended'`,
      ),
    })
    expect(await crib.value('caller')).toMatch(/CANCELLED|AbortError|ended/)
    expect(await crib.log()).toEqual(['waiting', 'stopped'])
  })

  it('is bound by the list of the skill that makes it, not by that of its caller', async () => {
    verifies('S62')
    const crib = await skillCrib({
      'c.skill.js': job(),
      'b.skill.js': code(anyParams, `return ctx.manager.invoke('c', {})`),
      'a.skill.js': code(anyParams, `return ctx.manager.invoke(args.to, {})`, { 'allowed-tools': 'b' }),
    })
    expect(await crib.value('a', { to: 'b' })).toBe(1)
    expect(await crib.code('a', { to: 'c' })).toBe('TOOL_DENIED')
  })

  it('finds the helpers of toolcrib/skill', async () => {
    verifies('S20')
    const crib = await skillCrib({
      'x.skill.js': `import { ctxTarget, defineSkill, pathGet, pathQuery, pathSet } from 'toolcrib/skill'
export const frontmatter = defineSkill({ metadata: { params: { type: 'object' } } })
export default (ctx) => {
  const made = {}
  pathSet(made, 'a.b', 1)
  return [ctxTarget(ctx) === ctx, made, pathGet(made, 'a.b'), pathQuery({ l: [1, 2] }, '$.l[*]')]
}`,
    })
    expect(await crib.value('x')).toEqual([true, { a: { b: 1 } }, 1, [1, 2]])
  })
})

describe('guards', () => {
  it('judge the middleware of a trusted skill, too', async () => {
    verifies('S33', 'S19')
    const cwd = tempFolder({
      'toolcrib.yaml': 'trust: require\n',
      'skills/mid.skill.js': `import { writeFileSync } from 'node:fs'\n${code({ role: 'middleware' }, `writeFileSync('${'ran'}', '')`)}`,
      'skills/job.skill.js': job({ mid: null }),
    })
    await toolcrib(['keys', 'new'], { cwd })
    await toolcrib(['sign', 'skills/job.skill.js'], { cwd })
    const refused = await toolcrib(['run', 'job', '--json'], { cwd })
    expect(refused).toMatchObject({ code: 5, json: { error: { code: 'TRUST_UNSIGNED' } } })
    expect(refused.json.error.message).toContain('mid')
    await toolcrib(['sign', 'skills/mid.skill.js'], { cwd })
    expect(await toolcrib(['run', 'job', '-q'], { cwd })).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it('keep running when their key is removed; only the inherited value goes', async () => {
    verifies('S32')
    const hangs = (more: object) => code({ ...anyParams, ...more }, 'await new Promise(() => {})')
    const crib = await skillCrib(
      {
        'main.skill.md': main({ limits: { timeoutMs: 40 } }),
        'strict.skill.js': hangs({}),
        'freed.skill.js': code(
          { ...anyParams, $remove: ['limits', 'trust'] },
          'await new Promise((r) => setTimeout(r, 200)); return 1',
        ),
        'still.skill.js': hangs({ $remove: 'limits' }),
      },
      { limits: { timeoutMs: 2_000 } },
    )
    expect(await crib.code('strict')).toBe('TIMEOUT')
    expect(await crib.value('freed')).toBe(1)
    expect(await crib.code('still')).toBe('TIMEOUT')
  })

  it('add secrets that metadata names, so that a missing one stops the call', async () => {
    verifies('S32')
    const crib = await skillCrib({ 'main.skill.md': main({ secrets: ['NO_SUCH'] }), 'job.skill.js': job() })
    expect(await crib.run('job')).toMatchObject({
      error: { code: 'SECRET_MISSING', message: expect.stringContaining('NO_SUCH') },
    })
  })
})

describe('the cascade', () => {
  it('drops a removed key of farther levels, and takes it again from a nearer one', async () => {
    verifies('S41', 'K46')
    const crib = await skillCrib({
      'main.skill.md': main({ audit: 'app' }),
      'audit.skill.js': show(),
      'mid.skill.js': code({ role: 'context', $remove: 'audit' }, 'return 1'),
      'none.skill.js': job({ $inherit: ['mid', '$authority'] }),
      'again.skill.js': job({ $inherit: ['mid', '$authority'], audit: 'own' }),
    })
    await crib.value('none')
    await crib.value('again')
    expect(await crib.log()).toEqual(['"own"'])
  })

  it('stops at the root of another app’s tree', async () => {
    verifies('S40')
    const crib = await skillCrib(
      {
        'main.skill.md': main({ audit: 'ours' }),
        'audit.skill.js': show(),
        'app2/t.skill.js': job(),
        'app2/audit.skill.js': spy('theirs'),
        'skills/u.skill.js': job(),
      },
      { skills: { paths: ['./skills', '.', { external: './app2' }] } },
    )
    await crib.value('u')
    expect(await crib.log()).toEqual(['"ours"'])
    await crib.value('./app2/t.skill.js')
    expect(await crib.log()).toEqual([])
  })

  it('keeps role, tags and visibility to a level even where $public names them; $private beats $public', async () => {
    verifies('S42')
    const crib = await skillCrib({
      'main.skill.md': main({
        visibility: 'hidden',
        tags: ['x'],
        delegate: 'inline://code,export default () => "main"',
        returns: { type: 'number' },
        $public: ['role', 'tags', 'visibility', 'delegate', 'returns'],
        $private: ['delegate'],
      }),
      'job.skill.js': job(),
    })
    expect(crib.crib.find('job')).toMatchObject({ hidden: false, tags: [] })
    expect(await crib.value('job')).toBe(1)
  })

  it('passes params and returns on where $public names them', async () => {
    verifies('S43')
    const params = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const crib = await skillCrib({
      'base.skill.md': main({ params, returns: { type: 'string' }, $public: ['params', 'returns'] }),
      'heir.skill.js': code({ $inherit: 'app' }, 'return JSON.stringify([args, ctx.run.tool.returns])'),
      'own.skill.js': code({ $inherit: 'app', params: { type: 'object' } }, 'return "own"'),
    })
    expect(crib.crib.find('heir')).toMatchObject({ params, returns: { type: 'string' } })
    expect(crib.crib.find('own').params).toEqual({ type: 'object' })
    expect(await crib.value('heir', { n: 1 })).toBe('[{"n":1},{"type":"string"}]')
    expect(await crib.run('heir', { n: 'x' })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
  })

  it('passes $local keys only to tools of the same authority', async () => {
    verifies('S42')
    const crib = await skillCrib({
      'main.skill.md': main({}),
      'k.skill.js': show(),
      'aa/a.skill.md': main({ k: 'a', $local: 'k' }, 'a-app'),
      'aa/near.skill.js': job(),
      'bb/b.skill.md': main({}, 'b-app'),
      'bb/far.skill.js': job({ $inherit: 'a-app' }),
    })
    await crib.value('near')
    expect(await crib.log()).toEqual(['"a"'])
    await crib.value('far')
    expect(await crib.log()).toEqual([])
  })

  it('unites the order a middleware states of itself with that of its users', async () => {
    verifies('S45', 'S39')
    const crib = await skillCrib({
      'a.skill.js': mw('a', { $self: { order: { after: ['z'] } } }),
      'z.skill.js': mw('z'),
      'job.skill.js': job({ a: null, z: null }),
      'circle.skill.js': job({ a: null, z: null, $order: { a: { before: ['z'] } } }),
    })
    await crib.value('job')
    expect(await crib.log()).toEqual(['z-in', 'a-in', 'a-out', 'z-out'])
    expect(await crib.code('circle')).toBe('CASCADE_INVALID')
  })

  it('interpolates neither annotations nor schemas, tags or bodies', async () => {
    verifies('S47')
    const crib = await skillCrib({
      'note.skill.js': show(),
      'job.skill.js': code(
        {
          params: { type: 'object', properties: { n: { const: '${args.n}' } } },
          tags: ['${x}'],
          $hook: { after: { ref: 'note', args: { v: '${args.n}' } } },
        },
        'return ctx.run.tool.params.properties.n.const',
      ),
    })
    expect(await crib.code('job', { n: 3 })).toBe('PARAMS_INVALID')
    await crib.log()
    expect(await crib.value('job', { n: '${args.n}' })).toBe('${args.n}')
    expect(JSON.parse((await crib.log())[0]!)).toMatchObject({ config: { v: '${args.n}' } })
    expect(crib.crib.find('job').tags).toEqual(['x'])
  })
})

describe('hooks', () => {
  it('do not fire inside a hook, nor for a call that trust refused', async () => {
    verifies('S46')
    const files = {
      'main.skill.md': main({ $hook: { after: 'note', error: 'note' } }),
      'note.skill.js': code(
        anyParams,
        `ctx.globals.log.push('note ' + args.tool); return ctx.manager.invoke('job', {})`,
      ),
      'job.skill.js': job(),
    }
    const crib = await skillCrib(files)
    await crib.value('job')
    expect(await crib.log()).toEqual(['note job'])
    const strict = await skillCrib(files, { trust: 'require' })
    expect(await strict.code('job')).toBe('TRUST_UNSIGNED')
    expect(strict.crib.globals['log']).toBeUndefined()
  })
})

describe('files', () => {
  it('met twice are one skill', async () => {
    verifies('S53')
    const crib = await skillCrib({ 'kept/x.skill.js': 'export default () => 1' })
    symlinkSync(join(crib.root, 'kept/x.skill.js'), join(crib.root, 'skills/x.skill.js'))
    await crib.crib.reload()
    expect(crib.crib.list({ all: true, format: 'skill' }).filter(({ id }) => id === 'x')).toHaveLength(1)
    expect(crib.crib.problems.filter(({ code: name }) => name === 'SKILL_SHADOWED')).toEqual([])
    expect(await crib.value('x')).toBe(1)
  })

  it('count only as far as enabled and ignore say', async () => {
    verifies('S56')
    const crib = await skillCrib(
      {
        'a.skill.js': 'export default () => 1',
        'b.skill.js': 'export default () => 2',
        'skills/folder/SKILL.md':
          '---\nname: c\nmetadata: {delegate: "inline://code,export default () => 3"}\n---\n',
        'mine/d.skill.js': 'export default () => 4',
        'mine/old/e.skill.js': 'export default () => 5',
      },
      {
        skills: {
          enabled: ['a', 'folder', 'd', 'e'],
          paths: ['./skills', { internal: './mine', ignore: ['old/**'] }],
        },
      },
    )
    expect(await crib.value('a')).toBe(1)
    expect(await crib.code('b')).toBe('TOOL_DENIED')
    expect(await crib.value('c')).toBe(3)
    expect(await crib.value('d')).toBe(4)
    expect(await crib.code('e')).toBe('TOOL_NOT_FOUND')
  })

  it.each([
    'default',
    'skill-list',
    'agent-discover',
    'tool-call',
    'allowed-tools',
    'delegate',
    'execute',
    'paths',
  ])('cannot be named %s', async (name) => {
    verifies('S9')
    const crib = await skillCrib({ 'x.skill.md': `---\nname: ${name}\n---\n` })
    expect(crib.crib.problems).toContainEqual(
      expect.objectContaining({ code: 'SKILL_NAME_RESERVED', severity: 'error', line: 2 }),
    )
  })
})

describe('mistakes', () => {
  const found = (crib: Awaited<ReturnType<typeof skillCrib>>, tool: string) =>
    crib.crib.problems
      .filter(({ toolId }) => toolId === tool)
      .map(({ code: name, severity, line }) => [name, severity, line])

  it('of a key written twice in the frontmatter of code are errors with their line', async () => {
    verifies('S16')
    const crib = await skillCrib({
      'x.skill.js':
        'export const frontmatter = {\n  metadata: {\n    tags: [],\n    tags: [1],\n  },\n}\nexport default () => 1\n',
    })
    expect(found(crib, 'x')).toEqual([['SKILL_FRONTMATTER_INVALID', 'error', 4]])
    expect(await crib.run('x')).toMatchObject({
      error: { code: 'TOOL_INVALID', message: expect.stringMatching(/"tags" stands twice.*x\.skill\.js:4/) },
    })
  })

  it('in an inline ref are told by a check before a call fails of them', async () => {
    verifies('S67')
    const crib = await skillCrib({
      'x.skill.md': '---\nname: x\nmetadata:\n  a: 1\n  delegate: "inline://python,print(1)"\n---\n',
    })
    expect(found(crib, 'x')).toEqual([['INLINE_INVALID', 'warning', 5]])
  })

  it('in $merge count also where there is nothing to merge, with the line of $merge', async () => {
    verifies('S44')
    const crib = await skillCrib({
      't.skill.md':
        '---\nname: t\nmetadata:\n  k: 1\n  $inherit: false\n  $order: {}\n  $merge: {k: stir}\n---\n',
    })
    expect(found(crib, 't')).toEqual([['CASCADE_INVALID', 'error', 7]])
    expect(await crib.run('t')).toMatchObject({
      error: {
        code: 'CASCADE_INVALID',
        message: expect.stringMatching(/^t: "k" is merged by "stir".*t\.skill\.md:7\)$/),
      },
    })
  })

  it('of a delegate that is not there name the file and line that name it', async () => {
    verifies('S51')
    const crib = await skillCrib({ 'x.skill.md': '---\nname: x\nmetadata:\n  delegate: ./gone.js\n---\n' })
    expect(await crib.run('x')).toMatchObject({
      error: {
        code: 'TOOL_NOT_FOUND',
        message: expect.stringMatching(/\.\/gone\.js.*x names it in its metadata \(.*x\.skill\.md:4\)/),
      },
    })
  })

  it('of a middleware that never ends name it', async () => {
    verifies('S33')
    const crib = await skillCrib({
      'never.skill.js': code({ role: 'middleware' }, 'await new Promise(() => {})'),
      'job.skill.js': job({ never: null, limits: { timeoutMs: 60 } }),
    })
    expect(await crib.run('job')).toMatchObject({
      error: {
        code: 'TIMEOUT',
        message: expect.stringMatching(/^job did not.*middleware never \(.*never\.skill\.js\)/),
      },
    })
  })
})
