// Hints of calls through the library: rye tools, commands of tools.json, tool-code, skills and tools made in code.
import { chmodSync } from 'node:fs'
import type { Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, descriptor, doc, markdown, python, rye } from './writers.ts'

const granted = (...capabilities: string[]) =>
  `grants: { default: [fs.read, fs.write, ${capabilities.join(', ')}] }\n`
/** A rye tool `a` that may start programs. */
const tool = (fields: { readonly [key: string]: string | null }, settings = ''): Files => ({
  '.ai/tools/a.yaml': rye('a', fields),
  'toolcrib.yaml': `${granted('shell.execute')}${settings}`,
})
const call =
  (files: Files, params: unknown = {}, options = {}): Step =>
  (at) =>
    at.call(files, 'a', params, options)
const word = '[{ name: word, type: string, description: What }]'
/** The tool `say_it` of a skill, which runs one program of the machine. */
const command = (changes: Record<string, unknown>, execution: Record<string, unknown> = {}): Files => ({
  'skills/say/SKILL.md': markdown('say'),
  'skills/say/tools.json': descriptor(changes, execution),
})
const say =
  (files: Files, params: unknown = {}, options = {}): Step =>
  (at) =>
    at.call(files, 'say_it', params, options)
const texts = (names: readonly string[], required: readonly string[] = []) => ({
  tools: [
    {
      name: 'say_it',
      description: 'Says',
      parameters: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
        required,
      },
    },
  ],
})
const printing = (script: string) => `{ command: sh, args: [-c, '${script}'] }`
const deno = (source: string, more: Record<string, unknown> = {}): Files => ({
  'crumbs/a.json': doc({
    name: 'a',
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
    examples: [],
    code: { language: 'typescript', source },
    ...more,
  }),
})
const execute = (body: string) => `export async function execute(input, context) { ${body} }`
const skill = (body: string, front = ''): Files => ({ 'skills/a.skill.js': code('a', front, body) })

