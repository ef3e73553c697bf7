// A crib full of files made to break a reader: each is a problem or nothing, the good tool still works, no code of
// theirs runs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

const deep = (open: string, close: string, n = 20_000) => open.repeat(n) + close.repeat(n)
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'
    .split('')
    .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
].join('\n')
const head = (type = 'python') =>
  `__version__ = "1.0.0"\n__tool_type__ = "${type}"\n__executor_id__ = "python/function"\n__category__ = ""\n__tool_description__ = "x"\n`

/** One hostile text per ending, by number. */
const hostile: ((n: number, trap: string) => [string, string | Uint8Array])[] = [
  (n, trap) => [
    `.ai/tools/run${n}.py`,
    `${head()}open(${JSON.stringify(trap)}, "w").write("ran")\ndef execute(params, project_path): pass\n`,
  ],
  (n, trap) => [
    `.ai/tools/run${n}.mjs`,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(trap)}, 'ran')\nexport const __version__ = (() => { writeFileSync(${JSON.stringify(trap)}, 'ran'); return '1.0.0' })()\n`,
  ],
  (n, trap) => [
    `skills/run${n}.skill.js`,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(trap)}, 'ran')\nexport const frontmatter = { name: 'x' }\nexport default () => 1\n`,
  ],
  (n) => [`.ai/tools/deep${n}.py`, `${head()}CONFIG_SCHEMA = ${deep('[', ']')}\n`],
  (n) => [`.ai/tools/deep${n}.yaml`, `tool_type: script\nconfig: ${deep('[', ']', 5000)}\n`],
  (n) => [`.ai/tools/flow${n}.yaml`, `tool_type: ${deep('{a: ', '}', 5000)}\n`],
  (n) => [`.ai/tools/deep${n}.js`, `export const __version__ = ${deep('[', ']', 5000)}\n`],
  (n) => [`skills/deep${n}.skill.js`, `export default () => ${deep('[', ']', 200_000)}\n`],
  (n) => [
    `crumbs/source${n}.json`,
    JSON.stringify({
      schema_name: 'tool.code.v1',
      context: { name: `deep${n}`, code: { language: 'javascript', source: deep('(', ')', 200_000) } },
    }),
  ],
  (n) => [`.ai/tools/deep${n}.json`, `{"tool_type": ${deep('[', ']')}}`],
  (n) => [`.ai/tools/deep${n}.toml`, `tool_type = ${deep('[', ']', 5000)}\n`],
  (n) => [`.ai/tools/bomb${n}.yaml`, `tool_type: script\n${bomb}\n`],
  (n) => [`.ai/tools/self${n}.yaml`, 'tool_type: script\nconfig: &a { b: *a }\n'],
  (n) => [`.ai/tools/tags${n}.sh`, `${'# @param {string} a - b\n'.repeat(500)}`],
  (n) => [`.ai/tools/line${n}.py`, `${head()}X = "${'a'.repeat(20_000)}" ${'+ "b" '.repeat(2_000)}\n`],
  (n) => [`.ai/tools/bytes${n}.py`, new Uint8Array([0xff, 0xfe, n & 255, 0x80])],
  (n) => [`crumbs/deep${n}.json`, `{"schema_name":"tool.code.v1","context":${deep('{"a":', '}', 10_000)}}`],
  (n) => [`crumbs/half${n}.json`, '{"schema_name":"tool.code.v1","context":{"name":"x'],
  (n) => [`skills/deep${n}/SKILL.md`, `---\nname: x\nmetadata: ${deep('[', ']', 5000)}\n---\n`],
  (n) => [`skills/bomb${n}/SKILL.md`, `---\n${bomb}\n---\n`],
  (n) => [`skills/json${n}/tools.json`, deep('[', ']')],
  (n) => [`skills/proto${n}/SKILL.md`, '---\nname: x\n__proto__: { polluted: true }\nconstructor: 1\n---\n'],
]

it('loads a thousand hostile files without running one, and the good tool still works', async () => {
  const trap = join(tempFolder(), 'ran')
  const files: Record<string, string | Uint8Array> = {
    '.ai/tools/good.mjs': `export const __version__ = '1.0.0'\nexport const __tool_type__ = 'javascript'\nexport const __executor_id__ = 'node/node'\nexport const __category__ = ''\nexport const __tool_description__ = 'fine'\nexport default () => ({ success: true, output: 'fine' })\n`,
  }
  for (let n = 0; n < 1000; n++) {
    const [path, text] = hostile[n % hostile.length]!(n, trap)
    files[path] = text
  }
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  expect(existsSync(trap)).toBe(false)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(crib.find('good').state).toBe('available')
  expect(await crib.call('good')).toMatchObject({ ok: true, value: { output: 'fine' } })
  const report = await crib.check()
  expect(existsSync(trap)).toBe(false)
  expect(report.ok).toBe(false)
  for (const problem of report.problems)
    expect(problem).toMatchObject({ file: expect.stringContaining(root), code: expect.any(String) })
  for (const file of [
    'deep3.py',
    'deep7.skill.js',
    'source8.json',
    'deep9.json',
    'bytes15.py',
    'half17.json',
  ])
    expect(
      report.problems.some((problem) => problem.file?.endsWith(file) && problem.severity === 'error'),
    ).toBe(true)
}, 120_000)
