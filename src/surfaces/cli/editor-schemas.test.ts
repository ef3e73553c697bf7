// The published schemas accept what `toolcrib new` writes and what the examples hold, and refuse what is wrong.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readFrontmatter } from '../../formats/frontmatter.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { editorSchemas } from './editor-schemas.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = (folder: string, pattern: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file))
    .map((file) => join(folder, file))

async function faults(name: string, value: unknown): Promise<readonly unknown[]> {
  return compileSchema(await editorSchemas[name]!(), { fillDefaults: false }).violations(value)
}

it.each(Object.keys(editorSchemas))('%s compiles and describes what it takes', async (name) => {
  const schema = await editorSchemas[name]!()
  expect(() => compileSchema(schema, { fillDefaults: false })).not.toThrow()
  expect(schema['title']).toMatch(/\S/)
})

describe('accepts', () => {
  it.each(files('system/tools', /(?<!\.examples)\.yaml$/))('rye: %s', async (file) => {
    expect(await faults('rye', parse(read(file)))).toEqual([])
  })
  it.each(files('examples', /tools\.json$/))('tools-json: %s', async (file) => {
    expect(await faults('tools-json', JSON.parse(read(file)))).toEqual([])
  })
  it.each(files('examples', /(SKILL|\.skill)\.md$/))('skill: %s', async (file) => {
    expect(await faults('skill', readFrontmatter(read(file)).data)).toEqual([])
  })
  it.each(files('examples', /\.examples\.yaml$/))('examples: %s', async (file) => {
    expect(await faults('examples', parse(read(file)))).toEqual([])
  })
  it.each(files('examples', /^toolcrib\.yaml$/))('config: %s', async (file) => {
    expect(await faults('config', parse(read(file)))).toEqual([])
  })
})

it.each([
  ['rye', { tool_type: 'script' }],
  ['rye', { ...parse('tool_type: x\nversion: "1.0.0"\ncategory: ""\ndescription: d\nexecutor_id: 3') }],
  ['skill', { name: 'Not A Name', description: 'd' }],
  ['examples', [{ parms: {} }]],
  ['config', { trsut: 'off' }],
  ['tools-json', { tools: 3 }],
])('%s refuses %j', async (name, value) => {
  expect(await faults(name, value)).not.toEqual([])
})