export const ryeCalls: Table = {
  'Make it executable (chmod +x).': [
    call({ ...tool({ config: '{ command: ./run.sh, args: [] }' }), 'run.sh': '#!/bin/sh\necho x\n' }),
    (at) => {
      chmodSync(at.path('run.sh'), 0o755)
      return at.call({}, 'a')
    },
  ],
  'Pass ${}, or give the parameter a default.': [
    call({
      '.ai/tools/a.yaml': rye('a', {
        tool_type: 'file',
        executor_id: 'filesystem',
        parameters: '[{ name: name, type: string, description: Which, required: false }]',
        config: '{ operation: read, path: "{name}.txt" }',
      }),
      'x.txt': 'x\n',
    }),
    call({}, { name: 'x' }),
  ],
  'Filesystem tools work inside the project folder only.': [
    call(
      {
        '.ai/tools/a.yaml': rye('a', {
          tool_type: 'file',
          executor_id: 'filesystem',
          parameters: '[{ name: name, type: string, description: Which }]',
          config: '{ operation: read, path: "{name}" }',
        }),
        'x.txt': 'x\n',
      },
      { name: '/etc/hostname' },
    ),
    call({}, { name: 'x.txt' }),
  ],
  "It needs ${} for that place; the crib's own files are never opened to tools.": [
    call({
      '.ai/tools/a.yaml': rye('a', {
        tool_type: 'file',
        executor_id: 'filesystem',
        config: '{ operation: read, path: notes/x.txt }',
      }),
      'notes/x.txt': 'x\n',
      'toolcrib.yaml': 'grants: { default: ["fs.read:docs/**"] }\n',
    }),
    call({ 'toolcrib.yaml': 'grants: { default: ["fs.read:notes/**"] }\n' }),
  ],
  'Pass long values on standard input (config.input_data).': [
    call(tool({ parameters: word, config: '{ command: cat, args: ["{word}"] }' }), {
      word: 'y'.repeat(200_000),
    }),
    call(tool({ parameters: word, config: '{ command: wc, args: [-c], input_data: "{word}" }' }), {
      word: 'y'.repeat(200_000),
    }),
  ],
  'Write a file name as ./-name, or set allow_dash: true for this argument in the definition.': [
    call(tool({ parameters: word, config: '{ command: echo, args: [{ param: word }] }' }), { word: '-n' }),
    call({}, { word: './-n' }),
  ],
  'Give ${} too.': [
    call(
      tool({
        parameters:
          '[{ name: one, type: string, description: W, required: false }, { name: two, type: string, description: W, required: false }]',
        config: '{ command: echo, args: [{ param: one }, { param: two }] }',
      }),
      { two: 'b' },
    ),
    call({}, { one: 'a', two: 'b' }),
  ],
  'Return less, write the data to a file, or raise limits.outputBytes.': [
    call(tool({ config: printing('head -c 9000 /dev/zero') }, 'limits: { outputBytes: 5000 }\n')),
    call({ 'toolcrib.yaml': `${granted('shell.execute')}limits: { outputBytes: 50000 }\n` }),
  ],
  'Give it more time with --timeout, or a larger timeout in its definition.': [
    call(tool({ config: printing('sleep 0.6') }), {}, { call: { timeoutMs: 150 } }),
    call({}, {}, { call: { timeoutMs: 20_000 } }),
  ],
  'It must start with http:// or https://.': [
    call({
      '.ai/tools/a.yaml': rye('a', {
        tool_type: 'http',
        executor_id: 'http_client',
        requires: '[net.http]',
        config: '{ method: GET, url: "x.example/a" }',
      }),
      'toolcrib.yaml': granted('net.http'),
    }),
    async (at) => {
      // Another hint then: the address is one, and nobody answers there.
      const ended = await at.call(
        {
          '.ai/tools/a.yaml': rye('a', {
            tool_type: 'http',
            executor_id: 'http_client',
            requires: '[net.http]',
            config: '{ method: GET, url: "http://127.0.0.1:9/" }',
          }),
          'toolcrib.yaml': granted('"net.http:127.0.0.1:9"'),
        },
        'a',
      )
      return ended.ok ? '' : (ended.error.hint ?? '')
    },
  ],
  'Leave it out, and change the files under .ai/config/ instead.': [
    call(
      {
        '.ai/tools/a.py': python({ CONFIG_RESOLVE: '{"path": "a.yaml", "mode": "first_match"}' }),
        '.ai/config/a.yaml': 'x: 1\n',
      },
      { resolved_config: {} },
    ),
    call({}, {}),
  ],
  'Correct the file, or remove it to do without its settings.': [
    call({
      '.ai/tools/a.py': python({ CONFIG_RESOLVE: '{"path": "a.yaml", "mode": "first_match"}' }),
      '.ai/config/a.yaml': 'x: [\n',
    }),
    call({ '.ai/config/a.yaml': 'x: 1\n' }),
  ],
  'Give it less to do at once, or raise memoryMb in its limits or in toolcrib.yaml.': [
    call({
      '.ai/tools/a.py': python(
        {},
        'def execute(params, project_path):\n    x = bytearray(120_000_000)\n    return {"success": True}\n',
      ),
      'toolcrib.yaml': 'limits: { memoryMb: 80 }\n',
    }),
    call({ 'toolcrib.yaml': 'limits: { memoryMb: 1000 }\n' }),
  ],
  'The process ${} before the function returned.': [
    call({
      '.ai/tools/a.py': python({}, 'import os\ndef execute(params, project_path):\n    os._exit(3)\n'),
    }),
    call({ '.ai/tools/a.py': python() }),
  ],
  'The process ${}.': [
    call(tool({ config: printing('exit 3') })),
    call(tool({ config: printing('exit 0') })),
  ],
  'Set config.image to the name of an image, e.g. python:3.12-slim.': [
    call(
      tool({
        tool_type: 'docker',
        executor_id: 'docker',
        parameters: word,
        config: '{ image: "{word}", command: echo }',
      }),
      { word: '-x' },
    ),
    (at) =>
      at.check(
        tool({
          tool_type: 'docker',
          executor_id: 'docker',
          config: '{ image: "python:3.12-slim", command: echo }',
        }),
      ),
  ],
  'Set config.memory to an amount such as 512m or 2g.': [
    call(
      tool({
        tool_type: 'docker',
        executor_id: 'docker',
        config: '{ image: x, command: echo, memory: much }',
      }),
    ),
    (at) =>
      at.crib((crib) => crib.dryRun('a'), {
        files: tool({
          tool_type: 'docker',
          executor_id: 'docker',
          config: '{ image: x, command: echo, memory: 512m }',
        }),
      }),
  ],
  'Set config.cpus to a number such as 1 or 0.5.': [
    call(
      tool({ tool_type: 'docker', executor_id: 'docker', config: '{ image: x, command: echo, cpus: many }' }),
    ),
    (at) =>
      at.crib((crib) => crib.dryRun('a'), {
        files: tool({
          tool_type: 'docker',
          executor_id: 'docker',
          config: '{ image: x, command: echo, cpus: 0.5 }',
        }),
      }),
  ],
  'Names under config.env have letters, digits and _.': [
    call(
      tool({
        tool_type: 'docker',
        executor_id: 'docker',
        config: '{ image: x, command: echo, env: { "A B": x } }',
      }),
    ),
    (at) =>
      at.crib((crib) => crib.dryRun('a'), {
        files: tool({
          tool_type: 'docker',
          executor_id: 'docker',
          config: '{ image: x, command: echo, env: { A_B: x } }',
        }),
      }),
  ],
}

