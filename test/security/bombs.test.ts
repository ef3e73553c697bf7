// Files of a folder somebody only looks at cost what their size allows, whatever they unfold to: the host neither hangs
// nor runs out of memory (G3: to look starts nothing, and ends).
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

const python = `"""A tool."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "a tool"
`
/** Sixty lists, each of twice the one before. */
const aliases = [
  'a0: &a0 [1]',
  ...Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
].join('\n')
const api = 'openapi: 3.1.0\ninfo: { title: x, version: "1" }\npaths: {}\n'

it.each([
  ['aliases of aliases in an OpenAPI document', 'bomb.openapi.yaml', `${api}${aliases}\n`],
  ['aliases of aliases in a skill', 'skills/bomb/SKILL.md', `---\nname: bomb\n${aliases}\n---\n`],
  ['aliases of aliases in a tool', '.ai/tools/bomb.yaml', aliases],
  ['not not not', '.ai/tools/bomb.py', `${python}X = ${'not '.repeat(200_000)}1\n`],
  ['signs before signs', '.ai/tools/bomb.py', `${python}X = ${'-'.repeat(500_000)}1\n`],
  ['functions in functions', '.ai/tools/bomb.py', `${python}X = ${'lambda:'.repeat(100_000)}1\n`],
  ['powers of powers', '.ai/tools/bomb.py', `${python}X = ${'a**'.repeat(100_000)}1\n`],
])('reads a crib with %s, and the tools beside it', async (_, path, text) => {
  verifies('G3')
  const root = tempFolder({
    [path]: text,
    'skills/hello/SKILL.md': '---\nname: hello\ndescription: Says hello\n---\nhi',
  })
  await using crib = await openCrib({ root, cache: false })
  await crib.check()
  expect(crib.catalog.tools.map(({ id }) => id)).toContain('hello')
  expect(crib.problems.filter(({ severity }) => severity === 'error')).not.toEqual([])
})

it.each([
  ['a + a + …', `const a = ${'1+'.repeat(300_000)}1`],
  ['a.a.a…', `const a = b${'.c'.repeat(300_000)}`],
  ['a()()…', `const a = b${'()'.repeat(200_000)}`],
  ['a[0][0]…', `const a = b${'[0]'.repeat(300_000)}`],
  ['a`` ``…', `const a = b${'``'.repeat(200_000)}`],
  ['!!!…', `const a = ${'!'.repeat(300_000)}1`],
  ['a in a in …', `const a = b${' in c'.repeat(200_000)}`],
  ['else after ;', `${'if (1);else '.repeat(100_000)};`],
  ['else after a comment', `${'if (1);/* ; */else '.repeat(100_000)};`],
  ['else after }', `${'if (1) {}/**/else '.repeat(100_000)};`],
])('reads a script whose tree is as deep as it is long: %s', async (_, text) => {
  verifies('G3')
  const root = tempFolder({
    'bomb.skill.js': `export const frontmatter = { name: 'bomb', description: 'x' }\nexport default () => 1\n${text}\n`,
    'skills/hello/SKILL.md': '---\nname: hello\ndescription: Says hello\n---\nhi',
  })
  await using crib = await openCrib({ root, cache: false })
  await crib.check()
  expect(crib.catalog.tools.map(({ id }) => id)).toContain('hello')
  expect(crib.problems).toContainEqual(
    expect.objectContaining({ file: expect.stringContaining('bomb.skill.js') }),
  )
})

it.each([
  'toolcrib.yaml',
  '.gitignore',
  'skills/.gitignore',
  '.mcp.json',
  'toolcrib.lock',
  'skills/a/SKILL.md',
])('reads a crib whose %s is a link to a device', async (path) => {
  verifies('G3')
  const root = tempFolder({ 'skills/hello/SKILL.md': '---\nname: hello\ndescription: Says hello\n---\nhi' })
  mkdirSync(dirname(join(root, path)), { recursive: true })
  symlinkSync('/dev/zero', join(root, path))
  await using crib = await openCrib({ root, cache: false })
  await crib.check()
  expect(crib.catalog.tools.map(({ id }) => id)).toContain('hello')
})

it('reads no plugin that is a device, to see whether it was accepted', async () => {
  verifies('G2', 'G3')
  const root = tempFolder({ 'toolcrib.yaml': 'plugins: [/dev/zero]\n' })
  const env = { ...process.env, TOOLCRIB_TRUST_FOLDER: '0' }
  await using crib = await openCrib({ root, cache: false, env, trustFolder: false })
  expect(crib.asks).toContainEqual(expect.objectContaining({ key: 'plugins' }))
})
