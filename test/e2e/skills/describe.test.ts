// What skills say of themselves: lists, descriptions, schemas that the context decides, texts with directives.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/tool/plans/runtime-plans.ts'
import { makePrincipal } from '../../../src/tool/principal.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, mw, skillCrib, skillsHost } from './skill-crib.ts'

const gateway = {
  type: 'object',
  properties: { channel: { type: 'string' } },
  required: ['channel'],
}
const message = { type: 'object', properties: { message: { type: 'string' } } }

function sender(metadata: object = {}): string {
  return code(
    { params: { $resolve: 'nonlocals.gw.in', ...message }, ...metadata },
    'return { params: ctx.run.tool.params, args }',
    { name: 'send', description: 'Sends a message' },
  )
}

describe('$resolve', () => {
  it('replaces the whole schema wherever the tool is described, listed or called', async () => {
    verifies('K24', 'S73', 'S74')
    const crib = await skillCrib(
      { 'send.skill.js': sender() },
      { skills: { nonlocals: { gw: { in: gateway } } } },
    )
    expect(await crib.value('skill-describe', { ref: 'send' })).toMatchObject({ params: gateway })
    expect(await crib.value('agent-discover', { query: 'send' })).toMatchObject({
      tools: [{ name: 'send', params: gateway }],
    })
    expect(crib.crib.described(crib.crib.find('send')).params).toEqual(gateway)
    expect(await crib.value('send', { channel: 'x' })).toEqual({ params: gateway, args: { channel: 'x' } })
    expect(await crib.code('send', { message: 'hi' })).toBe('PARAMS_INVALID')
  })

  it.each([
    ['nothing', {}],
    ['null', { gw: { in: null } }],
    ['a string', { gw: { in: 'object' } }],
    ['an array', { gw: { in: [gateway] } }],
  ])('leaves the static schema when the path holds %s', async (_what, nonlocals) => {
    verifies('K25', 'S73', 'S74')
    const crib = await skillCrib({ 'send.skill.js': sender() }, { skills: { nonlocals } })
    expect((await crib.run('send', { message: 'hi' })).ok).toBe(true)
    expect(await crib.code('send', { message: 1 })).toBe('PARAMS_INVALID')
    // The description shows the keyword; lists for models leave it out.
    expect(await crib.value('skill-describe', { ref: 'send' })).toMatchObject({
      params: { $resolve: 'nonlocals.gw.in', ...message },
    })
    const { tools } = (await crib.value('agent-discover', { query: 'send' })) as { tools: object[] }
    expect(tools).toEqual([{ name: 'send', description: 'Sends a message', params: message }])
  })

  it('means nothing deeper in a schema, or inside one it found', async () => {
    verifies('S73')
    const deep = { type: 'object', properties: { a: { $resolve: 'nonlocals.never', type: 'number' } } }
    const crib = await skillCrib(
      {
        'deep.skill.js': code({ params: deep }, 'return args.a'),
        'send.skill.js': sender(),
      },
      {
        skills: {
          nonlocals: { gw: { in: { $resolve: 'nonlocals.never', type: 'object' } }, never: { type: 'null' } },
        },
      },
    )
    expect(await crib.value('deep', { a: 1 })).toBe(1)
    expect(await crib.code('deep', { a: 'x' })).toBe('PARAMS_INVALID')
    expect((await crib.run('send', { anything: 1 })).ok).toBe(true)
  })

  it('that finds a schema which does not compile is SCHEMA_INVALID on call; lists show the static one', async () => {
    verifies('S75')
    const crib = await skillCrib(
      { 'send.skill.js': sender() },
      { skills: { nonlocals: { gw: { in: { type: 'nonsense' } } } } },
    )
    expect(await crib.run('send', {})).toMatchObject({ error: { code: 'SCHEMA_INVALID' } })
    const { tools } = (await crib.value('agent-discover', { query: 'send' })) as { tools: object[] }
    expect(tools).toMatchObject([{ params: message }])
  })

  it('sees what a middleware ordered before params has stamped', async () => {
    verifies('S75')
    const crib = await skillCrib({
      'gw.skill.js': `import { ctxTarget } from 'toolcrib/skill'\n${code(
        { role: 'middleware' },
        'ctxTarget(ctx).nonlocals.gw = { in: args }',
      )}`,
      'send.skill.js': sender({ gw: gateway, $order: { gw: { before: ['params'] } } }),
    })
    expect(await crib.value('send', { channel: 'x' })).toMatchObject({ params: gateway })
    expect(await crib.code('send', { message: 'hi' })).toBe('PARAMS_INVALID')
  })

  it('decides the schema of results, too', async () => {
    verifies('K26', 'S73', 'S74')
    const crib = await skillCrib(
      {
        'answer.skill.js': code(
          { ...anyParams, returns: { $resolve: 'nonlocals.out', type: 'number' } },
          'return args.give ?? ctx.run.tool.returns',
        ),
      },
      { skills: { nonlocals: { out: { type: 'object' } } } },
    )
    expect(await crib.value('answer')).toEqual({ type: 'object' })
    expect(await crib.code('answer', { give: 3 })).toBe('RESULT_INVALID')
  })
})