export const commandCalls: Table = {
  'Use a value that does not begin with a dash; the author of the skill can allow it with allowLeadingDash.':
    [
      say(command(texts(['word']), { args: [{ kind: 'positional', param: 'word' }] }), { word: '-n' }),
      say({}, { word: 'n' }),
    ],
  'Shorten or clean the value.': [
    say(command(texts(['word']), { args: [{ kind: 'positional', param: 'word' }] }), { word: 'a\0b' }),
    say({}, { word: 'ab' }),
  ],
  'Use another value.': [
    say(command(texts(['word']), { args: [{ kind: 'positional', param: 'word', denyPattern: '^bad' }] }), {
      word: 'bad',
    }),
    say({}, { word: 'good' }),
  ],
  'Give a path inside the project, or widen the grants of the tool.': [
    say(
      {
        ...command(texts(['file']), { args: [{ kind: 'positional', param: 'file', readPath: true }] }),
        'x.txt': 'x',
      },
      { file: '/etc/hostname' },
    ),
    say({}, { file: 'x.txt' }),
  ],
  'Send an object, or the JSON text of one.': [say(command({}), '{ no'), say({}, '{}')],
  'Install ${}, or add its folder to PATH.': [
    say(command({ allowlist: { frobnicate: [''] } }, { binary: 'frobnicate' })),
    async (at) => {
      at.put({ 'bin/frobnicate': '#!/bin/sh\necho done\n' })
      chmodSync(at.path('bin/frobnicate'), 0o755)
      const before = process.env['PATH']
      process.env['PATH'] = `${at.path('bin')}:${before}`
      try {
        return await at.call({}, 'say_it', {}, { env: { ...at.env, PATH: process.env['PATH'] } })
      } finally {
        process.env['PATH'] = before
      }
    },
  ],
  'Check that the file exists and is executable.': [
    (at) =>
      at.call(command({ allowlist: { [at.path('run.sh')]: [''] } }, { binary: at.path('run.sh') }), 'say_it'),
    (at) => {
      at.put({ 'run.sh': '#!/bin/sh\necho done\n' })
      chmodSync(at.path('run.sh'), 0o755)
      return at.call({}, 'say_it')
    },
  ],
  'If it is a shell script, begin it with the line #!/bin/sh.': [
    (at) => {
      at.put({ 'run.sh': 'echo done\n' })
      chmodSync(at.path('run.sh'), 0o755)
      return at.call(
        command({ allowlist: { [at.path('run.sh')]: [''] } }, { binary: at.path('run.sh') }),
        'say_it',
      )
    },
    (at) => at.call({ 'run.sh': '#!/bin/sh\necho done\n' }, 'say_it'),
  ],
  'Install it, or correct the first line of ${}.': [
    (at) => {
      at.put({ 'run.sh': '#!/no/such/shell\necho done\n' })
      chmodSync(at.path('run.sh'), 0o755)
      return at.call(
        command({ allowlist: { [at.path('run.sh')]: [''] } }, { binary: at.path('run.sh') }),
        'say_it',
      )
    },
    (at) => at.call({ 'run.sh': '#!/bin/sh\necho done\n' }, 'say_it'),
  ],
}

