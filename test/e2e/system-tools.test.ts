// What ships with Toolcrib works from a fresh, empty folder, and says what it is, takes, gives and needs.
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { agentSkillsProblems } from '../../src/formats/skill/agent-skills-spec.ts'
import { runExamples } from '../../src/surfaces/examples/run-examples.ts'
import { sidecarExamples } from '../../src/surfaces/examples/sidecar-examples.ts'
import { makePrincipal } from '../../src/tool/principal.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { hasFence } from '../helpers/fenced.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'

const system = fileURLToPath(new URL('../../system', import.meta.url))
const open = (root: string, config: object = {}) =>
  openCrib({ root, env: { PATH: process.env['PATH'], HOME: root }, config: config as never })

/** The tools a plain list shows, by id; the list is taken from the shipped files, so that none goes untested. */
const ids = [
  'crumbs_create',
  'crumbs_search',
  'rye/bash/bash',
  ...['edit', 'glob', 'grep', 'list', 'read', 'write'].map((name) => `rye/file-system/${name}`),
  'rye/web/fetch',
]
let shipped: Tool[]

beforeAll(async () => {
  const root = join(system, '..', 'bench')
  await using crib = await openCrib({ root, cache: false, env: { HOME: root } })
  shipped = crib.list().filter((tool) => tool.tier === 'system')
})

it('every shipped tool is tested here', () => {
  expect(shipped.map((tool) => tool.id)).toEqual(ids)
})

describe.each(ids)('%s', (id) => {
  const tool = () => shipped.find((each) => each.id === id)!

  it('has a description, a schema with described parameters, examples, and states what it needs', () => {
    expect(tool().description).toMatch(/^[A-Z]/)
    expect(tool().problems.filter((problem) => problem.severity !== 'info')).toEqual([])
    const properties = (tool().params?.['properties'] ?? {}) as Record<string, { description?: string }>
    for (const [name, property] of Object.entries(properties))
      expect([name, property.description]).toEqual([name, expect.any(String)])
    expect([...tool().examples, ...sidecarExamples(tool())].length).toBeGreaterThan(0)
    expect(tool().requires ?? tool().format).toBeTruthy()
  })

  it('passes its own examples in a fresh folder', async (test) => {
    const root = tempFolder()
    writeFiles(root, { 'notes/today.md': 'one\ntwo\nthree\n' })
    await using crib = await open(root, { grants: { tools: { 'rye/bash/*': ['shell.execute'] } } })
    const { results } = await runExamples(crib, [crib.find(id)], {
      principal: makePrincipal({ surface: 'cli' }),
    })
    const skipped = results.find((result) => result.skipped)
    if (skipped) test.skip(skipped.skipped)
    expect(results.filter((result) => !result.ok)).toEqual([])
    expect(results.length).toBeGreaterThan(0)
  })
})

it('what is created is found again', async (test) => {
  await using crib: Crib = await open(tempFolder())
  const made = await crib.call('crumbs_create', {
    title: 'Sharpen the chisel',
    tags: ['todo'],
    context: { grit: 400 },
  })
  if (!made.ok && made.error.code === 'RUNTIME_MISSING') test.skip(made.error.message)
  expect(made).toMatchObject({ ok: true, value: { version: 1 } })
  const found = await crib.call('crumbs_search', { q: 'chisel' })
  expect(found).toMatchObject({
    ok: true,
    value: { crumbs: [{ title: 'Sharpen the chisel', context: { grit: 400 } }] },
  })
})

it('a crumb that steers the crib cannot be created by the shipped tool', async (test) => {
  await using crib: Crib = await open(tempFolder())
  const made = await crib.call('crumbs_create', { schema_name: 'tool.code.v1', title: 'Sneaky', context: {} })
  if (!made.ok && made.error.code === 'RUNTIME_MISSING') test.skip(made.error.message)
  expect(made.ok).toBe(false)
})

it('the skill toolcrib names only commands that there are', async () => {
  const { commands } = await import('../../src/surfaces/cli/registry.ts')
  const known = new Set(commands.map((command) => command.name))
  const text = readFileSync(join(system, 'skills/toolcrib/SKILL.md'), 'utf8')
  const used = [...text.matchAll(/\btoolcrib ([a-z]+) /g)].map((match) => match[1]!)
  expect(used.length).toBeGreaterThan(8)
  expect(used.filter((name) => !known.has(name) && name !== 'secrets')).toEqual([])
})

it('the skill toolcrib is in every crib, as the shared standard wants it', async () => {
  const root = tempFolder()
  await using crib = await open(root)
  expect(crib.list({ kind: 'context' }).map(({ id, tier, trust }) => [id, tier, trust.status])).toEqual([
    ['toolcrib', 'system', 'trusted'],
  ])
  const file = join(system, 'skills/toolcrib/SKILL.md')
  expect(agentSkillsProblems(file, readFileSync(file, 'utf8'))).toEqual([])
})

it('check --spec agentskills fails a skill that only Toolcrib understands', async () => {
  const root = tempFolder()
  writeFiles(root, {
    'skills/guide/SKILL.md':
      '---\nname: guide\ndescription: Guides.\nmetadata: { tags: [a, b] }\n---\nText.\n',
  })
  await using crib = await open(root)
  expect((await crib.check()).ok).toBe(true)
  const report = await crib.check({ spec: 'agentskills' })
  expect(report).toMatchObject({ ok: false, problems: [{ code: 'agentskills-metadata', line: 4 }] })
})

it('ships nothing but what it knows', () => {
  expect(readdirSync(system).sort()).toEqual(['crumbs', 'fence', 'lib', 'skills', 'templates', 'tools'])
})

it.skipIf(!hasFence)(
  'a folder with links that lead nowhere or in a circle is listed and searched',
  async () => {
    const root = tempFolder({ 'notes/today.md': 'milk\n' })
    symlinkSync('loop', join(root, 'notes/loop'))
    symlinkSync('gone', join(root, 'notes/broken'))
    await using crib = await open(root)
    const listed = await crib.call('rye/file-system/list', { path: 'notes' })
    const names = ['broken', 'loop', 'today.md'].map((name) => expect.objectContaining({ name }))
    expect(listed).toMatchObject({ ok: true, value: { data: { entries: names } } })
    const found = await crib.call('rye/file-system/grep', { pattern: 'milk' })
    expect(found).toMatchObject({ ok: true, value: { data: { matches: [{ path: 'notes/today.md' }] } } })
  },
)
