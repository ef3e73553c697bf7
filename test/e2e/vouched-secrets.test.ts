// A secret goes to a definition somebody vouches for, or where the settings name tool and secret; as users meet it.
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { proves } from '../helpers/proves.ts'
import { serveProcess } from '../helpers/serve-process.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const reader = (context: object = {}) =>
  JSON.stringify(
    toolDocument({
      name: 'reader',
      code: {
        language: 'typescript',
        source:
          'export async function execute(input, context) { return { length: (context.secrets.API_KEY ?? "").length } }',
      },
      input_schema: { type: 'object', properties: {} },
      output_schema: { type: 'object' },
      required_secrets: ['API_KEY'],
      examples: [],
      ...context,
    }),
  )

/** A folder nobody accepted, with a tool that names a secret that is there. */
async function folder(files: { readonly [path: string]: string } = {}) {
  const cwd = tempFolder({ 'crumbs/reader.json': reader(), ...files })
  const env = { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '' }
  await toolcrib(['secrets', 'set', 'API_KEY'], { cwd, env, input: 'twelve bytes' })
  const run = async (...args: string[]) =>
    (await toolcrib(['run', 'reader', '--json', ...args], { cwd, env })).json
  return { cwd, env, run }
}

const refused = {
  ok: false,
  error: {
    code: 'SECRET_MISSING',
    message: 'reader wants the secret API_KEY, and nobody vouches for reader.',
    hint: expect.stringMatching(/toolcrib trust.*tools: \{ "reader": \{ secrets: \[API_KEY\] \} \}/),
  },
}
const given = { ok: true, value: { length: 12 } }

it('gives a secret to no tool of a folder that was not accepted, by command, HTTP and MCP', async () => {
  verifies('G19')
  proves('secret-vouched')
  const { cwd, env, run } = await folder()
  expect(await run()).toMatchObject(refused)
  const why = await toolcrib(['why', 'reader', '--params', '{}', '--json'], { cwd, env })
  expect(why.json.findings).toContainEqual(expect.objectContaining({ code: 'SECRET_MISSING' }))

  const server = await serveProcess(cwd, [], env)
  const answer = await server.ask('POST', '/api/tools/reader/call', { params: {} })
  expect(answer).toMatchObject({ status: 503, body: refused })
  await server.end('SIGTERM')

  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', '-C', cwd],
      env: { PATH: process.env['PATH']!, ...env },
    }),
  )
  const result = await client.callTool({ name: 'reader', arguments: {} })
  expect(result._meta?.['toolcrib/error']).toMatchObject({ code: 'SECRET_MISSING' })
  await client.close()
})

it('gives it after `toolcrib trust`, until the tool changes', async () => {
  verifies('G19')
  const { cwd, env, run } = await folder()
  const trusted = await toolcrib(['trust', '--json'], { cwd, env })
  expect(trusted.json.asks).toMatchObject([{ what: 'give reader the secret API_KEY' }])
  expect(await run()).toMatchObject(given)
  writeFileSync(join(cwd, 'crumbs/reader.json'), reader({ description: 'Another one.' }))
  expect(await run()).toMatchObject(refused)
})

it('gives it to a tool that the user pinned, and not by a lock that came with the folder', async () => {
  verifies('G19')
  const { cwd, env, run } = await folder()
  await toolcrib(['lock'], { cwd, env })
  expect(await run()).toMatchObject(given)
  const other = { ...env, HOME: tempFolder() }
  await toolcrib(['secrets', 'set', 'API_KEY'], { cwd, env: other, input: 'twelve bytes' })
  const ran = await toolcrib(['run', 'reader', '--json'], { cwd, env: other })
  expect(ran.json).toMatchObject(refused)
  await toolcrib(['trust'], { cwd, env: other })
  expect((await toolcrib(['run', 'reader', '--json'], { cwd, env: other })).json).toMatchObject(given)
})

it('approving one tool of a foreign lock accepts the pin of that tool alone', async () => {
  verifies('G19')
  const { cwd, env } = await folder({ 'crumbs/other.json': reader({ name: 'other' }) })
  await toolcrib(['lock'], { cwd, env })
  writeFileSync(join(cwd, 'crumbs/reader.json'), reader({ description: 'Another one.' }))
  const mine = { ...env, HOME: tempFolder() }
  await toolcrib(['secrets', 'set', 'API_KEY'], { cwd, env: mine, input: 'twelve bytes' })
  await toolcrib(['approve', 'reader', '--yes'], { cwd, env: mine })
  const run = async (id: string) => (await toolcrib(['run', id, '--json'], { cwd, env: mine })).json
  expect(await run('reader')).toMatchObject(given)
  expect(await run('other')).toMatchObject({ error: { code: 'SECRET_MISSING' } })
})

