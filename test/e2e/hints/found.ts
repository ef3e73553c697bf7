// Hints of settings, files, servers and secrets that were read and found wanting.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import { boundToOffer } from '../../../src/guards/offer-selection.ts'
import { makePrincipal } from '../../../src/index.ts'
import { Interpreters } from '../../../src/runtimes/rye/interpreter.ts'
import { SecretBox } from '../../../src/secrets/secret-box.ts'
import { uniqueStart } from '../../../src/surfaces/cli/short-id.ts'
import { IssuedTokens } from '../../../src/surfaces/http/issued-tokens.ts'
import { LongStreams } from '../../../src/surfaces/http/long-streams.ts'
import { callSkillTool } from '../../../src/surfaces/mcp/skill-tools.ts'
import { withServer } from '../../helpers/telling-server.ts'
import type { Step, Table } from './place.ts'
import type { Files } from './put.ts'
import { code, doc, rye, shell } from './writers.ts'

const checked =
  (files: Files): Step =>
  (at) =>
    at.check(files)
const call =
  (files: Files, ref = 'a', params: unknown = {}): Step =>
  (at) =>
    at.call(files, ref, params)
const { '.mcp.json': _, ...program } = withServer()
const box = (entry: object): Files => ({
  ...program,
  '.mcp.json': JSON.stringify({ mcpServers: { box: { command: 'node', args: ['server.mjs'], ...entry } } }),
})
const settings = (text: string): Files => ({
  '.ai/tools/a.yaml': rye('a'),
  'toolcrib.yaml': `${text}\n`,
})
const granted = 'grants: { default: [shell.execute, net.http, net.call] }\n'

const row = { id: 's', owner: 'me', name: 'KEY', scopeType: 'crib', scopeId: '' }
const ofKey = (byte: number) =>
  new SecretBox({ keyFile: '', keyText: Buffer.alloc(32, byte).toString('base64') })
const opened =
  (keyByte: number, name = 'KEY'): Step =>
  () =>
    ofKey(keyByte).open({ ...row, name, sealed: ofKey(1).seal('value', row as never) } as never)

/** Files of a format that a plugin brings, whose values may lie inside each other. */
const odd = (units: () => object[]) => ({
  name: 'odd',
  formats: [
    {
      name: 'odd',
      rank: 9,
      endings: ['.odd'],
      units,
      parse(unit: { files: readonly unknown[] }, read: (entry: unknown) => { text: string }) {
        const depth = (text: string): number => (text.startsWith('[') ? 1 + depth(text.slice(1)) : 0)
        depth(read(unit.files[0]).text)
        return { tools: [] }
      },
    },
  ],
})
const plugged =
  (text: string, isBroken = false): Step =>
  (at) => {
    const units = (place: { files: readonly { path: string }[] }) => {
      if (isBroken) throw new Error('broken')
      return place.files.filter(({ path }) => path.endsWith('.odd')).map((file) => ({ files: [file] }))
    }
    return at.check({ 'a.odd': text }, { use: [odd(units as never)] } as never)
  }
const attended =
  (text: string): Step =>
  (at) =>
    at.crib(
      (crib) => {
        crib.approvals.attend()
        return crib.why('a')
      },
      { files: settings(text) },
    )
const afterCall =
  (text: string): Step =>
  (at) =>
    at.crib(
      async (crib) => {
        await crib.call('a')
        return crib.problems
      },
      { files: { 'skills/a.skill.js': text } },
    )
const signed =
  (text: string): Step =>
  (at) =>
    at.cli(['sign', '.ai/tools/a.sh'], { files: { '.ai/tools/a.sh': text } })

const note = (tag: string) => JSON.stringify({ schema_name: 'note.v1', title: 'N', tags: [tag], context: {} })