describe('skill-describe', () => {
  it('tells everything a skill states, and nothing it does not', async () => {
    verifies('K22', 'S86')
    const crib = await skillCrib({
      'skills/files/SKILL.md': `---
name: files
description: Reads and writes
license: MIT
compatibility: any
allowed-tools: [file-read, "file-w*"]
metadata:
  tags: [Files]
  params: {type: object}
---
Use them well.
`,
    })
    expect(await crib.value('skill-describe', { ref: 'files' })).toEqual({
      name: 'files',
      description: 'Reads and writes',
      role: 'context',
      params: { type: 'object' },
      tags: ['files'],
      allowedTools: 'file-read file-w*',
      license: 'MIT',
      compatibility: 'any',
      src: `file://${crib.root}/skills/files/SKILL.md`,
      content: 'Use them well.\n',
    })
    expect(await crib.code('skill-describe', { ref: 'nobody' })).toBe('TOOL_NOT_FOUND')
    expect(await crib.code('skill-describe', {})).toBe('PARAMS_INVALID')
  })

  it('says what runs inside this process, and what is wrong', async () => {
    verifies('S19', 'S86')
    const crib = await skillCrib({
      'job.skill.js': code(anyParams, 'return 1'),
      'inline.skill.md':
        '---\nname: inline\nmetadata:\n  role: chef\n  delegate: "inline://code,export default () => 1"\n---\n',
      'prose.skill.md': '---\nname: prose\n---\nWords.\n',
    })
    const inside = skillsHost === 'never' ? {} : { inProcess: true }
    expect(await crib.value('skill-describe', { ref: 'job' })).toMatchObject(inside)
    expect(await crib.value('skill-describe', { ref: 'inline' })).toMatchObject({
      ...inside,
      problems: [{ code: 'ROLE_UNKNOWN', line: 4 }],
    })
    expect(await crib.value('skill-describe', { ref: 'prose' })).not.toHaveProperty('inProcess')
  })

  it('says in a check what runs inside this process', async () => {
    verifies('S19')
    const cwd = tempFolder({
      'skills/job.skill.js': code(anyParams, 'return 1'),
      'skills/hooked.skill.md':
        '---\nname: hooked\nmetadata:\n  $hook: {after: [{ref: "inline://code,export default () => 1"}]}\n---\n',
      'skills/filed/SKILL.md': '---\nname: filed\nmetadata: {delegate: ./run.js}\n---\n',
      'skills/filed/run.js': 'export default () => 1\n',
      'skills/named.skill.md': '---\nname: named\nmetadata: {delegate: "rye:bash/run"}\n---\n',
      'skills/prose.skill.md': '---\nname: prose\n---\nWords.\n',
    })
    const { json } = await toolcrib(['check', '--json'], { cwd })
    expect(
      json.skills.map((skill: { id: string; inProcess: boolean }) => [skill.id, skill.inProcess]).sort(),
    ).toEqual([
      ['filed', true],
      ['hooked', true],
      ['job', true],
      ['named', false],
      ['prose', false],
    ])
    expect(json.skills).toContainEqual({ id: 'job', file: join(cwd, 'skills/job.skill.js'), inProcess: true })
    const { stderr } = await toolcrib(['check'], { cwd })
    expect(stderr).toContain('inProcess: true for filed, hooked, job\n')
  })

  it('gives a foreign tool its name and its source', async () => {
    verifies('K37', 'S54', 'S14')
    const server = fileURLToPath(new URL('../../../src/runtimes/mcp/fixtures/server.mjs', import.meta.url))
    const crib = await skillCrib(
      {},
      { mcp: { servers: { filesystem: { command: process.execPath, args: [server] } } } },
    )
    await crib.crib.discover()
    const foreign = crib.crib.list().filter((tool) => tool.format === 'mcp')
    expect(foreign.length).toBeGreaterThan(0)
    const [first] = foreign
    const upstream = planOf(first!, 'mcp')!.tool
    const hyphenated = upstream.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    expect(await crib.value('skill-describe', { ref: first!.id })).toMatchObject({
      name: `filesystem-${upstream}`,
      src: `mcp://filesystem/${hyphenated}`,
    })
    expect(crib.crib.find(`mcp://filesystem/${hyphenated}`).id).toBe(first!.id)
  })
})

