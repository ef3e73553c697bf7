// Hints of files that changed in the meantime, of places a tool may not write to, of secrets, of an API and of workers.
import { chmodSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Place, Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, descriptor, doc, markdown, python, rye } from './writers.ts'

const skill = (body: string, metadata = 'params: { type: "object" }'): Files => ({
  'skills/a.skill.js': code('a', `, metadata: { ${metadata} }`, body),
})
const call =
  (files: Files, params: unknown = {}, options = {}): Step =>
  (at) =>
    at.call(files, 'a', params, options)
const cli =
  (line: string, files: Files = {}, more: object = {}): Step =>
  (at) =>
    at.cli(line.split(' '), { files, ...more })

/** One start of the crib that takes in its breadcrumbs, and what it has to say of them. */
const seeded =
  (files: Files): Step =>
  (at) =>
    at.crib(
      async (crib) => {
        await crib.startEngines({ bootstrap: false, schedules: 'off' })
        return crib.problems
      },
      { files },
    )
const note = (text: string) =>
  JSON.stringify({ schema_name: 'note.v1', title: 'Note', tags: [], context: { text } })

export const crumbFiles: Table = {
  'Delete the older document, or raise its version.': [
    async (at) => {
      await seeded({ 'crumbs/a.json': doc({ name: 'a', version: '1.10.0' }) })(at)
      return seeded({ 'crumbs/a.json': doc({ name: 'a', version: '1.9.0' }) })(at)
    },
    seeded({ 'crumbs/a.json': doc({ name: 'a', version: '1.11.0' }) }),
  ],
  'Make the change on the breadcrumb, or give the file a new name.': [
    async (at) => {
      await seeded({ 'crumbs/note.json': note('one') })(at)
      await at.crib(async (crib) => {
        const [made] = (await crib.crumbs.list({ schema: 'note.v1' })).items
        await crib.crumbs.update(made!.id, { context: { text: 'mine' } })
      })
      return seeded({ 'crumbs/note.json': note('two') })(at)
    },
    seeded({ 'crumbs/note.json': null, 'crumbs/new.json': note('two') }),
  ],
}

/** A tool that writes to a place. */
const writing = (place: string, grants: string, effects = 'direct'): Files => ({
  '.ai/tools/a.yaml': rye('a', {
    config: `{ command: sh, args: [-c, 'echo x > ${place}'] }`,
    requires: '[shell.execute, fs.read, fs.write]',
  }),
  'toolcrib.yaml': `grants: { tools: { a: [shell.execute, fs.read, ${grants}] } }\neffects: { default: ${effects} }\n`,
})

export const places: Table = {
  'Remove the link, or grant the folder that is really meant.': [
    (at) => {
      at.put({ '../elsewhere/x': '' })
      symlinkSync(at.path('../elsewhere'), at.path('out'))
      return at.call(writing('out/x.txt', '"fs.write:out/**"', 'commit'), 'a')
    },
    (at) => {
      rmSync(at.path('out'))
      return at.call({}, 'a')
    },
  ],
  'Put the file itself there, or let tools write to a folder of their own (fs.write:out/**).': [
    (at) => {
      at.put({ 'settings/toolcrib.yaml': writing('x.txt', 'fs.write')['toolcrib.yaml']! })
      const { '.ai/tools/a.yaml': tool } = writing('x.txt', 'fs.write')
      symlinkSync('settings/toolcrib.yaml', at.path('toolcrib.yaml'))
      return at.call({ '.ai/tools/a.yaml': tool! }, 'a')
    },
    (at) => {
      rmSync(at.path('toolcrib.yaml'))
      return at.call(writing('x.txt', 'fs.write'), 'a')
    },
  ],
  'The place is read-only to this tool; places of tools and .git are unless a grant names them: grants: { tools: { "${}": ["fs.write:.git/**"] } }':
    [
      (at) =>
        at.call(
          {
            'skills/say/SKILL.md': markdown('say'),
            'skills/say/tools.json': descriptor(
              { allowlist: { touch: [''] } },
              { binary: 'touch', args: [{ kind: 'literal', value: '.git/x' }] },
            ),
            '.git/config': '',
            'toolcrib.yaml': 'grants: { default: [fs.read, fs.write] }\n',
          },
          'say_it',
        ),
      (at) =>
        at.call(
          {
            'toolcrib.yaml':
              'grants: { default: [fs.read, fs.write], tools: { say_it: [fs.read, fs.write, "fs.write:.git/**"] } }\n',
          },
          'say_it',
        ),
    ],
  'Read it, then accept it with `toolcrib approve ${}`, or delete it.': [
    async (at) => {
      const grant = 'fs.write, "fs.write:skills/**"'
      const body = 'export default () => 1'
      await at.call({ ...writing('skills/b.skill.js', grant), 'skills/c.skill.js': body }, 'a')
      return at.check()
    },
    (at) => at.check({ 'skills/b.skill.js': null }),
  ],
}