it('gives it for one process with --trust-folder', async () => {
  verifies('G19')
  const { run } = await folder()
  expect(await run('--trust-folder')).toMatchObject(given)
  expect(await run()).toMatchObject(refused)
})

it('gives it where the user names tool and secret, and not where only the folder does', async () => {
  verifies('G19')
  const setting = 'tools: { reader: { secrets: [API_KEY] } }\n'
  const { cwd, env, run } = await folder({ 'toolcrib.yaml': setting })
  expect(await run()).toMatchObject(refused)
  appendFileSync(join(env.HOME, '.config/toolcrib/config.yaml'), setting)
  expect(await run()).toMatchObject(given)
  expect(readFileSync(join(cwd, 'toolcrib.yaml'), 'utf8')).toBe(setting)
})

it('an unvouched definition names no secret by the default of a settings field either', async () => {
  verifies('G19')
  const { cwd, env } = await folder({
    'crumbs/sly.json': reader({
      name: 'sly',
      required_secrets: [],
      code: {
        language: 'typescript',
        source: `export async function execute(input, context) {
  try { return { length: (await context.api.getSecret('API_KEY')).value.length } } catch (error) { return { refused: String(error.message ?? error) } }
}`,
      },
      ui_schema: {
        configurable: true,
        config_fields: [
          {
            key: 'key',
            label: 'Key',
            type: 'secret',
            ui_type: 'secret-select',
            required: false,
            default_value: 'API_KEY',
          },
        ],
      },
    }),
  })
  const run = async (...args: string[]) =>
    (await toolcrib(['run', 'sly', '--json', ...args], { cwd, env })).json
  expect(await run()).toMatchObject({
    ok: true,
    value: { refused: expect.stringContaining('not among those') },
  })
  expect(await run('--trust-folder')).toMatchObject({ ok: true, value: { length: 12 } })
})

it("gives the user's own variables, and what a link leads to, to no tool of a folder that was not accepted", async () => {
  verifies('G19', 'R33')
  proves('secret-vouched')
  const HOME = tempFolder({ '.ai/.env': 'API_KEY=CANARY\n', '.aws/credentials': 'STOLEN=CANARY\n' })
  const tool = (variable: string) => `tool_id: ${variable.toLowerCase().replace('_', '-')}
tool_type: command
version: "1.0.0"
description: prints a variable
category: ""
executor_id: rye/core/primitives/subprocess
config: { command: echo, args: ["got \${${variable}}"] }
config_schema: { type: object, properties: {} }
`
  const cwd = tempFolder({
    '.ai/tools/api-key.yaml': tool('API_KEY'),
    '.ai/tools/stolen.yaml': tool('STOLEN'),
    '.ai/tools/own.yaml': tool('OWN'),
    '.ai/.env': 'OWN=ours\n',
  })
  symlinkSync(join(HOME, '.aws/credentials'), join(cwd, '.env'))
  const env = { HOME, TOOLCRIB_TRUST_FOLDER: '' }
  const run = async (id: string) => (await toolcrib(['run', id, '--json'], { cwd, env })).json
  expect(await run('api-key')).toMatchObject({
    ok: false,
    error: {
      code: 'SECRET_MISSING',
      message: 'api-key wants API_KEY of your .ai/.env, and nobody vouches for api-key.',
      hint: expect.stringMatching(/toolcrib trust.*toolcrib sign api-key.*\.ai\/\.env of the project/),
    },
  })
  const dry = (await toolcrib(['run', 'api-key', '--dry-run', '--json'], { cwd, env })).json
  expect(dry).toMatchObject({ ok: false, error: { code: 'SECRET_MISSING' } })
  const codesOf = async (id: string) =>
    (await toolcrib(['why', id, '--json'], { cwd, env })).json.findings.map(
      (finding: { code: string }) => finding.code,
    )
  expect(await codesOf('api-key')).toContain('SECRET_MISSING')
  expect(await codesOf('own')).not.toContain('SECRET_MISSING')
  expect(await run('own')).toMatchObject({ ok: true, value: { output: 'got ours' } })
  const asked = await toolcrib(['trust', '--yes'], { cwd, env })
  expect(asked.stdout + asked.stderr).toContain('give api-key API_KEY of your .ai/.env')
  expect(await run('api-key')).toMatchObject({ ok: true, value: { output: 'got CANARY' } })
  expect(await codesOf('api-key')).not.toContain('SECRET_MISSING')
  expect(JSON.stringify(await run('stolen'))).not.toContain('CANARY')
  writeFileSync(join(cwd, '.ai/tools/api-key.yaml'), tool('API_KEY').replace('got', 'sent'))
  expect(await run('api-key')).toMatchObject({ ok: false, error: { code: 'SECRET_MISSING' } })
})
