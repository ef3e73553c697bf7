// Markdown skills run by a model: what it is told, what it can call, when it is done and when it is stopped.
import { describe, expect, it, vi } from 'vitest'
import { libraryPrincipal } from '../../../src/tool/principal.ts'
import { verifies } from '../../helpers/verifies.ts'
import { type Asked, modelServer, type Provider, type Scripted } from './model-server.ts'
import { anyParams, code, type Files, skillCrib, skillsHost } from './skill-crib.ts'

const patient = { timeout: 20_000 }
const providers: Provider[] = ['openai-compatible', 'ollama', 'anthropic']

const add = code(
  { params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
  'return { sum: args.a + args.b }',
)

/** A markdown skill from a JSON frontmatter, which is YAML too. */
function markdown(name: string, body: string, metadata: object = {}, more: object = {}): string {
  return `---\n${JSON.stringify({ name, description: `The ${name}`, metadata, ...more })}\n---\n${body}\n`
}

/** The offered tools without those that ship with the program. */
function ownTools(asked: Asked): string[] {
  return asked.tools.filter((name) => !/^(rye|crumbs)_/.test(name))
}

async function agentCrib(
  script: Parameters<typeof modelServer>[0],
  files: Files = {},
  config: { [key: string]: unknown } = {},
  model: object = {},
) {
  const server = await modelServer(script)
  const crib = await skillCrib(
    { 'bot.skill.md': markdown('bot', 'You are a bot.', anyParams), ...files },
    { models: server.models('openai-compatible', model), ...config },
  )
  return { ...crib, asked: server.asked }
}

const calls = (name: string, args: unknown = {}): Scripted => ({ calls: [{ name, args }] })

describe.each(providers)('an agent with %s', (provider) => {
  it.each([true, false])('uses tools and gives the last text (stream: %s)', async (stream) => {
    verifies('S76', 'S77', 'S80', 'S81', 'D18')
    const model = await modelServer([
      { text: 'Let me see. ', calls: [{ name: 'add', args: { a: 1, b: 2 } }] },
      { text: 'It is 3.' },
    ])
    const crib = await skillCrib(
      { 'add.skill.js': add, 'sums.skill.md': markdown('sums', 'You do sums.', anyParams) },
      { models: model.models(provider, { stream }) },
    )
    const texts: string[] = []
    const outcome = await crib.crib.call('sums', { q: '1+2' }, { onText: (text) => texts.push(text) })
    expect(outcome).toMatchObject({
      ok: true,
      value: 'It is 3.',
      meta: { model: 'scripted', turns: 2, tokens: { input: 20, output: 10 } },
    })
    expect(texts.join('')).toBe('Let me see. It is 3.')
    expect(model.asked).toHaveLength(2)
    expect(model.asked.map((asked) => asked.isStreamed)).toEqual([stream, stream])
    expect(model.asked[0]!.system).toContain('You do sums.')
    expect(model.asked[0]!.messages).toEqual([{ role: 'user', text: '{"q":"1+2"}' }])
    expect(ownTools(model.asked[0]!)).toEqual(['add', 'driver'])
    expect(model.asked[0]!.schemaOf('add')).toMatchObject({ properties: { a: { type: 'number' } } })
    expect(model.asked[1]!.messages.at(-1)!.text).toContain('{"sum":3}')
  })

  it('is refused with the reason and without the key', async () => {
    verifies('S76')
    const key = 'sk-very-secret-value'
    const model = await modelServer([{ status: 401, error: `The key ${key} is wrong` }])
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'You are a bot.') },
      { models: model.models(provider, { apiKey: 'env://MODEL_KEY' }) },
      { MODEL_KEY: key },
    )
    const outcome = await crib.run('bot')
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UPSTREAM_FAILED' } })
    expect(JSON.stringify(outcome)).toContain('answered 401')
    expect(JSON.stringify(outcome)).not.toContain(key)
    const { headers } = model.asked[0]!
    expect(headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '')).toBe(key)
  })

  it('gives a structured result through return_result', async () => {
    verifies('S82')
    const model = await modelServer([calls('return_result', { total: 3 })])
    const crib = await skillCrib(
      {
        'sums.skill.md': markdown('sums', 'You do sums.', {
          returns: { type: 'object', required: ['total'], properties: { total: { type: 'number' } } },
        }),
      },
      { models: model.models(provider) },
    )
    expect(await crib.value('sums')).toEqual({ total: 3 })
    expect(model.asked[0]!.schemaOf('return_result')).toMatchObject({ required: ['total'] })
  })

  it('stops asking when the call is cancelled', async () => {
    verifies('S77')
    let release = () => {}
    const hold = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = await modelServer([{ text: 'This takes forever.', hold }])
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'You are a bot.') },
      { models: model.models(provider) },
    )
    const stop = new AbortController()
    const outcome = await crib.crib.call('bot', {}, { signal: stop.signal, onText: () => stop.abort() })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    release()
    expect(model.asked).toHaveLength(1)
  })
})