/** A tool that a held run uses; it changes x.txt. */
const changing: Files = {
  '.ai/tools/a.yaml': rye('a', {
    config: "{ command: sh, args: [-c, 'echo changed > x.txt'] }",
    requires: '[shell.execute, fs.read, fs.write]',
  }),
  'toolcrib.yaml': 'grants: { tools: { a: [shell.execute, fs.read, fs.write] } }\n',
  'x.txt': 'first\n',
}
const runOf = ({ said }: { readonly said: string }) => /"runId":\s*"([^"]+)"/.exec(said)![1]!

export const held: Table = {
  'Look at the difference (`toolcrib runs show <run> --diff`), then run the tool again. To write over what is there, set effects.onConflict to overwrite.':
    [
      async (at) => {
        const run = runOf(await at.cli(['run', 'a', '--hold', '--json'], { files: changing }))
        at.put({ 'x.txt': 'mine\n' })
        return at.cli(['runs', 'accept', run])
      },
      async (at) => {
        const run = runOf(await at.cli(['run', 'a', '--hold', '--json']))
        await at.cli(['runs', 'show', run, '--diff'])
        return at.cli(['runs', 'accept', run])
      },
    ],
  'Raise effects.keep (days, bytes) to keep it longer.': [
    async (at) => {
      const keep = `${changing['toolcrib.yaml']}effects: { keep: { bytes: 1 } }\n`
      const run = runOf(
        await at.cli(['run', 'a', '--json'], { files: { ...changing, 'toolcrib.yaml': keep } }),
      )
      await at.cli(['run', 'a', '--json'], { files: { 'x.txt': 'second\n' } })
      at.put({ 'x.txt': 'changed\n' })
      return at.cli(['undo', run])
    },
    async (at) => {
      const run = runOf(await at.cli(['run', 'a', '--json'], { files: changing }))
      return at.cli(['undo', run])
    },
  ],
}

