// A tool-code tool whose program is a file of its own.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder, writeFiles } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const fields = {
  name: 'twice',
  description: 'Doubles a number',
  version: '1.0.0',
  input_schema: schema,
  output_schema: { type: 'object' },
  required_secrets: [],
  permissions: {},
  limits: { timeout_ms: 5000, memory_mb: 128, cpu_percent: 100 },
  examples: [{ description: 'doubles', input: { n: 1 }, output: { n: 2 } }],
}
const program = 'export async function execute(input: { n: number }) {\n  return { n: input.n * 2 }\n}\n'
const document = (code: object) =>
  JSON.stringify({
    schema_name: 'tool.code.v1',
    title: 'Twice',
    tags: ['tool', 'tool:twice', 'workspace:tools', 'self-contained'],
    context: { ...fields, code },
  })
const beside = { 'crumbs/twice.json': document({ source_file: 'twice.ts' }), 'crumbs/twice.ts': program }
const module = {
  'tools/twice.tool.ts': `export const tool = ${JSON.stringify(fields, null, 2)} as const\n\n${program}`,
}

async function opened(files: { readonly [path: string]: string }) {
  const root = tempFolder(files)
  const crib = await openCrib({ root, cache: false })
  onTestFinished(() => crib.close())
  return { root, crib }
}

describe.each([
  ['a document that names its source file', beside],
  ['a module that exports tool and execute', module],
])('%s', (_, files) => {
  verifies('D16')

  it('is a tool without a problem, made of all its files', async () => {
    const { crib } = await opened(files)
    const tool = crib.find('twice')
    expect(tool).toMatchObject({ format: 'tool-code', state: 'available', params: schema, problems: [] })
    expect(tool.source.files).toHaveLength(Object.keys(files).length)
  })

  it('runs, and runs what was changed', async () => {
    const { root, crib } = await opened(files)
    expect(await crib.call('twice', { n: 4 })).toMatchObject({ ok: true, value: { n: 8 } })
    const [path, text] = Object.entries(files).at(-1)!
    writeFiles(root, { [path]: text.replace('* 2', '* 3') })
    await crib.reload()
    expect(await crib.call('twice', { n: 4 })).toMatchObject({ ok: true, value: { n: 12 } })
  })

  it('has its syntax errors told in the program', async () => {
    const [path, text] = Object.entries(files).at(-1)!
    const { root, crib } = await opened({ ...files, [path]: text.replace('return {', 'return {{') })
    const { problems } = await crib.check()
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'tc-source-syntax', file: join(root, path), line: expect.any(Number) }),
    )
  })
})

it.each([
  ['../twice.ts', 'names no source file of the same folder'],
  ['missing.ts', 'missing.ts cannot be read beside twice.json'],
])('a source_file of %s is told, with its line', async (name, message) => {
  verifies('D16')
  const { crib } = await opened({ 'crumbs/twice.json': document({ source_file: name }), 'twice.ts': program })
  const { problems } = await crib.check()
  expect(problems).toContainEqual(
    expect.objectContaining({ code: 'tc-source-file', message: expect.stringContaining(message), line: 1 }),
  )
})

it('a link beside the document that leads out of its folder is not put into the store', async () => {
  verifies('D16')
  const root = tempFolder({ 'crumbs/twice.json': document({ source_file: 'twice.ts' }), 'loot.ts': program })
  symlinkSync(join(root, 'loot.ts'), join(root, 'crumbs/twice.ts'))
  const { seedDocuments } = await import('../../src/events/seed-files.ts')
  expect(seedDocuments(root, [root], [])).toEqual([])
})

it('a computed tool is refused with its place', async () => {
  verifies('D16')
  const { crib } = await opened({
    'x.tool.ts': `const name = 'x'\nexport const tool = { name: name + 1 }\n${program}`,
  })
  const { problems } = await crib.check()
  expect(problems).toContainEqual(expect.objectContaining({ code: 'tc-source-file', line: 2 }))
})

it('check and run from the command line take both forms', async () => {
  verifies('D16')
  const cwd = tempFolder(module)
  expect(await toolcrib(['check', '--strict', '--json'], { cwd })).toMatchObject({ code: 0 })
  const ran = await toolcrib(['run', 'twice', '--n', '21', '--json'], { cwd })
  expect(ran.json).toMatchObject({ ok: true, value: { n: 42 } })
})
