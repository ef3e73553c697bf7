// Hints of the command line, each with the command that prints it and the one that follows it.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { withServer } from '../../helpers/telling-server.ts'
import type { Env, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, markdown, python, rye } from './writers.ts'

const cli =
  (line: string | readonly string[], files: Files = {}, more: { env?: Env; input?: string } = {}): Step =>
  (at) =>
    at.cli(typeof line === 'string' ? line.split(' ') : line, { files, ...more })
/** Commands one after the other; what the last one says counts. */
const each =
  (...steps: Step[]): Step =>
  async (at) => {
    let last: unknown
    for (const step of steps) last = await step(at)
    return last
  }
const tool: Files = {
  '.ai/tools/say.yaml': rye('say', { requires: '[shell.execute]' }),
  'toolcrib.yaml': 'grants: { tools: { say: [shell.execute] } }\n',
}
const skill: Files = { 'skills/a.skill.js': code('a', ', metadata: { params: { type: "object" } }') }
const api =
  'openapi: 3.0.3\ninfo: { title: T, version: 1.0.0 }\nservers: [{ url: https://x.example }]\npaths: { /a: { get: { operationId: a, responses: {} } } }\n'

/** Words of the command line that are not there, or not together. */
export const usage: Table = {
  'Add these one by one: ${}.': [
    cli('add ./a.py ./b.py --yes --id x', {
      'a.py': '"""A."""\nprint("{}")\n',
      'b.py': '"""B."""\nprint("{}")\n',
    }),
    each(cli('add ./a.py --yes --id x'), cli('add ./b.py --yes --id y')),
  ],
  'For example: toolcrib add ./report.py': [
    cli('add --yes'),
    cli('add ./report.py --yes', { 'report.py': '"""Report."""\nprint("{}")\n' }),
  ],
  'For example: toolcrib grants accept 1': [cli('grants accept', tool), cli('grants')],
  'Leave the rest away.': [
    cli('add ./a.py --from claude-code --yes'),
    cli('add --from claude-code --yes', { '.mcp.json': '{"mcpServers":{}}' }),
  ],
  'Give one in quotes: toolcrib agent "Sum up README.md"': [
    cli(['agent', '  ']),
    async (at) => {
      // It has a task then, and asks for a model.
      const { said } = await at.cli(['agent', 'Sum up README.md'])
      return said
    },
  ],
  'Say everything in the task, or name a skill.': [
    cli(['agent', 'Sum up', '--word', 'x'], {
      'toolcrib.yaml':
        'models: { default: { provider: openai-compatible, model: m, baseURL: "http://127.0.0.1:9/v1" } }\n',
    }),
    async (at) => (await at.cli(['agent', 'Sum up x'])).said,
  ],
  'Add the lines above to toolcrib.yaml.': [
    cli(['agent', 'Sum up']),
    async (at) => {
      const { said } = await at.cli(['agent', 'Sum up'])
      at.put({ 'toolcrib.yaml': /models:\n.*\n.*\n/.exec(said)![0].replace(/^ {2}/gm, '') })
      return (await at.cli(['agent', 'Sum up'])).said
    },
  ],
  'Use bash, zsh or fish.': [cli('completion tcsh'), cli('completion bash')],
  'Use `toolcrib config explain`.': [cli('config show'), cli('config explain')],
  'See `toolcrib keys -h`.': [cli('keys list --odd'), cli('keys -h')],
  'Did you mean "keys ${}"?': [cli('keys lst'), cli('keys list')],
  'Did you mean "tokens ${}"?': [cli('tokens lst'), cli('tokens list')],
  'Use one of new, list, rm.': [cli('tokens qqqq'), cli('tokens list')],
  'Did you mean "${} ${}"?': [cli('secrets lst'), cli('secrets list')],
  'See `toolcrib ${} -h`.': [cli('runs show'), cli('runs -h')],
  'See `toolcrib convert --help`.': [cli('convert say --to nothing', tool), cli('convert --help')],
  'There are exports for ${}.': [cli('export --as qqqqqqqq', tool), cli('export --as openai')],
  'Known clients: ${}.': [cli('serve --print-config qqqqqqqq'), cli('serve --print-config claude-code')],
  'Leave --http away: it starts the server itself.': [
    cli('connect claude-desktop --http --yes', tool),
    cli('connect claude-desktop --yes'),
  ],
  'Use `toolcrib serve --expose …`, or `expose` of an offer.': [
    cli('connect claude-code --http --expose search --yes', tool),
    cli('connect claude-code --http --yes', {
      'toolcrib.yaml': 'offers: { work: { tools: ["*"], expose: search } }\n',
    }),
  ],
  'Name a fixed one with --port or serve.port.': [
    cli('connect claude-code --http --yes', { ...tool, 'toolcrib.yaml': 'serve: { port: 0 }\n' }),
    cli('connect claude-code --http --yes', { 'toolcrib.yaml': 'serve: { port: 4800 }\n' }),
  ],
  'Look in your own file with --user.': [
    each(cli('connect cursor --user --yes', tool), cli('disconnect cursor --yes')),
    cli('disconnect cursor --user --yes'),
  ],
  'Leave it away.': [cli('learn say --open', tool), cli('learn say')],
  'Its name may have at most ${} characters.': [cli(`new skill ${'a'.repeat(80)}`), cli('new skill short')],
  'Over HTTP every offer has an address of its own: /mcp/${}.': [
    cli('serve --offer work --port 0', { ...tool, 'toolcrib.yaml': 'offers: { work: { tools: ["*"] } }\n' }),
    (at) =>
      at.ask(
        'POST',
        '/mcp/work',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          },
        },
        { headers: { accept: 'application/json, text/event-stream' } },
      ),
  ],
  'Pipe it in: … | toolcrib secrets set ${}': [
    cli('secrets set KEY value'),
    cli('secrets set KEY', {}, { input: 'value\n' }),
  ],
  'Say which with --scope and --for, or by its id; see `toolcrib secrets list`.': [
    each(
      cli('secrets set KEY', tool, { input: 'one' }),
      cli('secrets set KEY --scope tool --for say', {}, { input: 'two' }),
      cli('secrets rm KEY'),
    ),
    cli('secrets rm KEY --scope tool --for say'),
  ],
  'Name the folder to accept, or leave it out for this crib.': [
    cli('trust nowhere --yes'),
    cli('trust --yes', skill),
  ],
  'Make it first, or name another file.': [
    cli('types --out nowhere/x.d.ts', skill),
    (at) => {
      mkdirSync(at.path('nowhere'))
      return at.cli(['types', '--out', 'nowhere/x.d.ts'])
    },
  ],
  'Quote it for the shell: ${}\'{"name":"Ada"}\', or use @file or -.': [
    cli(['run', 'a', '--params', '{name:Ada}'], skill),
    cli(['run', 'a', '--params', '{"name":"Ada"}']),
  ],
  'See what -C names, or make the folder first.': [
    cli('list -C nowhere'),
    (at) => {
      mkdirSync(at.path('nowhere'))
      return at.cli(['list', '-C', 'nowhere'])
    },
  ],
  'Choose another name with --id.': [
    async (at) => {
      const { createServer } = await import('node:http')
      const server = createServer((_, answer) => answer.end(api)).listen(0, '127.0.0.1')
      await new Promise((done) => server.once('listening', done))
      const { port } = server.address() as { port: number }
      at.put({
        'address.txt': String(port),
        'apis/local.openapi.yaml': 'openapi: 3.0.3\ninfo: { title: Other, version: 1.0.0 }\npaths: {}\n',
      })
      servers.set(at.root, () => server.close())
      return at.cli(['add', `http://127.0.0.1:${port}/api.yaml`, '--yes'])
    },
    async (at) => {
      const { readFileSync } = await import('node:fs')
      const port = readFileSync(at.path('address.txt'), 'utf8')
      const said = await at.cli(['add', `http://127.0.0.1:${port}/api.yaml`, '--yes', '--id', 'other'])
      servers.get(at.root)!()
      return said
    },
  ],
  'It has no "openapi: 3.x" and no "swagger: 2.0".': [
    async (at) => {
      const { createServer } = await import('node:http')
      let text = 'name: x\n'
      const server = createServer((_, answer) => answer.end(text)).listen(0, '127.0.0.1')
      await new Promise((done) => server.once('listening', done))
      at.put({ 'address.txt': String((server.address() as { port: number }).port) })
      servers.set(at.root, () => {
        text = api
      })
      return at.cli([
        'add',
        `http://127.0.0.1:${(server.address() as { port: number }).port}/api.yaml`,
        '--yes',
      ])
    },
    async (at) => {
      const { readFileSync } = await import('node:fs')
      servers.get(at.root)!()
      return at.cli([
        'add',
        `http://127.0.0.1:${readFileSync(at.path('address.txt'), 'utf8')}/api.yaml`,
        '--yes',
      ])
    },
  ],
  'Check the address, or download the document and add the file.': [
    cli('add http://127.0.0.1:9/api.yaml --yes'),
    cli('add ./api.yaml --yes', { 'api.yaml': api }),
  ],
  'Remove it first, or choose another name with --id.': [
    cli('add ../more --yes', { '../more/one/SKILL.md': markdown('one'), 'skills/more/x.txt': 'x' }),
    cli('add ../more --yes --id other'),
  ],
  'See them with `toolcrib list --all`.': [cli('add . --yes', skill), cli('list --all')],
  'Remove it, or write elsewhere with --into.': [
    async (at) => {
      const made = await at.cli(['convert', 'say', '--to', 'tools-json'], { files: tool })
      at.put({ [/crib\/(\S+tools\.json)/.exec(made.said)![1]!]: '+ ' })
      return at.cli(['convert', 'rye:say', '--to', 'tools-json'])
    },
    cli('convert rye:say --to tools-json --into other'),
  ],
}
const servers = new Map<string, () => void>()

