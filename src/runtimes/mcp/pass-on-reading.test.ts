// What foreign servers offer to be read reaches clients of both eras, through the same rules as tools.
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../../surfaces/http/serve-crib.ts'
import { askModern } from '../../surfaces/mcp/fixtures/modern-client.ts'
import { type RawClient, rawClient } from '../../surfaces/mcp/fixtures/raw-client.ts'
import { makePrincipal } from '../../tool/principal.ts'

const server = new URL('./fixtures/reading-server.mjs', import.meta.url)
const { prompts, resources, templates, contents } = await import(server.href)
const skill = '---\nname: notes\ndescription: Keeps notes\n---\nWrite it down.\n'

async function cribWith(config: object = {}, names: readonly string[] = ['lib']): Promise<Crib> {
  const root = tempFolder({ 'skills/notes/SKILL.md': skill })
  copyFileSync(fileURLToPath(server), join(root, 'reading-server.mjs'))
  const servers = Object.fromEntries(
    names.map((name) => [name, { command: 'node', args: ['reading-server.mjs'] }]),
  )
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  const crib = await openCrib({ root, env: { HOME: root }, config })
  onTestFinished(() => crib.close())
  return crib
}

/** Whatever came over the line. */
type Loose = ReturnType<typeof JSON.parse>

interface Asked {
  readonly result?: Loose
  readonly error?: Loose
}

/** Asks a crib as a client of each era does. */
const eras: {
  readonly [era: string]: (crib: Crib) => Promise<(method: string, params?: object) => Promise<Asked>>
} = {
  '2025-11-25': async (crib) => (await rawClient(crib)).ask,
  '2026-07-28': async (crib) => {
    const { url, token } = await serveCrib(crib, { port: 0, watch: false }).then((served) => {
      onTestFinished(() => served.close(0))
      return { url: served.url, token: served.token! }
    })
    return (method, params = {}) => askModern({ url, token }, method, params as { [name: string]: unknown })
  },
}

describe.each(Object.keys(eras))('a client of %s', (era) => {
  it('is offered prompts under the name of their server, every field kept', async () => {
    verifies('U1')
    const ask = await eras[era]!(await cribWith())
    const { result } = await ask('prompts/list')
    const names = result.prompts.map(({ name }: { name: string }) => name)
    expect(names[0]).toBe('notes')
    expect(names.slice(-3)).toEqual(['lib-plain', 'lib-greet', 'lib-prompt-guide'])
    expect(result.prompts.slice(-3, -1)).toEqual([
      { ...prompts[0], name: 'lib-plain' },
      { ...prompts[1], name: 'lib-greet' },
    ])
  })

  it('gets what a prompt says, byte for byte, and the error of its server', async () => {
    verifies('U1', 'U2')
    const ask = await eras[era]!(await cribWith())
    await ask('prompts/list')
    const { result } = await ask('prompts/get', { name: 'lib-greet', arguments: { who: 'Ada' } })
    expect(result.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello Ada', annotations: { priority: 1 } } },
    ])
    expect(result).toMatchObject({ description: 'A greeting', _meta: { 'vendor/prompt': 1 } })
    const plain = await ask('prompts/get', { name: 'lib-plain' })
    expect(plain.result.messages[1].content.resource).toEqual(contents['docs://guide'][0])
    expect((await ask('prompts/get', { name: 'lib-greet' })).error).toMatchObject({ code: -32602 })
    expect((await ask('prompts/get', { name: 'lib-none' })).error).toMatchObject({ code: -32602 })
  })

  it('is offered resources and templates by their own addresses, and reads them', async () => {
    verifies('U1', 'U2')
    const ask = await eras[era]!(await cribWith())
    const listed = (await ask('resources/list')).result.resources
    expect(listed.slice(-2)).toEqual(resources)
    expect(listed[0].uri).toBe('skill://notes/SKILL.md')
    expect((await ask('resources/templates/list')).result.resourceTemplates.slice(-1)).toEqual(templates)
    for (const uri of ['docs://guide', 'docs://logo'])
      expect((await ask('resources/read', { uri })).result.contents).toEqual(contents[uri])
    expect((await ask('resources/read', { uri: 'docs://page/7' })).result.contents).toEqual([
      { uri: 'docs://page/7', text: 'page 7' },
    ])
    expect((await ask('resources/read', { uri: 'skill://notes/SKILL.md' })).result.contents[0].text).toBe(
      skill,
    )
    expect((await ask('resources/read', { uri: 'docs://nothing' })).error).toBeDefined()
  })

  it('has arguments completed by the server', async () => {
    verifies('U1')
    const ask = await eras[era]!(await cribWith())
    await ask('prompts/list')
    const prompt = await ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'lib-greet' },
      argument: { name: 'tone', value: 'w' },
      context: { arguments: { who: 'Ada' } },
    })
    expect(prompt.result.completion).toEqual({ values: ['greet:tone:w:Ada'], total: 1, hasMore: false })
    const template = await ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'docs://page/{n}' },
      argument: { name: 'n', value: '1' },
    })
    expect(template.result.completion.values).toEqual(['docs://page/{n}:n:1:'])
  })
})