export const denoCalls: Table = {
  'Return less, or raise deno.outputBytes in toolcrib.yaml.': [
    call({
      ...deno(execute("return { x: 'y'.repeat(9000) }")),
      'toolcrib.yaml': 'deno: { outputBytes: 5000 }\n',
    }),
    call({ 'toolcrib.yaml': 'deno: { outputBytes: 50000 }\n' }),
  ],
  'A promise was rejected and nobody awaited or caught it.': [
    call(
      deno(
        execute("Promise.reject(new Error('x')); await new Promise((r) => setTimeout(r, 200)); return {}"),
      ),
    ),
    call(deno(execute('return {}'))),
  ],
  'An error was thrown outside of execute, in a timer or an event.': [
    call(
      deno(
        execute(
          "setTimeout(() => { throw new Error('x') }); await new Promise((r) => setTimeout(r, 200)); return {}",
        ),
      ),
    ),
    call(deno(execute('return {}'))),
  ],
  'Return a value or throw an error; do not call Deno.exit.': [
    call(deno(execute('Deno.exit(3)'))),
    call(deno(execute('return {}'))),
  ],
  'The output schema wants a value: ${}.': [call(deno(execute(''))), call(deno(execute('return {}')))],
  'To allow it, add to toolcrib.yaml: ${}': [
    call(deno(execute('return {}'), { permissions: { network: ['127.0.0.1:8080'] } })),
    async (at) => {
      const refused = await at.call({}, 'a')
      const line = /toolcrib.yaml: (.*)$/.exec(refused.ok ? '' : refused.error.hint!)![1]!
      return at.call({ 'toolcrib.yaml': `${line}\n` }, 'a')
    },
  ],
  'Give it without BigInt and circles, and nested less deeply.': [
    call(deno(execute('return {}')), { a: 1n }),
    call({}, { a: 1 }),
  ],
  'Move slow work from the top level of the module into execute.': [
    call({
      ...deno(`await new Promise((r) => setTimeout(r, 3000))\n${execute('return {}')}`),
      'toolcrib.yaml': 'deno: { loadTimeoutMs: 600 }\n',
    }),
    call({ ...deno(execute('await new Promise((r) => setTimeout(r, 10)); return {}')), 'toolcrib.yaml': '' }),
  ],
}

export const skillCalls: Table = {
  'Add `export default async function (ctx, args) { … }`; skills are ES modules.': [
    call(skill('export default 5\n')),
    call(skill("export default async function (ctx, args) { return 'x' }\n")),
  ],
  'Fix the file, then call it again.': [
    call(skill("import './nowhere.js'\nexport default () => 'x'\n")),
    call(skill("export default () => 'x'\n")),
  ],
  'Keys that begin with $ are options of calls between skills.': [
    (at) => at.call(skill("export default () => 'x'\n"), 'a', { $mode: 'x' }),
    (at) => at.call({}, 'a', {}),
  ],
  'Name a tool, a file such as ./lib/handler.js, or inline://code,…': [
    call(skill("export default () => 'x'\n", ', metadata: { delegate: 5 }')),
    call({
      ...skill("export default () => 'x'\n", ", metadata: { delegate: './lib/handler.js' }"),
      'skills/lib/handler.js': "export default () => 'y'\n",
    }),
  ],
  'Keep one main per folder.': [
    call({
      'skills/a.skill.js': code('a', '', "export default () => 'x'\n"),
      'skills/one.skill.js': code('one', ", metadata: { role: 'main' }"),
      'skills/two.skill.js': code('two', ", metadata: { role: 'main' }"),
    }),
    call({ 'skills/two.skill.js': null }),
  ],
  'Write inline://code,… inline://markdown,… or inline://base64,… (of another inline ref).': [
    call(skill("export default (ctx) => ctx.manager.invoke('inline://what,x')\n")),
    call(skill("export default (ctx) => ctx.manager.invoke('inline://code,export default () => 1')\n")),
  ],
}