export const settingsFound: Table = {
  'Answer in the console, or approve beforehand: `toolcrib run ${} --approve`.': [
    attended(`${granted}approve: [a]`),
    (at) => at.cli(['run', 'a', '--approve']),
  ],
  'Fix the plugin that brings it; if it ships with Toolcrib, please report this as a bug.': [
    plugged('x\n', true),
    plugged('x\n'),
  ],
  'Nest its values less deeply.': [plugged('['.repeat(50_000)), plugged('[')],
  'Known are ${}.': [
    checked(settings('grants: { default: [qqqqqqqqqq] }')),
    checked(settings('grants: { default: [shell.execute] }')),
  ],
  'Name a file or a folder, such as ${}:docs/** of the crib or ${}:~/Documents/**.': [
    checked(settings('grants: { default: ["fs.read:../x"] }')),
    checked(settings('grants: { default: ["fs.read:docs/**"] }')),
  ],
  'Name a host, such as ${}:api.example.com.': [
    checked(settings('grants: { default: ["net.http:https://x.example/a"] }')),
    checked(settings('grants: { default: ["net.http:api.example.com"] }')),
  ],
  'Left out, the `limits` of the settings count.': [checked(box({ limits: 'many' })), checked(box({}))],
  'Left out, the `sandbox` of the settings counts.': [checked(box({ sandbox: 'odd' })), checked(box({}))],
  'Say in toolcrib.yaml where the API is: apis: { ${}: { spec: ‥, server: https://‥ } }': [
    checked({
      'pets.yaml':
        'openapi: 3.0.3\ninfo: { title: T, version: 1.0.0 }\npaths: { /a: { get: { operationId: a, responses: {} } } }\n',
      'toolcrib.yaml': 'apis: { pets: { spec: pets.yaml } }\n',
    }),
    checked({ 'toolcrib.yaml': 'apis: { pets: { spec: pets.yaml, server: "https://x.example" } }\n' }),
  ],
}

export const filesFound: Table = {
  'Correct the fields that are named; docs/http.md lists them.': [
    (at) => at.cli(['crumbs', 'create', '{"title":""}']),
    (at) => at.cli(['crumbs', 'create', '{"title":"Note"}']),
  ],
  'Correct what is named; until then the file is not taken into the store.': [
    checked({ 'crumbs/a.json': note('') }),
    checked({ 'crumbs/a.json': note('Note') }),
  ],
  'Rename the file, or write the frontmatter as a plain literal.': [
    afterCall(computed("{ name: 'b', description: 'Says' }")),
    afterCall(code('a')),
  ],
  'Save it with plain line ends.': [
    async (at) => {
      await at.cli(['keys', 'new'])
      return signed(shell('').replace('hello', 'one\rtwo'))(at)
    },
    signed(shell('')),
  ],
  'Put it into "env" or "headers" of the entry, which are for this server alone.': [
    (at) => {
      vi.stubEnv('BOX_KEY', 'x')
      return at.call(box({ args: ['server.mjs', '${BOX_KEY}'] }), 'box-echo')
    },
    (at) => at.call(box({ env: { KEY: '${BOX_KEY}' } }), 'box-echo'),
  ],
  'Set ${}, or keep it in the crib: `toolcrib secrets set ${}`, and write ${secret:${}} in the entry.': [
    (at) => {
      vi.stubEnv('BOX_KEY', undefined)
      return at.call(box({ env: { KEY: '${BOX_KEY}' } }), 'box-echo')
    },
    (at) => {
      vi.stubEnv('BOX_KEY', 'x')
      return at.call({}, 'box-echo')
    },
  ],
  'Make it an object of plain JSON values.': [
    call({ 'skills/a.skill.js': computed('5') }),
    call({ 'skills/a.skill.js': computed("{ description: 'Says' }") }),
  ],
  'Put it below .ai/ and name it in config.server_config_path.': [
    call({
      ...program,
      '.ai/tools/a.yaml': rye('a', {
        tool_type: 'mcp',
        executor_id: 'rye/core/runtimes/mcp/stdio',
        requires: '[shell.execute]',
        config: '{ server_config_path: server.yaml, tool_name: echo }',
      }),
      'server.yaml': 'transport: stdio\ncommand: node\nargs: [server.mjs]\n',
      'toolcrib.yaml': granted,
    }),
    (at) =>
      at.call(
        {
          '.ai/server.yaml': 'transport: stdio\ncommand: node\nargs: [server.mjs]\n',
          '.ai/tools/a.yaml': rye('a', {
            tool_type: 'mcp',
            executor_id: 'rye/core/runtimes/mcp/stdio',
            requires: '[shell.execute]',
            config: '{ server_config_path: .ai/server.yaml, tool_name: echo }',
          }),
        },
        'a',
      ),
  ],
  'Put the right key file back, or set the secret again with `toolcrib secrets set`.': [opened(2), opened(1)],
  'Set the secret again with `toolcrib secrets set`.': [opened(1, 'OTHER'), opened(1)],
  'Write more of it: ${}${}.': [
    () => uniqueStart(['ab', 'ac'], 'a', (id) => id),
    () => uniqueStart(['ab', 'ac'], 'ab', (id) => id),
  ],
}