describe('the conversation', () => {
  it('begins with Begin. when there are no arguments', async () => {
    verifies('S77')
    const { value, asked } = await agentCrib([{ text: 'done' }])
    expect(await value('bot')).toBe('done')
    expect(asked[0]!.messages).toEqual([{ role: 'user', text: 'Begin.' }])
  })

  it('runs the calls of one answer one after the other', async () => {
    verifies('S80')
    const { value, log } = await agentCrib(
      [{ calls: ['a', 'b'].map((step) => ({ name: 'slow', args: { step } })) }, { text: 'ok' }],
      {
        'slow.skill.js': code(
          anyParams,
          `ctx.globals.log.push(args.step + '-in'); await new Promise((done) => setTimeout(done, 20)); ctx.globals.log.push(args.step + '-out')`,
        ),
      },
    )
    expect(await value('bot')).toBe('ok')
    expect(await log()).toEqual(['a-in', 'a-out', 'b-in', 'b-out'])
  })

  it('gives errors back to the model, and goes on', async () => {
    verifies('S80')
    const { value, asked } = await agentCrib(
      [
        calls('boom'),
        calls('add', { a: 'x' }),
        calls('nothing'),
        { calls: [{ name: 'add', args: {} }], rawArgs: '{"a": ' },
        { text: 'I give up.' },
      ],
      { 'add.skill.js': add, 'boom.skill.js': code(anyParams, 'throw new Error("boom")') },
    )
    expect(await value('bot')).toBe('I give up.')
    const replies = asked.slice(1).map((each) => each.messages.at(-1)!.text)
    expect(replies[0]).toBe('error: TOOL_FAILED: boom')
    expect(replies[1]).toContain('error: PARAMS_INVALID: add: /a must be number')
    expect(replies[2]).toContain('error: TOOL_NOT_FOUND: there is no tool "nothing"')
    expect(replies[3]).toContain('error: PARAMS_INVALID:')
  })

  it('makes public calls through the whole pipeline, in the name of the agent', async () => {
    verifies('S80')
    const { value, asked } = await agentCrib([calls('who'), calls('add', { $context: {} }), { text: 'ok' }], {
      'add.skill.js': add,
      'who.skill.js': code(
        { ...anyParams, seen: null },
        'return { parent: ctx.envelope.parent.run.tool.name, depth: ctx.locals.history.length }',
      ),
    })
    expect(await value('bot')).toBe('ok')
    expect(asked[1]!.messages.at(-1)!.text).toBe('{"parent":"bot","depth":2}')
    expect(asked[2]!.messages.at(-1)!.text).toContain('PARAMS_INVALID')
  })

  it('is run for an inline markdown delegate, as a skill of its own', async () => {
    verifies('K13', 'S69')
    const { value, asked } = await agentCrib([{ text: 'one two' }], {
      'counter.skill.md': markdown('counter', 'Unused.', {
        delegate: 'inline://markdown,---\nname: y\n---\nCount to two.',
      }),
    })
    expect(await value('counter')).toBe('one two')
    expect(asked[0]!.system).toContain('Count to two.')
    expect(asked[0]!.system).not.toContain('Unused.')
  })

  it('uses a prompt that a middleware wrote', async () => {
    verifies('S77')
    const { value, asked } = await agentCrib([{ text: 'ok' }], {
      'rewrite.skill.js': `import { ctxTarget } from 'toolcrib/skill'\n${code(
        { role: 'middleware' },
        'const { prompt } = ctxTarget(ctx).locals; prompt.expanded = prompt.raw.toUpperCase()',
      )}`,
      'loud.skill.md': markdown('loud', 'Be loud.', { rewrite: null }),
    })
    await value('loud')
    expect(asked[0]!.system).toContain('BE LOUD.')
  })

  it('puts loaded skills where other skills see them', async () => {
    verifies('S14')
    const { value } = await agentCrib([{ text: 'ok' }], {
      'add.skill.js': add,
      'look.skill.js': code(
        anyParams,
        `const tools = ctx.globals.tools
        const view = (tool) => ({ keys: Object.keys(tool).sort(), fn: typeof tool.fn, src: tool.src.slice(0, 7), content: tool.content, name: tool.frontmatter.name })
        return { add: view(tools.add), bot: view(tools.bot), isModule: tools.add.module.default === tools.add.fn }`,
      ),
    })
    await value('add', { a: 1, b: 1 })
    await value('bot')
    expect(await value('look')).toEqual({
      add: { keys: ['fn', 'frontmatter', 'module', 'src'], fn: 'function', src: 'file://', name: 'add' },
      bot: {
        keys: ['content', 'fn', 'frontmatter', 'src'],
        fn: 'object',
        src: 'file://',
        content: 'You are a bot.\n',
        name: 'bot',
      },
      isModule: true,
    })
  })
})

