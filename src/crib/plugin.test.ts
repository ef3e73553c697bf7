import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { formats } from '../formats/registry.ts'
import { providerNames } from '../surfaces/exports/providers.ts'
import { lockCrib } from '../surfaces/trust/lock-crib.ts'
import { coveredFiles } from '../trust/covered-files.ts'
import { type Crib, openCrib } from './open-crib.ts'
import { type Plugin, piecesOf, taken } from './plugin.ts'

let crib: Crib | undefined
afterEach(async () => {
  await crib?.close()
  crib = undefined
})

async function open(use: readonly unknown[], files: { readonly [path: string]: string } = {}): Promise<Crib> {
  const root = tempFolder(files)
  crib = await openCrib({ root, env: { HOME: root }, use: use as readonly Plugin[] })
  return crib
}

/** Every `.echo` file is a tool that gives back its text. */
const echo = {
  name: 'echo',
  formats: [
    {
      name: 'echo',
      rank: 9,
      endings: ['.echo'],
      units: (place: { files: readonly { path: string }[] }) =>
        place.files.filter(({ path }) => path.endsWith('.echo')).map((file) => ({ files: [file] })),
      parse: (
        unit: { files: readonly unknown[] },
        read: (entry: unknown) => { text: string; path: string },
      ) => {
        const { text, path } = read(unit.files[0])
        return { tools: [{ id: path.replace('.echo', ''), runtime: { name: 'say', plan: { text } } }] }
      },
    },
  ],
  runtimes: [
    {
      name: 'say',
      run: ({ tool }: never) => (tool as { runtime: { plan: { text: string } } }).runtime.plan.text,
    },
  ],
}

describe('a plugin', () => {
  it('brings a format and a runtime; its tools are called like all others', async () => {
    const made = await open([echo], { 'hello.echo': 'Hello!' })
    expect(made.problems).toEqual([])
    expect(made.find('echo:hello')).toMatchObject({
      id: 'hello',
      format: 'echo',
      tier: 'project',
      kind: 'callable',
    })
    expect(await made.call('hello')).toMatchObject({ ok: true, value: 'Hello!' })
  })

  it('says which other files belong to a tool, so that they are vouched for too', async () => {
    const format = { ...echo.formats[0]!, files: () => ['words/hello.txt'] }
    const made = await open([{ ...echo, formats: [format] }], {
      'hello.echo': 'Hello!',
      'words/hello.txt': 'More',
    })
    const paths = ['hello.echo', 'words/hello.txt']
    const covered = coveredFiles(made.find('hello')!, made.root)
    expect(covered.map(({ file }) => relative(made.root, file))).toEqual(paths)
    await lockCrib(made, { programs: false })
    expect(await made.call('hello')).toMatchObject({ ok: true })
    writeFileSync(join(made.root, 'words/hello.txt'), 'Changed')
    expect(await made.call('hello')).toMatchObject({ ok: false, error: { code: 'TRUST_DRIFT' } })
  })

  it('says which programs a tool starts, so that the lock holds them', async () => {
    const format = { ...echo.formats[0]!, programs: () => ['sh'] }
    const made = await open([{ ...echo, formats: [format] }], { 'hello.echo': 'Hello!' })
    await lockCrib(made, { programs: true })
    const lock = JSON.parse(readFileSync(join(made.root, 'toolcrib.lock'), 'utf8'))
    expect(lock.tools['echo:hello'].programs.sh.path).toMatch(/^\//)
  })

  it('brings checks, which refuse, and wrappers, which surround', async () => {
    const seen: string[] = []
    const guarded = {
      name: 'guarded',
      checks: [
        {
          name: 'no-two',
          stage: '$pre-execute',
          check: ({ params }: { params: { n?: number } }) => {
            if (params.n === 2) throw new Error('two is too many')
          },
        },
      ],
      wrappers: [
        {
          name: 'around',
          stage: '$pre-execute',
          wrap: async (_: unknown, next: () => Promise<unknown>) => {
            seen.push('before')
            const result = await next()
            seen.push('after')
            return result
          },
        },
      ],
    }
    const made = await open([guarded])
    made.addTool({ id: 'n', params: { type: 'object' }, fn: () => seen.push('tool') && 1 })
    expect(await made.call('n', { n: 2 })).toMatchObject({
      error: { code: 'TOOL_NOT_ALLOWED', message: 'n: two is too many' },
    })
    expect(await made.call('n', { n: 1 })).toMatchObject({ ok: true })
    expect(seen).toEqual(['before', 'tool', 'after'])
  })

  it.each([
    [null, 'it is no object with a name'],
    [{ name: 'x', format: [] }, '"format" is nothing a plugin brings'],
    [{ name: 'x', formats: {} }, 'formats is no list'],
    [
      { name: 'x', formats: [{ name: 'a', rank: 1, units() {} }] },
      '"a" of its formats has no function parse',
    ],
    [{ name: 'x', formats: [{ name: 'rye', rank: 1 }] }, 'there are formats called "rye" already'],
    [{ name: 'x', formats: [{ name: 'a', units() {}, parse() {} }] }, 'the format "a" has no rank'],
    [{ name: 'x', runtimes: [{ name: 'a' }] }, '"a" of its runtimes has no function run or open'],
    [{ name: 'x', exporters: [{ name: 'A' }] }, 'one of its exporters has no name'],
  ])('that is broken is a problem: %j', (given, fault) => {
    const { problems, exporters } = piecesOf([{ given }, { given: { name: 'sound', exporters: [] } }])
    expect(problems).toMatchObject([{ code: 'plugin-invalid', message: expect.stringContaining(fault) }])
    expect(exporters).toEqual([])
  })

  it('whose format fails loses its own tools only', async () => {
    const [format] = echo.formats
    const failing = {
      name: 'failing',
      formats: [
        {
          ...format,
          units: () => {
            throw new Error('no')
          },
        },
      ],
    }
    const made = await open([failing], { 'skills/a.skill.js': 'export default () => 1' })
    expect(made.problems).toMatchObject([{ code: 'format-failed', message: expect.stringContaining('echo') }])
    expect(made.find('a').format).toBe('skill')
  })
})

describe('a plugin that toolcrib.yaml names', () => {
  const files = {
    'toolcrib.yaml': 'plugins: [./menu.mjs, ./gone.mjs]\n',
    'menu.mjs':
      "export default { name: 'menu', exporters: [{ name: 'menu', definition: () => ({}) }] }\nglobalThis.isMenuLoaded = true\n",
  }

  it('is not loaded before the folder is accepted', async () => {
    const root = tempFolder(files)
    crib = await openCrib({ root, env: { HOME: root }, trustFolder: false })
    expect(crib.problems).toMatchObject([
      { code: 'folder-not-accepted', hint: expect.stringContaining('--trust-folder') },
    ])
    expect('isMenuLoaded' in globalThis).toBe(false)
  })

  it('is loaded once it is; one that is not there is a problem', async () => {
    const root = tempFolder(files)
    crib = await openCrib({ root, env: { HOME: root, TOOLCRIB_TRUST_FOLDER: '1' } })
    expect(crib.exporters).toMatchObject([{ name: 'menu' }])
    expect(crib.problems).toMatchObject([
      { code: 'plugin-invalid', message: expect.stringContaining('gone.mjs') },
    ])
  })
})

it('may take no name of a format or an exporter that ships', () => {
  expect([...taken.formats].sort()).toEqual(formats.map(({ name }) => name).sort())
  expect(taken.exporters).toEqual(providerNames)
})