describe('the rules of tools', () => {
  it('hold for prompts and resources: offers, allowed tools, and the record', async () => {
    verifies('U1')
    const crib = await cribWith({
      offers: { some: { tools: ['mcp:lib/greet', 'mcp:lib/logo'] }, all: { tools: ['mcp:lib/*'] } },
    })
    await crib.discover()
    const seen = async (offer: string) => {
      const { ask } = await rawClient(crib, { stdio: { offer } })
      const { result: asked } = await ask('prompts/list')
      const { result: read } = await ask('resources/list')
      const refused = await ask('resources/read', { uri: 'docs://guide' })
      return {
        prompts: (asked as Loose).prompts.map(({ name }: { name: string }) => name),
        resources: (read as Loose).resources.map(({ uri }: { uri: string }) => uri),
        isRefused: refused.error !== undefined,
      }
    }
    expect(await seen('some')).toEqual({
      prompts: ['lib-greet'],
      resources: ['docs://logo'],
      isRefused: true,
    })
    expect(await seen('all')).toMatchObject({
      prompts: ['lib-plain', 'lib-greet', 'lib-prompt-guide'],
      isRefused: false,
    })
    const bound = makePrincipal({ surface: 'http', name: 'ada', allowedTools: 'lib-plain' })
    expect(await crib.call('lib-greet', { who: 'x' }, { principal: bound })).toMatchObject({
      error: { code: 'TOOL_DENIED' },
    })
    expect(await crib.call('docs://guide')).toMatchObject({ ok: true })
    const { runs } = await crib.crumbs.runs.list({ limit: 10 })
    expect(runs.map(({ tool }) => tool)).toContain('lib-resource-guide')
  })

  it('keep a prompt apart whose text changed after it was approved', async () => {
    verifies('U1')
    const crib = await cribWith()
    await crib.discover()
    crib.lock.pinAll({ programs: false, keepServers: [] })
    crib.catalog.markAgain()
    expect(await crib.call('lib-greet', { who: 'Ada' })).toMatchObject({ ok: true })
    await crib.call('lib-reword')
    await crib.discover({ refresh: true })
    expect(await crib.call('lib-greet', { who: 'Ada' })).toMatchObject({ error: { code: 'TRUST_DRIFT' } })
    expect(await crib.call('lib-plain')).toMatchObject({ ok: true })
  })

  it('refuse an address outside the template, and a prompt as a tool', async () => {
    verifies('U1')
    const crib = await cribWith()
    await crib.discover()
    expect(await crib.call('lib-page', { uri: 'docs://guide' })).toMatchObject({
      error: { code: 'PARAMS_INVALID' },
    })
    const { ask } = await rawClient(crib)
    expect((await ask('tools/call', { name: 'lib-plain' })).error).toMatchObject({ code: -32602 })
  })
})

it('gives the second of two resources with one address the name of its server in front', async () => {
  verifies('U1')
  const crib = await cribWith({}, ['lib', 'My Copy'])
  await crib.discover()
  const { ask } = await rawClient(crib)
  const { result } = await ask('resources/list')
  const uris = (result as Loose).resources.map(({ uri }: { uri: string }) => uri)
  expect(uris.slice(-4)).toEqual([
    'docs://guide',
    'docs://logo',
    'my-copy+docs://guide',
    'my-copy+docs://logo',
  ])
  const read = await ask('resources/read', { uri: 'my-copy+docs://logo' })
  expect((read.result as Loose).contents).toEqual(contents['docs://logo'])
})

it('tells clients when a server says that its resources changed', async () => {
  verifies('U1')
  const crib = await cribWith()
  await crib.watch()
  await crib.discover()
  const { ask, notices } = await rawClient(crib)
  await ask('tools/call', { name: 'lib-grow' })
  await vi.waitFor(() =>
    expect(notices.map(({ method }) => method)).toContain('notifications/resources/list_changed'),
  )
  expect((await ask('resources/read', { uri: 'docs://new' })).result).toMatchObject({
    contents: [{ text: 'fresh' }],
  })
})

it('passes log messages of a server on to a client that asked for them, as they came', async () => {
  verifies('U1')
  const crib = await cribWith()
  await crib.discover()
  const quiet: RawClient = await rawClient(crib)
  const silent = await quiet.ask('tools/call', { name: 'lib-chatty' })
  expect(silent.result).toMatchObject({ content: [{ text: 'undefined' }] })
  expect(quiet.notices).toEqual([])
  const { ask, notices } = await rawClient(crib)
  await ask('logging/setLevel', { level: 'info' })
  expect((await ask('tools/call', { name: 'lib-chatty' })).result).toMatchObject({
    content: [{ text: 'info' }],
  })
  expect(notices.map(({ params }) => params)).toEqual([
    { level: 'notice', logger: 'lib-chatty/db', data: { rows: 3 } },
  ])
})

it('says what is missing of the lists of a server, and offers the rest', async () => {
  verifies('U2')
  const root = tempFolder()
  copyFileSync(fileURLToPath(server), join(root, 'reading-server.mjs'))
  const mcpServers = { lib: { command: 'node', args: ['reading-server.mjs', 'broken'] } }
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ mcpServers }))
  const said: unknown[] = []
  for (const _start of ['first', 'second']) {
    const crib = await openCrib({ root, env: { HOME: root } })
    onTestFinished(() => crib.close())
    if (said.length === 0) await crib.discover()
    said.push(crib.find('mcp/lib').problems)
    expect(crib.find('mcp/lib').state).toBe('available')
    expect(crib.find('lib-greet').state).toBe('available')
    expect(crib.find('lib-chatty').state).toBe('available')
  }
  for (const problems of said)
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'mcp-list-incomplete',
          severity: 'warning',
          message: expect.stringContaining('1 of prompts/list has no name or no bottom'),
          file: join(root, '.mcp.json'),
        }),
        expect.objectContaining({
          message: expect.stringContaining('resources/templates/list failed: no templates today'),
        }),
      ]),
    )
})