const api = (server: string): Files => ({
  'apis/shop.yaml': '',
  'shop.yaml': `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
servers: [{ url: "${server}" }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: x-key } } }
paths: { /a: { get: { operationId: a, security: [{ key: [] }], responses: { "200": { description: Well } } } } }
`,
})
/** An API that nobody may use. */
async function closedApi(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(401).end('no')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const unaccepted = { env: { TOOLCRIB_TRUST_FOLDER: '0' } }
const withSecret = (at: Place) =>
  at.cli(['secrets', 'set', 'API_KEY'], { input: 'twelve bytes', ...unaccepted })

export const vouching: Table = {
  '${}. Or give it ${} alone, in toolcrib.yaml: ${}.': [
    async (at) => {
      await withSecret(at)
      return cli(
        'run a --a 1 --json',
        { 'crumbs/a.json': doc({ name: 'a', required_secrets: ['API_KEY'] }) },
        unaccepted,
      )(at)
    },
    async (at) => {
      await at.cli(['trust', '--yes'], unaccepted)
      return at.cli(['run', 'a', '--a', '1', '--json'], unaccepted)
    },
  ],
  'One begins with https:// or http://.': [
    cli('add ftp://127.0.0.1:9/x --yes'),
    async (at) => (await at.cli(['add', 'http://127.0.0.1:9/x', '--yes'])).said,
  ],
  'If the change is wanted: `toolcrib approve ${}`.': [
    async (at) => {
      at.put({ 'one/frob': '#!/bin/sh\necho one\n', 'two/frob': '#!/bin/sh\necho two\n' })
      for (const folder of ['one', 'two']) chmodSync(at.path(folder, 'frob'), 0o755)
      const files = {
        'skills/say/SKILL.md': markdown('say'),
        'skills/say/tools.json': descriptor({ allowlist: { frob: [''] } }, { binary: 'frob' }),
      }
      await at.cli(['lock'], { files, env: { PATH: `${at.path('one')}:${at.env['PATH']}` } })
      return at.cli(['run', 'say_it'], { env: { PATH: `${at.path('two')}:${at.env['PATH']}` } })
    },
    async (at) => {
      const env = { PATH: `${at.path('two')}:${at.env['PATH']}` }
      await at.cli(['approve', 'say_it', '--yes'], { env })
      return at.cli(['run', 'say_it'], { env })
    },
  ],
  '${}\nSee which secrets it sends with `toolcrib show ${}`.': [
    async (at) => {
      const server = await closedApi()
      at.put(api(server))
      await at.cli(['add', './shop.yaml', '--yes'], { files: { 'apis/shop.yaml': null } })
      const named = 'shop'
      await at.cli(['secrets', 'set', 'SHOP_KEY'], { input: 'twelve bytes' })
      return at.cli(['run', `${named}/a`])
    },
    cli('show shop/a'),
  ],
}

const words = '{ command: echo, args: ["${MY_WORD}"] }'
export const callers: Table = {
  '${} with `toolcrib trust`, or sign it with `toolcrib sign ${}`. Or write ${} into .ai/.env of the project.':
    [
      cli(
        'run a',
        {
          '../home/.ai/.env': 'MY_WORD=hello\n',
          '.ai/tools/a.yaml': rye('a', {
            tool_type: 'command',
            executor_id: 'rye/core/primitives/subprocess',
            config: words,
          }),
        },
        unaccepted,
      ),
      async (at) => {
        await at.cli(['trust', '--yes'], unaccepted)
        return at.cli(['run', 'a'], unaccepted)
      },
    ],
  'See `toolcrib why ${}`.': [
    call({ ...skill("export default () => 'x'\n"), 'toolcrib.yaml': 'skills: { disabled: [a] }\n' }),
    (at) => at.cli(['why', 'a', '--json']).then(({ said }) => JSON.parse(said).findings[0].message),
  ],
  'Grant the host by name in toolcrib.yaml: grants: { tools: { "${}": ["net.http:${}"] } }': [
    async (at) => {
      await at.cli(['add', './shop.yaml', '--yes'], {
        files: { ...api('https://shop.invalid'), 'apis/shop.yaml': null },
      })
      const added = readFileSync(at.path('toolcrib.yaml'), 'utf8')
      await at.cli(['secrets', 'set', 'SHOP_KEY'], { input: 'twelve bytes' })
      return at.cli(['run', 'shop/a'], {
        files: { 'toolcrib.yaml': added.replaceAll(/net\.http:[\w.]+/g, 'net.http') },
      })
    },
    async (at) => {
      const general = readFileSync(at.path('toolcrib.yaml'), 'utf8')
      // Nobody has that name, which is another matter.
      const files = { 'toolcrib.yaml': general.replaceAll('net.http', 'net.http:shop.invalid') }
      return (await at.cli(['run', 'shop/a'], { files })).said
    },
  ],
  'Take it out, or see what is needed: toolcrib learn ${}': [
    async (at) => {
      const files = {
        '.ai/tools/a.py': python(),
        'toolcrib.yaml': 'grants: { tools: { a: [fs.read, "fs.write:docs/**", "net.http:127.0.0.1:9"] } }\n',
      }
      await at.crib(
        async (crib) => {
          for (let n = 0; n < 50; n++) await crib.call('a', {})
        },
        { files },
      )
      return at.check()
    },
    (at) => at.check({ 'toolcrib.yaml': '' }),
  ],
}

export const chains: Table = {
  'Inject it earlier, or order it later.': [
    call(skill("export default (ctx) => ctx.manager.inject({ fn: () => 1, before: 'params' })\n")),
    call(skill("export default (ctx) => { ctx.manager.inject({ fn: () => 1 }); return 'x' }\n")),
  ],
  'Inject less, or call the tools one by one.': [
    call(skill('export default (ctx) => { for (;;) ctx.manager.inject({ fn: () => 1 }) }\n')),
    call(skill("export default (ctx) => { ctx.manager.inject({ fn: () => 1 }); return 'x' }\n")),
  ],
  'See the metadata of ${} and of the skills it inherits from.': [
    call({
      ...skill("export default () => 'x'\n", 'params: { type: "object" }, $inherit: ["b"]'),
      'skills/b.skill.js': code('b', ', metadata: { $inherit: ["a"] }'),
    }),
    call(skill("export default () => 'x'\n")),
  ],
}

const deno = (source: string, limits: object = {}): Files => ({
  'crumbs/a.json': doc({
    name: 'a',
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
    examples: [],
    limits: { memory_mb: 64, timeout_ms: 20_000, cpu_percent: 100, ...limits },
    code: { language: 'typescript', source },
  }),
})

export const workers: Table = {
  'Raise context.limits.memory_mb of the tool, or let the tool hold less at once.': [
    call(
      deno(
        'export function execute() { const kept = []; for (;;) kept.push(new Array(100_000).fill(0).map((_, n) => n + 0.5)) }',
      ),
    ),
    call(deno('export function execute() { return {} }')),
  ],
  'Another call in the same process ended it; call again.': [
    (at) =>
      at.crib(
        async (crib) => {
          const waiting = crib.call('a', { end: false })
          await Promise.race([waiting, crib.call('a', { end: true })])
          return await waiting
        },
        {
          files: deno(
            'let here = 0\nexport async function execute({ end }) { here++; while (end && here < 2) await new Promise((done) => setTimeout(done, 5)); if (end) Deno.exit(3); await new Promise((done) => setTimeout(done, 60_000)); return {} }',
          ),
        },
      ),
    call(deno('export function execute() { return {} }'), { end: false }),
  ],
}