describe('the tools of an agent', () => {
  const many = (count: number): Files =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => {
        const name = `tool-${String(n).padStart(2, '0')}`
        return [
          `${name}.skill.js`,
          code({ ...anyParams, tags: [n % 2 ? 'odd' : 'even'] }, `return '${name}'`),
        ]
      }),
    )

  it('are all offered up to 40', async () => {
    verifies('K56', 'S80')
    // The driver has parameters, too; the agent is not offered to itself.
    const { value, asked } = await agentCrib([{ text: 'ok' }], many(39))
    await value('bot')
    expect(ownTools(asked[0]!)).toHaveLength(40)
    expect(ownTools(asked[0]!)).toEqual([...ownTools(asked[0]!)].sort())
  })

  it('are found, described and called by name from 41 on', async () => {
    verifies('K56', 'S80', 'S85', 'S86')
    const { value, asked } = await agentCrib(
      [
        calls('agent-discover', { query: 'TOOL', tags: ['odd'], limit: 2 }),
        calls('skill-describe', { ref: 'tool-01' }),
        calls('tool-call', { name: 'tool-01', args: {} }),
        calls('tool-call', { name: 'tool-99' }),
        { text: 'ok' },
      ],
      many(40),
    )
    expect(await value('bot')).toBe('ok')
    expect(asked[0]!.tools).toEqual(['agent-discover', 'skill-describe', 'tool-call'])
    const replies = asked.slice(1).map((each) => each.messages.at(-1)!.text)
    expect(JSON.parse(replies[0]!)).toEqual({
      tools: [
        { name: 'tool-01', params: { type: 'object' } },
        { name: 'tool-03', params: { type: 'object' } },
      ],
      leftOff: 18,
    })
    expect(JSON.parse(replies[1]!)).toMatchObject({ name: 'tool-01', tags: ['odd'] })
    expect(replies[2]).toBe('tool-01')
    expect(replies[3]).toContain('error: TOOL_NOT_FOUND')
  })

  it('are those its list could allow, of every format, and no others can be called', async () => {
    verifies('K54', 'S63', 'S80')
    const { value, asked } = await agentCrib(
      [calls('rye_file-system_list', { path: '.' }), calls('add', { a: 1, b: 1 }), { text: 'ok' }],
      {
        'add.skill.js': add,
        'lister.skill.md': markdown('lister', 'List.', {}, { 'allowed-tools': 'rye:*' }),
      },
    )
    expect(await value('lister')).toBe('ok')
    expect(asked[0]!.tools.length).toBeGreaterThan(3)
    expect(ownTools(asked[0]!)).toEqual([])
    expect(asked[1]!.messages.at(-1)!.text).toContain('main.skill.md')
    expect(asked[2]!.messages.at(-1)!.text).toContain('error: TOOL_DENIED: lister may not call add')
  })

  it('are bound by the list also when they are called by name', async () => {
    verifies('K54', 'S63')
    const { value, asked } = await agentCrib(
      [
        calls('agent-discover', { query: 'tool-4', limit: 50 }),
        calls('skill-describe', { ref: 'tool-00' }),
        calls('tool-call', { name: 'tool-00' }),
        calls('tool-call', { name: 'tool-41' }),
        { text: 'ok' },
      ],
      {
        ...many(60),
        'few.skill.md': markdown('few', 'Few.', {}, { 'allowed-tools': 'tool-* tool-0?($deny)' }),
      },
    )
    expect(await value('few')).toBe('ok')
    const replies = asked.slice(1).map((each) => each.messages.at(-1)!.text)
    expect(JSON.parse(replies[0]!).tools.map((tool: { name: string }) => tool.name)).toHaveLength(10)
    expect(replies[1]).toContain('error: TOOL_NOT_FOUND')
    expect(replies[2]).toContain('error: TOOL_DENIED')
    expect(replies[3]).toBe('tool-41')
  })

  it('have names that providers take; a clash gets a number', async () => {
    verifies('S80')
    const server = await modelServer([calls('a_b-2'), { text: 'ok' }])
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'Bot.', {}, { 'allowed-tools': 'a.* a/*' }) },
      { models: server.models() },
    )
    for (const id of ['a/b', 'a.b'])
      crib.crib.addTool({ id, params: { type: 'object' }, fn: () => `this is ${id}` })
    expect(await crib.value('bot')).toBe('ok')
    expect(server.asked[0]!.tools).toEqual(['a_b', 'a_b-2'])
    expect(server.asked[1]!.messages.at(-1)!.text).toBe('this is a/b')
  })

  it('leave out hidden skills, middleware and skills without params', async () => {
    verifies('S80', 'S83')
    const { value, asked } = await agentCrib([calls('secret'), calls('inner'), { text: 'ok' }], {
      'secret.skill.js': code({ ...anyParams, visibility: 'hidden' }, 'return 1'),
      'inner.skill.js': code({ ...anyParams, role: 'middleware' }, 'return 1'),
      'bare.skill.js': code({}, 'return 1'),
    })
    await value('bot')
    expect(ownTools(asked[0]!)).toEqual(['driver'])
    for (const each of asked.slice(1)) expect(each.messages.at(-1)!.text).toContain('TOOL_NOT_FOUND')
  })

  it('that need approval are refused where nobody can be asked, and run once somebody approves', async () => {
    verifies('S80')
    const { crib, value, asked } = await agentCrib(
      [calls('add', { a: 1, b: 2 }), { text: 'ok' }],
      { 'add.skill.js': add },
      { approve: ['add'] },
    )
    await value('bot')
    expect(asked[1]!.messages.at(-1)!.text).toContain('error: APPROVAL_DENIED')
    asked.length = 0
    const leave = crib.approvals.attend()
    crib.approvals.once('requested', ({ id, tool, params, caller }) => {
      expect({ tool, params, caller }).toEqual({ tool: 'add', params: { a: 1, b: 2 }, caller: 'library' })
      crib.approvals.decide(id, { decision: 'approve', by: 'Ada' })
    })
    await value('bot')
    leave()
    expect(asked[1]!.messages.at(-1)!.text).toContain('{"sum":3}')
  })
})

