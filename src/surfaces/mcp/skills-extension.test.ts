// Skills as clients of both eras get them: the extension, checked by the official client, the resources, and two tools.
import { createHash } from 'node:crypto'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { rawClient } from './fixtures/raw-client.ts'

const plain = '---\nname: notes\ndescription: Keeps notes\nmetadata:\n  author: Ada\n---\nWrite it down.\n'
const nested = `---
name: reports
description: Writes reports
license: MIT
metadata:
  owner: { team: docs, people: [Ada, Bob] }
  version: 2
---
Follow references/STYLE.md.
`
const files = {
  'skills/notes/SKILL.md': plain,
  'skills/reports/SKILL.md': nested,
  'skills/reports/references/STYLE.md': '# Style\n',
  'skills/reports/scripts/run.py': 'print(1)\n',
  'skills/reports/logo.bin': new Uint8Array([0, 255, 10]),
  'skills/reports/latin.txt': new Uint8Array([0xe9, 10]),
  'skills/reports/.env': 'KEY=secret\n',
}

async function cribWith(config: object = {}): Promise<{ crib: Crib; root: string }> {
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root }, config })
  onTestFinished(() => crib.close())
  return { crib, root }
}

async function client(crib: Crib, era: 'legacy' | '2026-07-28'): Promise<Client> {
  const served = await serveCrib(crib, { port: 0, watch: false })
  onTestFinished(() => served.close(0))
  const mode = era === 'legacy' ? era : { pin: era }
  const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${served.token}` } }
  await made.connect(new StreamableHTTPClientTransport(new URL(served.mcp), { requestInit }))
  onTestFinished(() => made.close())
  return made
}

describe.each(['legacy', '2026-07-28'] as const)('the skills extension in the era %s', (era) => {
  it('lists every skill folder, and the official client verifies each of its files', async () => {
    verifies('U6')
    const { crib, root } = await cribWith()
    const skills = new SkillsClient(await client(crib, era))
    expect(skills.supported).toBe(true)
    const { skills: entries } = await skills.list()
    const found = new Map(entries.map((entry) => [entry.frontmatter.name, entry]))
    expect([...found.keys()]).toEqual(expect.arrayContaining(['notes', 'reports', 'toolcrib']))
    for (const entry of found.values())
      for (const { uri } of entry.resources as { uri: string }[])
        expect(await skills.read(entry, uri)).toMatchObject({ verified: true })
    expect(found.get('notes')).toMatchObject({ uri: 'skill://notes/SKILL.md' })
    const reports = found.get('reports')!
    expect(reports.frontmatter).toEqual({
      name: 'reports',
      description: 'Writes reports',
      license: 'MIT',
      metadata: { owner: '{"team":"docs","people":["Ada","Bob"]}', version: '2' },
    })
    const paths = (reports.resources as { uri: string }[]).map(({ uri }) => uri.split('reports/')[1])
    expect(paths).toEqual(['SKILL.md', 'latin.txt', 'logo.bin', 'references/STYLE.md', 'scripts/run.py'])
    const latin = (reports.resources as { uri: string; digest: string }[])[1]!
    const bytes = readFileSync(join(root, 'skills/reports/latin.txt'))
    expect(latin.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
    expect((await skills.get(reports.uri)).skill).toEqual(reports)
    expect((await skills.read(reports)).body).toBe('Follow references/STYLE.md.\n')
    await expect(skills.get('skill://none/SKILL.md')).rejects.toThrow('No skill')
  })
})

describe('resources and prompts', () => {
  it('give the file as it is, list the folder, and say how to use it', async () => {
    verifies('U6')
    const { crib } = await cribWith()
    const { ask } = await rawClient(crib)
    const read = async (uri: string) =>
      JSON.parse(JSON.stringify((await ask('resources/read', { uri })).result))
    expect((await read('skill://reports/SKILL.md')).contents[0].text).toBe(nested)
    expect((await read('skill://reports/logo.bin')).contents[0].blob).toBe('AP8K')
    const listed = JSON.stringify((await ask('resources/list')).result)
    expect(listed).toContain('skill://reports/references/STYLE.md')
    expect(listed).not.toContain('.env')
    const prompt = JSON.stringify((await ask('prompts/get', { name: 'reports' })).result)
    expect(prompt).toContain('references/STYLE.md, scripts/run.py')
    expect(prompt).toContain('skills/reports in the crib')
  })
})

describe('list_skills and read_skill', () => {
  const names = async (config: object) => {
    const { crib } = await cribWith(config)
    const { ask } = await rawClient(crib)
    const { result } = await ask('tools/list')
    return { ask, names: (result!['tools'] as { name: string }[]).map(({ name }) => name) }
  }

  it('let a client that knows tools alone find and read skills', async () => {
    verifies('U6')
    const { ask, names: offered } = await names({})
    expect(offered).toEqual(expect.arrayContaining(['list_skills', 'read_skill']))
    const list = await ask('tools/call', { name: 'list_skills', arguments: {} })
    expect(list.result).toMatchObject({
      structuredContent: {
        skills: expect.arrayContaining([{ name: 'reports', description: 'Writes reports' }]),
      },
    })
    const read = (args: object) => ask('tools/call', { name: 'read_skill', arguments: args })
    expect((await read({ name: 'reports' })).result).toMatchObject({
      content: [{ text: nested }, { text: expect.stringContaining('scripts/run.py') }],
    })
    expect((await read({ name: 'reports', file: 'scripts/run.py' })).result).toMatchObject({
      content: [{ text: 'print(1)\n' }],
    })
    expect((await read({ name: 'reports', file: '../../toolcrib.yaml' })).result).toMatchObject({
      isError: true,
    })
    expect((await read({ name: 'nothing' })).result).toMatchObject({ isError: true })
  })

  it('are left out where the settings say so, and hold to an offer', async () => {
    verifies('U6')
    expect((await names({ skills: { tools: 'never' } })).names).not.toContain('list_skills')
    const { crib } = await cribWith({ offers: { one: { tools: ['notes'] } } })
    const { ask } = await rawClient(crib, { stdio: { offer: 'one' } })
    const { result } = await ask('tools/call', { name: 'list_skills', arguments: {} })
    expect(result!['structuredContent']).toEqual({ skills: [{ name: 'notes', description: 'Keeps notes' }] })
    const refused = await ask('tools/call', { name: 'read_skill', arguments: { name: 'reports' } })
    expect(refused.result).toMatchObject({ isError: true })
  })
})

it('shows of a skill in the crib itself no token, no record, no settings, and nothing of another skill', async () => {
  verifies('G17', 'G20', 'U6')
  const root = tempFolder({
    ...files,
    'SKILL.md': plain.replaceAll('notes', 'whole'),
    'references/HOW.md': 'how\n',
    'crumbs/a.json': '{"schema_name":"note.v1","title":"CANARY","context":{}}',
    'toolcrib.yaml': '# CANARY\n',
    '.env': 'KEY=CANARY\n',
    '.git/config': 'CANARY\n',
    'private/deep/SKILL.md': 'CANARY',
    'private/deep/data.txt': 'CANARY',
  })
  symlinkSync('.toolcrib', join(root, 'state'))
  symlinkSync('../.env', join(root, 'references/variables'))
  symlinkSync('HOW.md', join(root, 'references/AGAIN.md'))
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  const to = await client(crib, 'legacy')
  const { resources } = await to.listResources()
  const listed = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('skill://whole/'))
  expect(listed).toEqual(['skill://whole/SKILL.md', 'skill://whole/references/HOW.md'])
  const read = async (path: string) => {
    const { content } = await to.callTool({ name: 'read_skill', arguments: { name: 'whole', file: path } })
    const resource = await to.readResource({ uri: `skill://whole/${path}` }).catch(() => null)
    return [JSON.stringify(content), resource?.contents.length ?? 0]
  }
  for (const path of [
    ...[
      '.toolcrib/token',
      './.toolcrib/token',
      'references/../.toolcrib/token',
      'state/token',
      '.toolcrib/crib.db',
    ],
    ...['.env', 'references/variables', '.git/config', 'toolcrib.yaml', 'crumbs/a.json'],
    ...['private/deep/data.txt', 'private/deep/SKILL.md', 'skills/reports/logo.bin'],
  ])
    expect(await read(path), path).toEqual([expect.stringContaining('has no file'), 0])
  expect(await read('references/AGAIN.md')).toEqual([expect.stringContaining('how'), 1])
})