export const libraryCalls: Table = {
  'Pass plain data.': [
    (at) =>
      at.crib(
        (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x', params: { type: 'object' } })
          crib.approvals.attend()
          return crib.call('a', { f: 1n })
        },
        { config: { approve: ['a'] } },
      ),
    (at) =>
      at.crib(
        (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x', params: { type: 'object' } })
          return crib.call('a', { f: 1 }, { approved: true })
        },
        { config: { approve: ['a'] } },
      ),
  ],
  'Ask again, or raise approvals.timeoutMs.': [
    (at) =>
      at.crib(
        (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          return crib.call('a')
        },
        { config: { approve: ['a'], approvals: { timeoutMs: 50 } } },
      ),
    (at) =>
      at.crib(
        (crib) => {
          crib.addTool({ id: 'a', fn: () => 'x' })
          crib.approvals.attend()
          crib.approvals.on('requested', ({ id }) => {
            setTimeout(() => crib.approvals.decide(id, { decision: 'approve', by: 'me' } as never), 100)
          })
          return crib.call('a')
        },
        { config: { approve: ['a'], approvals: { timeoutMs: 20_000 } } },
      ),
  ],
  'Call it without parameters, or declare them in its definition.': [
    (at) => at.callAdded({ id: 'a', fn: () => 'x', params: null } as never, { x: 1 }),
    (at) => at.callAdded({ id: 'a', fn: () => 'x', params: null } as never),
  ],
  'Have the tool return less, or raise limits.outputBytes.': [
    (at) =>
      at.callAdded(
        { id: 'a', fn: () => 'y'.repeat(9000) },
        {},
        {
          config: { limits: { outputBytes: 5000 } },
        },
      ),
    (at) =>
      at.callAdded(
        { id: 'a', fn: () => 'y'.repeat(9000) },
        {},
        {
          config: { limits: { outputBytes: 50_000 } },
        },
      ),
  ],
  'The tool or its output schema is wrong.': [
    (at) => at.callAdded({ id: 'a', fn: () => 'y', returns: { type: 'number' } }),
    (at) => at.callAdded({ id: 'a', fn: () => 5, returns: { type: 'number' } }),
  ],
  'Say who asks with `principal: makePrincipal({ surface, name, grants, allowedTools })`.': [
    (at) => at.callAdded({ id: 'a', fn: () => 'x' }, {}, { call: { caller: 'me' } }),
    async (at) => {
      const { makePrincipal } = await import('../../../src/index.ts')
      return at.callAdded(
        { id: 'a', fn: () => 'x' },
        {},
        { call: { principal: makePrincipal({ surface: 'library', name: 'me' }) } },
      )
    },
  ],
  'The check "${}" of a plugin says so.': [
    (at) =>
      at.callAdded(
        { id: 'a', fn: () => 'x', params: { type: 'object' } },
        {},
        {
          use: [
            {
              name: 'p',
              checks: [
                {
                  name: 'never',
                  stage: '$pre-execute',
                  check: () => {
                    throw new Error('no')
                  },
                },
              ],
            } as never,
          ],
        },
      ),
    (at) => at.callAdded({ id: 'a', fn: () => 'x', params: { type: 'object' } }, {}),
  ],
  'See docs/extending.md for what a plugin is made of.': [
    (at) => at.check({ 'p.mjs': 'export default 5\n', 'toolcrib.yaml': 'plugins: [./p.mjs]\n' }),
    (at) => at.check({ 'p.mjs': "export default { name: 'p' }\n" }),
  ],
  'Write %25 for a percent sign in a file:// reference.': [
    (at) => at.call(skill("export default () => 'x'\n"), `file://${at.path('skills/a%.skill.js')}`),
    (at) => at.call({ 'skills/b%.skill.js': code('b') }, `file://${at.path('skills/b%25.skill.js')}`),
  ],
  'A tool is named by id, alias, format:id, path, file://, mcp://server/tool or (inside a skill) inline://.':
    [(at) => at.call(skill("export default () => 'x'\n"), 'http://a'), (at) => at.call({}, 'a')],
  'Name one of them.': [
    (at) =>
      at.call(
        {
          'skills/say/SKILL.md': markdown('say'),
          'skills/say/tools.json': descriptor({
            tools: ['one', 'two'].map((name) => ({
              name,
              description: 'S',
              parameters: { type: 'object', properties: {} },
            })),
            execution: ['one', 'two'].map((name) => ({ tool: name, binary: 'echo', subcommand: '' })),
          }),
        },
        './skills/say/tools.json',
      ),
    (at) => at.call({}, 'one'),
  ],
  'Use types that JSON has: no dates, functions, maps or symbols.': [
    async (at) => {
      const { z } = await import('zod')
      return at.callAdded({ id: 'a', fn: () => 'x', params: z.object({ d: z.date() }) })
    },
    async (at) => {
      const { z } = await import('zod')
      return at.callAdded({ id: 'a', fn: () => 'x', params: z.object({ d: z.string() }) }, { d: 'x' })
    },
  ],
}