describe('an agent is stopped', () => {
  it('after 30 answers', async () => {
    verifies('K56', 'S81')
    const { run, asked } = await agentCrib([calls('add', { a: 1, b: 1 })], { 'add.skill.js': add })
    expect(await run('bot')).toMatchObject({
      ok: false,
      error: { code: 'TURNS_EXCEEDED' },
      meta: { turns: 30 },
    })
    expect(asked).toHaveLength(30)
  })

  it('after as many answers as its model or its metadata says', async () => {
    verifies('S76', 'S81')
    const { code: codeOf, asked } = await agentCrib(
      [calls('add', { a: 1, b: 1 })],
      {
        'add.skill.js': add,
        'short.skill.md': markdown('short', 'Short.', { model: { id: 'scripted', maxTurns: 2 } }),
      },
      {},
      { maxTurns: 4 },
    )
    expect(await codeOf('bot')).toBe('TURNS_EXCEEDED')
    expect(asked).toHaveLength(4)
    expect(await codeOf('short')).toBe('TURNS_EXCEEDED')
    expect(asked).toHaveLength(6)
  })

  it('when its tokens are used up', async () => {
    verifies('S81')
    const { run, asked } = await agentCrib(
      [{ ...calls('add', { a: 1, b: 1 }), input: 60, output: 40 }],
      { 'add.skill.js': add },
      {},
      { maxTokens: 250 },
    )
    expect(await run('bot')).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('300 tokens of 250') },
    })
    expect(asked).toHaveLength(3)
  })

  it('when it has cost enough, and the outcome says what', async () => {
    verifies('S81')
    const { run } = await agentCrib(
      [{ ...calls('add', { a: 1, b: 1 }), input: 1_000_000, output: 500_000 }],
      { 'add.skill.js': add },
      {},
      { maxCost: 5, price: { input: 1, output: 4, currency: 'EUR' } },
    )
    expect(await run('bot')).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED' },
      cost: { amount: 6, currency: 'EUR' },
    })
  })

  it('when its time is up', async () => {
    verifies('S81')
    const hold = new Promise<void>(() => {})
    const { crib } = await agentCrib([{ text: 'Thinking.', hold }])
    const outcome = await crib.call('bot', {}, { timeoutMs: 1_000 })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
  })

  // Behind the fence an agent's session has processes of its own, whose `globals` nobody else sees.
  it.skipIf(skillsHost === 'never')('with the tool it was calling', async () => {
    verifies('S80')
    const { crib, log } = await agentCrib([calls('wait')], {
      'wait.skill.js': code(
        anyParams,
        `ctx.globals.log.push('waiting')
        await new Promise((done) => ctx.envelope.signal.addEventListener('abort', done))
        ctx.globals.log.push('stopped')`,
      ),
    })
    const stop = new AbortController()
    const running = crib.call('bot', {}, { signal: stop.signal })
    const seen: string[] = []
    await vi.waitUntil(async () => seen.push(...(await log())) > 0, patient)
    stop.abort()
    expect(await running).toMatchObject({ error: { code: 'CANCELLED' } })
    await vi.waitUntil(async () => seen.push(...(await log())) > 0 && seen.includes('stopped'), patient)
  })
})