function computed(value: string): string {
  return `const found = () => (${value})\nexport const frontmatter = found()\nexport default () => 'x'\n`
}

const issued = async (issuer: string) => {
  await new IssuedTokens(issuer, () => []).identify('a.b.c')
  return ''
}
const offers = { other: { tools: ['*'] } }
const bound = (offer: object) => () => {
  const caller = makePrincipal({ surface: 'mcp', name: 'ci', ...offer } as never)
  boundToOffer(caller, 'other', { offers } as never)
}
const streams = new LongStreams()
const held: Response[] = []
const hold = () =>
  held.push(
    streams.hold(
      new Response(new ReadableStream()),
      makePrincipal({ surface: 'http', name: 'ci' } as never),
      () => true,
    ),
  )
const settingsOfTokens: Files = {
  'toolcrib.yaml':
    'serve: { tokens: [{ name: narrow, token: "env://NARROW", grants: [fs.read] }, { name: whole, token: "env://WHOLE" }] }\n',
}
const metrics =
  (token: string): Step =>
  (at) => {
    at.put(settingsOfTokens)
    const env = { ...at.env, NARROW: 'n'.repeat(40), WHOLE: 'w'.repeat(40) }
    return at.ask('GET', '/metrics', undefined, { token, serve: { env } })
  }
const pasted = { name: 'box', text: 'node server.mjs' }

const interpreter =
  (name: object, host: object = {}): Step =>
  async (at) => {
    const found = new Interpreters({ spaces: { state: at.path('.toolcrib'), project: at.root } } as never)
    await found.find({ search: [], ...name } as never, [], host as never)
    return ''
  }
const askSkills =
  (name: string): Step =>
  () => {
    const crib = { config: { skills: { tools: 'always' } } }
    const skills = new Map([['a', { id: 'a', description: 'Says', tier: 'project' }]])
    const result = callSkillTool({ crib, skills, tools: [] } as never, name, { name: 'b' })!
    return { isOk: result.isError !== true, said: JSON.stringify(result) }
  }
const stored =
  (trust: string): Step =>
  (at) =>
    at.cli(['run', 'a', '--a', '1'], { files: { 'toolcrib.yaml': `trust: ${trust}\n` } })

export const callersFound: Table = {
  'Install it, or put it on PATH.': [
    interpreter({ fallback: 'no-such-program' }),
    interpreter({ fallback: 'node' }, { PATH: process.env['PATH'] }),
  ],
  'Install it, or set ${} to the path of the program.': [
    interpreter({ var: 'BOX_NODE', fallback: 'no-such-program' }),
    interpreter({ var: 'BOX_NODE', fallback: 'no-such-program' }, { BOX_NODE: process.execPath }),
  ],
  'See list_skills.': [askSkills('read_skill'), askSkills('list_skills')],
  'Put it into a file under crumbs/ and sign that, or set trust: warn in toolcrib.yaml.': [
    async (at) => {
      await at.cli(['crumbs', 'create', doc({ name: 'a' })])
      return stored('require')(at)
    },
    stored('warn'),
  ],
  'Check serve.issuer, and that it can be reached from here.': [
    () => issued('http://127.0.0.1:9'),
    async () => {
      const here = createServer((_, answer) => {
        answer.setHeader('content-type', 'application/json')
        answer.end(JSON.stringify({ issuer: origin(), jwks_uri: `${origin()}/keys`, keys: [] }))
      })
      const origin = () => `http://127.0.0.1:${(here.address() as AddressInfo).port}`
      await new Promise<void>((done) => here.listen(0, '127.0.0.1', done))
      try {
        return await issued(origin())
      } finally {
        here.closeAllConnections()
        here.close()
      }
    },
  ],
  'Use the address of that offer, or a token without one.': [
    bound({ offer: { name: 'work', tools: [] } }),
    bound({}),
  ],
  'Close one, or share one stream between readers.': [
    () => {
      for (;;) hold()
    },
    async () => {
      await held.pop()!.body!.cancel()
      hold()
      for (const each of held) await each.body!.cancel()
    },
  ],
  'Use a token without grants and allowedTools.': [metrics('n'.repeat(40)), metrics('w'.repeat(40))],
  'Look at it again, then add.': [
    (at) => {
      at.put(program)
      return at.ask('POST', '/api/servers', { ...pasted, digest: 'x' }, { serve: { edit: true } })
    },
    async (at) => {
      const { body } = await at.ask('POST', '/api/servers/preview', pasted)
      return at.ask('POST', '/api/servers', { ...pasted, digest: body.digest })
    },
  ],
}
