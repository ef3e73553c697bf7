import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { toolDocument } from '../../formats/tool-code/fixture.ts'
import { libraryPrincipal, makePrincipal } from '../../tool/principal.ts'
import { runExamples } from './run-examples.ts'

/** Stores a note and answers with the titles of all there are. */
const noting = `export async function execute(input, { api }) {
  await api.createBreadcrumb({ title: 'written', schema_name: 'note.v1', context: {} })
  const notes = await api.searchBreadcrumbs({ schema_name: 'note.v1' })
  return { titles: notes.map((note) => note.title).sort() }
}`

function noteTool(name: string, source: string, context: Record<string, unknown> = {}): string {
  return JSON.stringify(
    toolDocument({
      name,
      code: { language: 'javascript', source },
      input_schema: { type: 'object' },
      output_schema: { type: 'object' },
      permissions: { breadcrumbs: { read: ['note.v1'], write: ['note.v1'] }, tools: ['noter'] },
      examples: [{ input: {}, output: { titles: ['seeded', 'written'] } }],
      ...context,
    }),
  )
}

async function cribWith(files: { readonly [path: string]: string }): Promise<Crib> {
  const root = tempFolder({
    'crumbs/note.json': JSON.stringify({ schema_name: 'note.v1', title: 'seeded', tags: [], context: {} }),
    ...files,
  })
  const crib = await openCrib({ root, cache: false, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
  onTestFinished(() => crib.close())
  return crib
}

it('the examples of a tool see the breadcrumbs of the files, and leave none in the store of the crib', async () => {
  verifies('C120')
  const crib = await cribWith({ 'crumbs/noter.json': noteTool('noter', noting) })
  await crib.crumbs.create({ title: 'private', schema_name: 'note.v1', context: {} })
  for (const _ of ['once', 'and again'])
    expect(await runExamples(crib, [crib.find('noter')], { principal: libraryPrincipal })).toMatchObject({
      passed: 1,
      failed: 0,
    })
  const { items } = await crib.crumbs.list({ schema: 'note.v1' })
  expect(items.map(({ title }) => title)).toEqual(['private'])
})

it('so do the tools that an example calls', async () => {
  verifies('C120')
  const asking = 'export const execute = (input, { api }) => api.callTool("noter", {})'
  const crib = await cribWith({
    'crumbs/noter.json': noteTool('noter', noting),
    'crumbs/asker.json': noteTool('asker', asking),
  })
  const report = await runExamples(crib, [crib.find('asker')], { principal: libraryPrincipal })
  expect(report.results).toMatchObject([{ tool: 'asker', ok: true }])
  expect((await crib.crumbs.list()).items).toEqual([])
})

it('have the secrets of the crib', async () => {
  verifies('C120')
  const crib = await cribWith({
    'crumbs/keeper.json': noteTool(
      'keeper',
      'export const execute = (input, { secrets }) => ({ length: secrets.KEY.length })',
      { required_secrets: ['KEY'], examples: [{ input: {}, output: { length: 8 } }] },
    ),
  })
  const { secrets } = await crib.crumbs.open()
  await secrets.create(
    { name: 'KEY', value: '12345678' },
    makePrincipal({ surface: 'http', name: 'ada', isAdmin: true }),
  )
  const report = await runExamples(crib, [crib.find('keeper')], { principal: libraryPrincipal })
  expect(report.results).toMatchObject([{ tool: 'keeper', ok: true }])
  expect(report.skipped).toBe(0)
})

it('an example of a YAML tool that names no result passes when the call works', async () => {
  const crib = await cribWith({
    '.ai/tools/text/say.yaml': `tool_id: say
tool_type: script
version: "1.0.0"
category: text
description: Say a word
executor_id: subprocess
parameters: [{ name: word, type: string, required: true, description: What to say }]
config: { command: echo, args: ["{word}"] }
documentation: { examples: [{ title: as added, params: { word: hello } }] }
`,
  })
  const report = await runExamples(crib, [crib.find('text/say')], { principal: libraryPrincipal })
  expect(report).toMatchObject({ passed: 1, failed: 0, skipped: 0 })
})