describe('a structured result', () => {
  const total = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }

  it('may take two repairs', async () => {
    verifies('K57', 'S82')
    const { value, asked } = await agentCrib(
      [
        { text: 'It is three.' },
        calls('return_result', { total: 'three' }),
        calls('return_result', { total: 3 }),
      ],
      { 'sum.skill.md': markdown('sum', 'Sum.', { returns: total }) },
    )
    expect(await value('sum')).toEqual({ total: 3 })
    expect(asked[1]!.messages.at(-1)).toMatchObject({
      role: 'user',
      text: expect.stringContaining('prose'),
    })
    expect(asked[2]!.messages.at(-1)!.text).toContain('/total must be number')
  })

  it('that stays invalid is RESULT_INVALID after three answers', async () => {
    verifies('K57', 'S82')
    const { run, asked } = await agentCrib([calls('return_result', { total: 'x' })], {
      'sum.skill.md': markdown('sum', 'Sum.', { returns: total }),
    })
    expect(await run('sum')).toMatchObject({
      error: { code: 'RESULT_INVALID', message: expect.stringMatching(/sum.*\/total must be number/) },
    })
    expect(asked).toHaveLength(3)
  })

  it('that is no object is wrapped and unwrapped, whatever the list says', async () => {
    verifies('S82')
    const { value, asked } = await agentCrib([calls('return_result', { value: ['a', 'b'] })], {
      'names.skill.md': markdown(
        'names',
        'Names.',
        { returns: { type: 'array', items: { $ref: '#/$defs/name' }, $defs: { name: { type: 'string' } } } },
        { 'allowed-tools': '' },
      ),
    })
    expect(await value('names')).toEqual(['a', 'b'])
    expect(asked[0]!.tools).toEqual(['return_result'])
    expect(asked[0]!.schemaOf('return_result')).toMatchObject({
      required: ['value'],
      properties: { value: { type: 'array' } },
      $defs: { name: { type: 'string' } },
    })
  })

  it('follows the schema that $resolve finds', async () => {
    verifies('K26', 'S73', 'S74')
    const { value, asked } = await agentCrib(
      [calls('return_result', { ok: true })],
      {
        'answer.skill.md': markdown('answer', 'Answer.', {
          returns: { $resolve: 'nonlocals.gw.out', type: 'string' },
        }),
      },
      { skills: { nonlocals: { gw: { out: { type: 'object', required: ['ok'] } } } } },
    )
    expect(await value('answer')).toEqual({ ok: true })
    expect(asked[0]!.schemaOf('return_result')).toEqual({ type: 'object', required: ['ok'], properties: {} })
  })
})