/** What commands ask to be looked at, accepted or made. */
export const ways: Table = {
  'See `toolcrib list --all`.': [
    cli('why lib', {
      '.ai/tools/lib.yaml': rye('lib', { tool_type: 'library', executor_id: 'null', config: '{}' }),
    }),
    cli('list --all'),
  ],
  'Name a file, or see `toolcrib list --all`.': [cli('why ./skills', skill), cli('why ./skills/a.skill.js')],
  'Start from `toolcrib new`.': [cli('why ./notes.txt', { 'notes.txt': 'x\n' }), cli('new rye text/count')],
  'Name the one to run, or keep one `role: main` in the root.': [
    cli('run', {
      'one.skill.js': code('one', ", metadata: { role: 'main' }"),
      'two.skill.js': code('two', ", metadata: { role: 'main' }"),
    }),
    cli('run one'),
  ],
  'Remove it; the next command makes a new one. No tool runs until this is fixed.': [
    (at) => {
      mkdirSync(at.path('other'))
      symlinkSync('other', at.path('.toolcrib'))
      return at.cli(['check'], { files: tool, env: { TOOLCRIB_TRUST_FOLDER: '0' } })
    },
    each(
      cli('trust --yes', { '.toolcrib': null }, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
      cli('run say', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'Repair it or delete it, then accept your folders again with `toolcrib trust`.': [
    cli(
      'check',
      { ...skill, '../home/.config/toolcrib/trusted-folders.json': '{' },
      { env: { TOOLCRIB_TRUST_FOLDER: '0' } },
    ),
    each(
      cli(
        'trust --yes',
        { '../home/.config/toolcrib/trusted-folders.json': null },
        { env: { TOOLCRIB_TRUST_FOLDER: '0' } },
      ),
      cli('check', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'Accept it with `toolcrib trust`, or give it another id; until then call it as ${}.': [
    cli(
      'check',
      { '../home/.ai/tools/say.yaml': rye('say'), '.ai/tools/say.yaml': rye('say') },
      { env: { TOOLCRIB_TRUST_FOLDER: '0' } },
    ),
    each(
      cli('trust --yes', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
      cli('check', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'Take the servers of .mcp.json in with `toolcrib add --from claude-code`. Or: ': [
    cli('check', withServer(), { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    each(
      cli('add --from claude-code --yes', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
      cli('run box-echo', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'take ${} in with `toolcrib add --from claude-code`': [
    cli('list', withServer(), { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    each(
      cli('add --from claude-code --yes', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
      cli('list', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'see and accept it with `toolcrib trust`': [
    cli('list', tool, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    each(
      cli('trust --yes', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
      cli('list', {}, { env: { TOOLCRIB_TRUST_FOLDER: '0' } }),
    ),
  ],
  'See `toolcrib list --kind server --all`.': [cli('login nowhere'), cli('list --kind server --all')],
  'Run `toolcrib lock`.': [cli('check --frozen', skill), each(cli('lock --yes'), cli('check --frozen'))],
  'It pins tools of the project and of its MCP servers.': [
    each(cli('lock --yes', skill), cli('approve rye/core/runtimes/python/function --yes')),
    cli('approve a --yes', {
      'skills/a.skill.js': code(
        'a',
        ', metadata: { params: { type: "object" } }',
        "export default () => 'y'\n",
      ),
    }),
  ],
  'You trust no key yet.': [cli('keys untrust 0123456789abcdef'), each(cli('keys new'), cli('keys list'))],
  'You trust ${}.': [
    each(cli('keys new'), cli('keys untrust 0123456789abcdef')),
    async (at) => {
      const { said } = await at.cli(['keys', 'untrust', '0123456789abcdef'])
      return at.cli(['keys', 'untrust', /You trust ([0-9a-f]+)/.exec(said)![1]!, '--yes'])
    },
  ],
  'See `toolcrib keys list`.': [cli('keys export 0123456789abcdef'), each(cli('keys new'), cli('keys list'))],
  'Move it away first if you want a new one; files signed with it stay valid.': [
    each(cli('keys new'), cli('keys new')),
    (at) =>
      at.cli(['keys', 'new'], {
        files: {
          '../home/.ai/config/keys/signing/private_key.pem': null,
          '../home/.ai/config/keys/signing/public_key.pem': null,
        },
      }),
  ],
  'If you trust its owner: `toolcrib keys trust <key file>`.': [
    async (at) => {
      const other = { HOME: at.path('../other') }
      at.put({
        ...tool,
        'toolcrib.yaml': `trust: require
${tool['toolcrib.yaml']}`,
      })
      await at.cli(['keys', 'new'], { env: other })
      await at.cli(['sign', 'say'], { env: other })
      at.put({ 'owner.pem': (await at.cli(['keys', 'export'], { env: other })).said.trim() })
      return at.cli(['run', 'say'])
    },
    each(cli('keys trust owner.pem --yes'), cli('run say')),
  ],
  'Only tools in files of the project or of your own .ai folder are signed.': [
    each(cli('keys new', tool), cli('sign rye/core/runtimes/python/function')),
    cli('sign say'),
  ],
  'Copy it into your own .ai folder and sign the copy.': [
    each(cli('keys new', tool), async (at) => {
      const { spacesOf } = await import('../../../src/config/spaces.ts')
      const system = spacesOf(at.root, at.env).system
      return at.cli(['sign', `${system}/tools/rye/core/runtimes/python/function.yaml`])
    }),
    cli('sign .ai/tools/say.yaml'),
  ],
  'Quote the pattern, so that your shell leaves it to Toolcrib; `**` crosses folders.': [
    each(cli('keys new', tool), cli('sign *.yml')),
    cli(['sign', '.ai/**/*.yaml']),
  ],
  'Save it as UTF-8.': [
    each(
      cli('keys new'),
      cli('sign .ai/tools/say.yaml', { '.ai/tools/say.yaml': Buffer.from([0x61, 0x3a, 0xff, 0xfe]) }),
    ),
    cli('sign .ai/tools/say.yaml', tool),
  ],
  'Save it as UTF-8 without a byte order mark.': [
    each(cli('keys new'), cli('sign .ai/tools/say.yaml', { '.ai/tools/say.yaml': `\uFEFF${rye('say')}` })),
    cli('sign .ai/tools/say.yaml', tool),
  ],
  'Restore it, or move it away and make a new one with `toolcrib keys new`.': [
    each(cli('keys new', tool), cli('sign say', { '../home/.ai/config/keys/signing/private_key.pem': 'x' })),
    each(
      cli('keys new', {
        '../home/.ai/config/keys/signing/private_key.pem': null,
        '../home/.ai/config/keys/signing/public_key.pem': null,
      }),
      cli('sign say'),
    ),
  ],
  'Give more of the id: ${}': [
    each(cli('run say --json', tool), cli('run say'), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      const id = /"runId":\s*"([^"]+)"/.exec(said)![1]!
      return at.cli(['runs', 'show', id.slice(0, 4)])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'show', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
    },
  ],
  'Set audit: { params: full } in toolcrib.yaml; runs recorded from then on can be repeated.': [
    each(cli('run a', skill), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'replay', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
    }),
    each(cli('run a', { 'toolcrib.yaml': 'audit: { params: full }\n' }), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'replay', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
    }),
  ],
  'Set `audit: { params: full }` in toolcrib.yaml, make the call again, and use the id of that run (`toolcrib runs`).':
    [
      each(cli('run a', skill), async (at) => {
        const { said } = await at.cli(['runs', '--json'])
        return at.cli(['test', '--from-run', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
      }),
      each(cli('run a', { 'toolcrib.yaml': 'audit: { params: full }\n' }), async (at) => {
        const { said } = await at.cli(['runs', '--json'])
        return at.cli(['test', '--from-run', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
      }),
    ],
  'Each example is { title?, params, expect? | expectError?, match? }; see `toolcrib schema examples`.': [
    cli('test a', {
      ...skill,
      'skills/a.skill.examples.yaml': '- { param: {} }\n',
      'skills/a.examples.yaml': '- { param: {} }\n',
    }),
    cli('test a', {
      'skills/a.skill.examples.yaml': '- { params: {} }\n',
      'skills/a.examples.yaml': '- { params: {} }\n',
    }),
  ],
  "Give parameters instead: toolcrib learn ${} --params '{…}'": [
    cli('learn say --examples', tool),
    cli(['learn', 'say', '--params', '{}']),
  ],
  'To have its changes back: toolcrib undo ${}': [
    each(cli('run write', writing()), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      const id = /"runId":\s*"([^"]+)"/.exec(said)![1]!
      await at.cli(['undo', id, '--yes'])
      return at.cli(['undo', id, '--yes'])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      for (const [, id] of said.matchAll(/"runId":\s*"([^"]+)"/g)) {
        const again = await at.cli(['undo', id!, '--yes'])
        const back = /To have its changes back: toolcrib undo (\S+)/.exec(again.said)?.[1]
        if (back) return at.cli(['undo', back, '--yes'])
      }
      return 'nothing'
    },
  ],
  '`toolcrib runs show ${}` lists the files.': [
    each(cli('run write', writing('effects: { default: direct }\n')), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['undo', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--yes'])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'show', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
    },
  ],
  'toolcrib runs accept ${}, or toolcrib runs reject ${}': [
    each(cli('run write --hold', writing()), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['undo', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--yes'])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'accept', /"runId":\s*"([^"]+)"/.exec(said)![1]!])
    },
  ],
  'It changed: ${}': [
    each(cli('run write --hold', writing()), async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'accept', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--file', 'other.txt'])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['runs', 'accept', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--file', 'out.txt'])
    },
  ],
  '--merge keeps changes in other lines, --force puts back what was there before.': [
    each(cli('run write', { ...writing(), 'out.txt': 'before\n' }), async (at) => {
      at.put({ 'out.txt': 'by hand\n' })
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['undo', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--yes'])
    }),
    async (at) => {
      const { said } = await at.cli(['runs', '--json'])
      return at.cli(['undo', /"runId":\s*"([^"]+)"/.exec(said)![1]!, '--force', '--yes'])
    },
  ],
  'Remove the link, or write to your own file with --user.': [
    (at) => {
      mkdirSync(at.path('../elsewhere'))
      symlinkSync('../elsewhere', at.path('.cursor'))
      return at.cli(['connect', 'cursor', '--yes'], { files: tool })
    },
    cli('connect cursor --user --yes'),
  ],
  'Remove the link, or put a folder in its place.': [
    (at) => {
      mkdirSync(at.path('../other'))
      symlinkSync('../other', at.path('.ai'))
      return at.cli(['new', 'rye', 'text/count'])
    },
    (at) => {
      rmSync(at.path('.ai'))
      return at.cli(['new', 'rye', 'text/count'])
    },
  ],
  'Use 1 to 64 letters, digits, "_", ".", "@" or "-", but not "operator".': [
    cli('tokens new operator'),
    cli('tokens new ci'),
  ],
}

function writing(settings = ''): Files {
  return {
    '.ai/tools/write.py': python(
      { __requires__: '["fs.write"]' },
      'import os\n\ndef execute(params, project_path):\n    open(os.path.join(project_path, "out.txt"), "w").write("new\\n")\n    return {"success": True}\n',
    ),
    'toolcrib.yaml': settings,
  }
}