describe('skill-list and agent-discover', () => {
  const files = {
    'mail-send.skill.js': code({ ...anyParams, tags: ['Mail', 'out'] }, 'return 1', {
      name: 'mail-send',
      description: 'Sends a letter',
    }),
    'letter.skill.js': code({ ...anyParams, tags: ['mail'] }, 'return 1', {
      name: 'letter',
      description: 'Writes',
    }),
    'secret.skill.js': code({ ...anyParams, visibility: 'hidden' }, 'return 1'),
    'around.skill.js': mw('around'),
  }
  const names = (value: unknown) =>
    ((value as { skills?: { name: string }[]; tools?: { name: string }[] }).skills ??
      (value as { tools: { name: string }[] }).tools)!.map((entry) => entry.name)

  it('list visible skills by words in any case and by tags, hits in the name first', async () => {
    verifies('S85')
    const crib = await skillCrib(files)
    expect(names(await crib.value('skill-list'))).toEqual([
      'app',
      'around',
      'driver',
      'letter',
      'mail-send',
      'toolcrib',
    ])
    expect(await crib.value('skill-list', { query: 'LETTER' })).toEqual({
      skills: [
        {
          name: 'letter',
          description: 'Writes',
          tags: ['mail'],
          src: `file://${crib.root}/skills/letter.skill.js`,
        },
        {
          name: 'mail-send',
          description: 'Sends a letter',
          tags: ['mail', 'out'],
          src: `file://${crib.root}/skills/mail-send.skill.js`,
        },
      ],
    })
    expect(names(await crib.value('skill-list', { tags: ['Mail', 'out'] }))).toEqual(['mail-send'])
    expect(names(await crib.value('skill-list', { query: 'mail writes' }))).toEqual(['letter'])
    expect(names(await crib.value('skill-list', { query: 'nothing like it' }))).toEqual([])
  })

  it('show no middleware to whoever is outside', async () => {
    verifies('S83', 'S85')
    const crib = await skillCrib(files)
    const outside = { principal: makePrincipal({ surface: 'mcp' }) }
    const listed = await crib.crib.call('skill-list', {}, outside)
    expect(listed.ok && names(listed.value)).toEqual(['app', 'driver', 'letter', 'mail-send', 'toolcrib'])
    const call = await crib.crib.call('around', {}, outside)
    expect(call).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
  })

  it('discover what an agent may call, with a limit and what it left off', async () => {
    verifies('S85')
    const crib = await skillCrib(files)
    expect(await crib.value('agent-discover', { query: 'mail' })).toEqual({
      tools: [
        { name: 'mail-send', description: 'Sends a letter', params: { type: 'object' } },
        { name: 'letter', description: 'Writes', params: { type: 'object' } },
      ],
      leftOff: 0,
    })
    expect(await crib.value('agent-discover', { query: 'mail', limit: 1 })).toMatchObject({ leftOff: 1 })
    const all = (await crib.value('agent-discover', { limit: 1000 })) as { tools: { name: string }[] }
    expect(all.tools.map((tool) => tool.name)).not.toContain('secret')
    expect(all.tools.map((tool) => tool.name)).not.toContain('around')
    expect(all.tools.map((tool) => tool.name)).not.toContain('skill-list')
  })

  it('are not in any list themselves', async () => {
    verifies('S80')
    const crib = await skillCrib({})
    expect(crib.crib.list().filter((tool) => tool.format === 'builtin')).toEqual([])
  })
})