describe('without a model', () => {
  it('a markdown skill says what to add, and its text can still be read', async () => {
    verifies('K55', 'S78')
    const crib = await skillCrib({ 'bot.skill.md': markdown('bot', 'Hello :arg[name].', anyParams) })
    expect(await crib.run('bot')).toMatchObject({
      error: {
        code: 'MODEL_MISSING',
        message: expect.stringMatching(/toolcrib\.yaml.*models:/s),
        hint: expect.stringContaining('MCP prompt "bot"'),
      },
    })
    expect(await crib.value('read_skill', { skill_name: 'bot' })).toBe('Hello :arg[name].\n')
    expect(crib.crib.expandPrompt(crib.crib.find('bot'), { name: 'Ada' })).toBe('Hello Ada.\n')
  })

  it('the text of a single-file skill is also in the read_skill of tools.json folders', async () => {
    verifies('K55')
    const crib = await skillCrib(
      {
        'bot.skill.md': markdown('bot', 'Hello.', anyParams),
        'skills/guide/SKILL.md': '---\nname: guide\ndescription: A guide\n---\nGuide.\n',
      },
      { skills: { contextMode: 'readOnDemand' } },
    )
    expect(crib.crib.find('read_skill').format).toBe('tools-json')
    expect(await crib.value('read_skill', { skill_name: 'guide' })).toContain('Guide.')
    expect(await crib.value('read_skill', { skill_name: 'bot' })).toBe('Hello.\n')
    expect(await crib.code('read_skill', { skill_name: 'nobody' })).toBe('PARAMS_INVALID')
  })

  it.each([
    ['a model nobody configured', { default: 'a', a: 'b' }, undefined, 'MODEL_MISSING'],
    ['names in a circle', { default: 'a', a: 'default' }, undefined, 'CONFIG_INVALID'],
    [
      'metadata that names an unknown one',
      { default: { provider: 'ollama', model: 'x' } },
      'big',
      'MODEL_MISSING',
    ],
  ])('%s is an error with a way out', async (_what, models, model, codeOf) => {
    verifies('S76', 'S78')
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'Bot.', model ? { model } : {}) },
      { models },
    )
    const outcome = await crib.run('bot')
    expect(outcome).toMatchObject({ ok: false, error: { code: codeOf, hint: expect.stringMatching(/./) } })
  })

  it('a model that cannot be reached is named with its address', async () => {
    verifies('S78')
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'Bot.') },
      { models: { default: { provider: 'ollama', baseURL: 'http://127.0.0.1:9', model: 'x' } } },
    )
    const outcome = await crib.run('bot')
    expect(outcome).toMatchObject({
      error: { code: 'UPSTREAM_FAILED', hint: expect.stringContaining('ollama serve') },
    })
    expect(JSON.stringify(outcome)).toContain('http://127.0.0.1:9')
  })

  it('an address with a password in it is refused and not shown', async () => {
    verifies('S76')
    const crib = await skillCrib(
      { 'bot.skill.md': markdown('bot', 'Bot.') },
      { models: { default: { provider: 'ollama', baseURL: 'http://user:pw@127.0.0.1:9', model: 'x' } } },
    )
    const outcome = await crib.run('bot')
    expect(outcome).toMatchObject({ error: { code: 'CONFIG_INVALID' } })
    expect(JSON.stringify(outcome)).not.toContain('pw@')
  })

  it('an apiKey without a value says where it should come from', async () => {
    verifies('S76')
    const { run } = await agentCrib([{ text: 'ok' }], {}, {}, { apiKey: 'env://NO_SUCH_KEY' })
    expect(await run('bot')).toMatchObject({
      error: { code: 'SECRET_MISSING', message: expect.stringContaining('env://NO_SUCH_KEY') },
    })
  })

  it('an apiKey comes from the secrets of the crib', async () => {
    verifies('S76')
    const { crib, value, asked } = await agentCrib([{ text: 'ok' }], {}, {}, { apiKey: 'secret://MODEL_KEY' })
    const { secrets } = await crib.crumbs.open()
    await secrets.set('MODEL_KEY', 'sk-from-the-store', libraryPrincipal)
    expect(await value('bot')).toBe('ok')
    expect(asked[0]!.headers.authorization).toBe('Bearer sk-from-the-store')
  })
})

describe('context skills', () => {
  const guide = (name: string, body: string) =>
    `---\nname: ${name}\ndescription: About ${name}\n---\n${body}\n`

  it('of the same authority are appended by name; a list can exclude them', async () => {
    verifies('S83')
    const { value, asked } = await agentCrib([{ text: 'ok' }], {
      'skills/b-guide/SKILL.md': guide('b-guide', 'Be brief. :arg[x]'),
      'skills/a-guide/SKILL.md': guide('a-guide', 'Be kind.'),
      'skills/hidden-guide/SKILL.md':
        '---\nname: hidden-guide\nmetadata: {visibility: hidden}\n---\nHidden.\n',
      'skills/other/main.skill.md': '---\nname: other-app\nmetadata: {role: main}\n---\nOther.\n',
      'skills/other/solo.skill.md': markdown('solo', 'Solo.'),
      'picky.skill.md': markdown('picky', 'Picky.', {}, { 'allowed-tools': 'a-*' }),
    })
    await value('bot')
    const { system } = asked[0]!
    expect(system.indexOf('## Skill a-guide\n\nBe kind.')).toBeGreaterThan(0)
    expect(system.indexOf('## Skill b-guide\n\nBe brief. :arg[x]')).toBeGreaterThan(system.indexOf('a-guide'))
    expect(system).not.toContain('Hidden.')
    await value('picky')
    expect(asked[1]!.system).toContain('Be kind.')
    expect(asked[1]!.system).not.toContain('Be brief.')
    await value('solo')
    expect(asked[2]!.system).not.toContain('Be kind.')
  })

  it('past the limit are listed and can be read', async () => {
    verifies('S83')
    const { value, asked } = await agentCrib(
      [
        calls('read_skill', { skill_name: 'b-guide' }),
        calls('read_skill', { skill_name: 'x' }),
        { text: 'ok' },
      ],
      {
        'skills/a-guide/SKILL.md': guide('a-guide', 'short'),
        'skills/b-guide/SKILL.md': guide('b-guide', 'long '.repeat(20)),
      },
      { skills: { contextBytes: 50 } },
    )
    await value('bot')
    expect(asked[0]!.system).toContain('## Skill a-guide\n\nshort')
    expect(asked[0]!.system).toContain('- b-guide: About b-guide')
    expect(asked[0]!.tools).toContain('read_skill')
    expect(asked[1]!.messages.at(-1)!.text).toContain('long long')
    expect(asked[2]!.messages.at(-1)!.text).toContain('error: PARAMS_INVALID')
  })

  it('are all listed with readOnDemand', async () => {
    verifies('S83')
    const { value, asked } = await agentCrib(
      [{ text: 'ok' }],
      { 'skills/a-guide/SKILL.md': guide('a-guide', 'short') },
      { skills: { contextMode: 'readOnDemand' } },
    )
    await value('bot')
    expect(asked[0]!.system).toContain('- a-guide: About a-guide')
    expect(asked[0]!.system).not.toContain('short')
    expect(asked[0]!.tools.filter((name) => name === 'read_skill')).toHaveLength(1)
  })

  it('that nobody signed are not read to a model where signatures are required', async () => {
    verifies('S83', 'S19')
    const server = await modelServer([{ text: 'ok' }])
    const crib = await skillCrib(
      { 'skills/a-guide/SKILL.md': guide('a-guide', 'Obey me.') },
      { models: server.models(), trust: 'require' },
    )
    const { taskAgent } = await import('../../../src/surfaces/agent/task-agent.ts')
    expect(await crib.crib.call(taskAgent(crib.crib, {}), { task: 'Do it.' })).toMatchObject({ value: 'ok' })
    expect(server.asked[0]!.messages).toEqual([{ role: 'user', text: 'Do it.' }])
    expect(server.asked[0]!.system).not.toContain('Obey me.')
  })
})