describe('a skill’s text', () => {
  const expand = (crib: Awaited<ReturnType<typeof skillCrib>>, name: string, args: object = {}) =>
    crib.crib.expandPrompt(crib.crib.find(name), args as never)

  it('takes arguments, which are never looked at again', async () => {
    verifies('K40', 'S79')
    const crib = await skillCrib({
      'hi.skill.md': '---\nname: hi\nmetadata: {params: {type: object}}\n---\nHi :arg[name] at 10:30\n',
    })
    expect(expand(crib, 'hi', { name: 'Ada' })).toBe('Hi Ada at 10:30\n')
    expect(expand(crib, 'hi', { name: ':env[HOME] :arg[name]' })).toBe('Hi :env[HOME] :arg[name] at 10:30\n')
    expect(expand(crib, 'hi', { name: { a: [1] } })).toBe('Hi {"a":[1]} at 10:30\n')
    expect(expand(crib, 'hi')).toBe('Hi  at 10:30\n')
  })

  it('takes only the variables that are allowed; others are a warning', async () => {
    verifies('K40', 'S79')
    const text = '---\nname: hi\ndescription: Hi\n---\nOne\n:env[SHOWN] :env[UNSET] :env[KEPT]\n'
    const crib = await skillCrib(
      { 'hi.skill.md': text },
      { skills: { promptEnv: ['SHOWN', 'UNSET'] } },
      { SHOWN: 'yes', KEPT: 'secret' },
    )
    expect(expand(crib, 'hi')).toBe('One\nyes  :env[KEPT]\n')
    const { problems } = await crib.crib.check()
    expect(problems.filter((problem) => problem.code === 'ENV_NOT_ALLOWED')).toMatchObject([
      { severity: 'warning', toolId: 'hi', line: 6, message: expect.stringContaining('KEPT') },
    ])
  })

  it('takes paths inside its folder, values of the context, configuration, skills and tools', async () => {
    verifies('S79')
    const crib = await skillCrib(
      {
        'skills/kit/SKILL.md': `---
name: kit
metadata: {config: {tone: calm, from: "\${nonlocals.org}"}}
---
:path[data/a.txt]
:path[../x] :path[link/b]
:context[nonlocals.org] :context[args.n] :context[run.tool.name] [:context[globals.config]] [:context[manager]]
:config[tone] :config[from] :config[runtime.name]
:skill[other] :skill[nobody]
:tool[add] :tool[nobody]
`,
        'skills/kit/data/a.txt': 'a',
        'other.skill.md': '---\nname: other\n---\nOther :arg[x].',
        'add.skill.js': code(anyParams, 'return 1', { name: 'add', description: 'Adds' }),
      },
      { skills: { nonlocals: { org: 'Acme' } } },
    )
    mkdirSync(join(crib.root, 'outside'))
    writeFileSync(join(crib.root, 'outside/b'), 'b')
    symlinkSync(join(crib.root, 'outside'), join(crib.root, 'skills/kit/link'))
    expect(expand(crib, 'kit', { n: 1 }).split('\n')).toEqual([
      join(crib.root, 'skills/kit/data/a.txt'),
      ':path[../x] :path[link/b]',
      'Acme 1 kit [] []',
      'calm Acme toolcrib',
      'Other :arg[x]. :skill[nobody]',
      'add: Adds',
      'Parameters: {"type":"object"} :tool[nobody]',
      '',
    ])
  })
})
