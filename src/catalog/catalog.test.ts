import { rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { defaultConfig } from '../config/config.ts'
import { spacesOf } from '../config/spaces.ts'
import type { Format, Unit } from '../formats/format.ts'
import { type FormatName, makeTool, type Tool } from '../tool/tool.ts'
import { Catalog } from './catalog.ts'
import type { ToolChange } from './tool-changes.ts'

/** A format of one line per file: `id description`; enough to see what the catalog does with any format. */
function lineFormat(name: FormatName, ending: string, parsed: string[] = []): Format {
  return {
    name,
    rank: ['skill', 'tools-json', 'tool-code', 'rye', 'mcp'].indexOf(name),
    traits: { fillDefaults: true },
    units: (place) =>
      place.files
        .filter((file) => file.path.endsWith(ending))
        .map((file): Unit => ({ format: name, scanned: place, files: [file], isCertain: true })),
    parse(unit, read) {
      const source = read(unit.files[0]!)
      parsed.push(source.path)
      const [id, ...words] = source.text.trim().split(' ')
      return {
        tools: [
          makeTool({
            id: id!,
            format: name,
            tier: unit.scanned.tier,
            description: words.join(' '),
            source: { file: source.file, digest: source.digest },
            aliases: words.filter((word) => word.startsWith('@')),
          }),
        ],
        problems: [],
      }
    },
  }
}

async function open(
  root: string,
  formats: readonly Format[],
  options: { useCache?: boolean; home?: string } = {},
) {
  const config = { ...defaultConfig, roots: [root] }
  const judge = { stamp: () => '1', judge: () => ({ status: 'unsigned' as const }) }
  return Catalog.open({
    config,
    configStamp: 'c',
    spaces: {
      ...spacesOf(root, { HOME: options.home ?? join(root, 'nohome') }),
      system: join(root, 'nosystem'),
    },
    formats: async () => formats,
    judge,
    version: '1',
    useCache: options.useCache ?? false,
  })
}

const idsOf = (tools: readonly Tool[]) => tools.map((tool) => `${tool.format}:${tool.id}`)

/** Old enough for the cache to trust the time stamp. */
function age(root: string, ...paths: string[]): void {
  for (const path of paths)
    utimesSync(join(root, path), new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
}

describe('list and find', () => {
  it('lists by id in code-unit order', async () => {
    const root = tempFolder({ '1.py': 'b', '2.py': 'B', '3.py': 'a/c' })
    expect(idsOf((await open(root, [lineFormat('rye', '.py')])).list())).toEqual([
      'rye:B',
      'rye:a/c',
      'rye:b',
    ])
  })

  it('finds by id, alias, format, model name and file', async () => {
    const root = tempFolder({ 'x.py': 'web/get @fetch' })
    const catalog = await open(root, [lineFormat('rye', '.py')])
    for (const ref of [
      'web/get',
      '@fetch',
      'rye:web/get',
      'web_get',
      './x.py',
      join(root, 'x.py'),
      `file://${join(root, 'x.py')}`,
      'x.py',
    ])
      expect(catalog.find(ref).id).toBe('web/get')
  })

  it('takes an exact id first, whatever characters it has', async () => {
    const root = tempFolder({ 'x.py': 'notes/c#', 'y.py': 'rye:notes' })
    const catalog = await open(root, [lineFormat('rye', '.py')])
    for (const id of ['notes/c#', 'rye:notes']) expect(catalog.find(id).id).toBe(id)
  })

  it('offers near names for what is not there', async () => {
    const catalog = await open(tempFolder({ 'x.py': 'utility/hello' }), [lineFormat('rye', '.py')])
    expect(() => catalog.find('utility/helo')).toThrow(
      expect.objectContaining({ code: 'TOOL_NOT_FOUND', hint: 'Did you mean "utility/hello"?' }),
    )
  })

  it('gives a clash between formats to the first in the fixed order and keeps the other reachable', async () => {
    const root = tempFolder({ 'x.py': 'same', 'x.json': 'same' })
    const catalog = await open(root, [lineFormat('rye', '.py'), lineFormat('tool-code', '.json')])
    expect(catalog.find('same').format).toBe('tool-code')
    expect(catalog.find('rye:same')).toMatchObject({
      state: 'shadowed',
      problems: [{ code: 'id-clash', hint: 'Call this one as rye:same.' }],
    })
    expect(idsOf(catalog.list())).toEqual(['tool-code:same'])
  })

  it('lets the project hide the user’s tool of the same id', async () => {
    const home = tempFolder({ '.ai/tools/x.py': 'same user' })
    const root = tempFolder({ 'x.py': 'same project' })
    const catalog = await open(root, [lineFormat('rye', '.py')], { home })
    expect(catalog.find('same')).toMatchObject({ tier: 'project', description: 'project' })
    expect(catalog.list({ all: true }).find((tool) => tool.tier === 'user')).toMatchObject({
      state: 'shadowed',
      problems: [{ code: 'shadowed', severity: 'info' }],
    })
  })

  it('refuses an alias that two tools of one tier claim, naming both', async () => {
    const catalog = await open(tempFolder({ 'a.py': 'a @x', 'b.py': 'b @x' }), [lineFormat('rye', '.py')])
    expect(() => catalog.find('@x')).toThrow(/claimed by a and b/)
  })

  it('makes model names unique', async () => {
    const catalog = await open(tempFolder({ 'a.py': 'x/y', 'b.py': 'x.y' }), [lineFormat('rye', '.py')])
    const names = catalog.list().map((tool) => tool.name)
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  it('ranks a hit in the name above one in the description', async () => {
    const catalog = await open(
      tempFolder({
        'a.py': 'mail/send Deliver a letter',
        'b.py': 'other/tool Can send mail too',
        'c.py': 'unrelated Nothing',
      }),
      [lineFormat('rye', '.py')],
    )
    expect((await catalog.search('send mail')).map((hit) => hit.tool.id)).toEqual(['mail/send', 'other/tool'])
    expect((await catalog.search('delivr')).map((hit) => hit.tool.id)).toEqual(['mail/send'])
  })
})

describe('bad files', () => {
  it('gives one problem each and lets the others work', async () => {
    const root = tempFolder({
      'good.py': 'good',
      'binary.py': new Uint8Array([65, 0, 66]),
      'latin.py': new Uint8Array([0xe9, 0x20]),
      'huge.py': 'x'.repeat(9 * 1_048_576),
    })
    symlinkSync('loop.py', join(root, 'loop.py'))
    const catalog = await open(root, [lineFormat('rye', '.py')])
    expect(idsOf(catalog.list())).toEqual(['rye:good'])
    expect(catalog.problems.map((problem) => problem.code).sort()).toEqual([
      'file-binary',
      'file-encoding',
      'file-too-large',
      'symlink-loop',
    ])
    for (const problem of catalog.problems)
      expect(problem).toMatchObject({
        file: expect.any(String),
        message: expect.any(String),
        hint: expect.any(String),
      })
  })

  it('turns a crash of a parser into a problem of that file', async () => {
    const broken: Format = {
      ...lineFormat('rye', '.py'),
      parse: () => {
        throw new RangeError('Maximum call stack size exceeded')
      },
    }
    const catalog = await open(tempFolder({ 'x.py': 'x', 'y.json': 'y' }), [
      broken,
      lineFormat('tool-code', '.json'),
    ])
    expect(catalog.problems).toMatchObject([{ code: 'file-too-deep', line: 1 }])
    expect(idsOf(catalog.list())).toEqual(['tool-code:y'])
  })

  it('says nothing of a broken file that may be no tool at all', async () => {
    const unsure: Format = {
      ...lineFormat('rye', '.json'),
      units: (place) =>
        place.files.map((file) => ({
          format: 'rye' as const,
          scanned: place,
          files: [file],
          isCertain: false,
        })),
    }
    expect((await open(tempFolder({ 'x.json': new Uint8Array([0]) }), [unsure])).problems).toEqual([])
  })
})

describe('the cache', () => {
  it('parses nothing again when nothing changed', async () => {
    const root = tempFolder({ 'a.py': 'a', 'b.py': 'b' })
    age(root, 'a.py', 'b.py')
    const parsed: string[] = []
    await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })
    const again = await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })
    expect(parsed).toEqual(['a.py', 'b.py'])
    expect(idsOf(again.list())).toEqual(['rye:a', 'rye:b'])
  })

  it('parses only what changed', async () => {
    const root = tempFolder({ 'a.py': 'a', 'b.py': 'b' })
    age(root, 'a.py', 'b.py')
    const parsed: string[] = []
    await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })
    writeFiles(root, { 'b.py': 'c' })
    expect(idsOf((await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })).list())).toEqual([
      'rye:a',
      'rye:c',
    ])
    expect(parsed).toEqual(['a.py', 'b.py', 'b.py'])
  })

  it('sees a change that kept size and time, as long as the file is young', async () => {
    const root = tempFolder({ 'a.py': 'a1' })
    const time = new Date()
    utimesSync(join(root, 'a.py'), time, time)
    await open(root, [lineFormat('rye', '.py')], { useCache: true })
    writeFiles(root, { 'a.py': 'a2' })
    utimesSync(join(root, 'a.py'), time, time)
    expect(idsOf((await open(root, [lineFormat('rye', '.py')], { useCache: true })).list())).toEqual([
      'rye:a2',
    ])
  })

  it('does not parse a file again that was only touched', async () => {
    const root = tempFolder({ 'a.py': 'a' })
    age(root, 'a.py')
    const parsed: string[] = []
    await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })
    utimesSync(join(root, 'a.py'), new Date(Date.now() - 30_000), new Date(Date.now() - 30_000))
    await open(root, [lineFormat('rye', '.py', parsed)], { useCache: true })
    expect(parsed).toEqual(['a.py'])
  })

  it.each(['', '{', '{"key":1}', 'null'])('survives a damaged cache file (%j)', async (damage) => {
    const root = tempFolder({ 'a.py': 'a' })
    age(root, 'a.py')
    await open(root, [lineFormat('rye', '.py')], { useCache: true })
    writeFiles(root, { '.toolcrib/cache/catalog.json': damage, '.toolcrib/cache/units.json': damage })
    expect(idsOf((await open(root, [lineFormat('rye', '.py')], { useCache: true })).list())).toEqual([
      'rye:a',
    ])
  })
})

describe('reload', () => {
  it('tells each changed, added and removed tool', async () => {
    const root = tempFolder({ 'a.py': 'a one', 'b.py': 'b', 'c.py': 'c' })
    const catalog = await open(root, [lineFormat('rye', '.py')])
    const changes: ToolChange[] = []
    catalog.on('tool-changed', (change) => changes.push(change))
    writeFiles(root, { 'a.py': 'a two', 'd.py': 'd' })
    rmSync(join(root, 'b.py'))
    const before = catalog.version
    await catalog.reload()
    expect(changes.map(({ id, change }) => `${change} ${id}`).sort()).toEqual([
      'added d',
      'changed a',
      'removed b',
    ])
    expect(catalog.version).toBe(before + 1)
  })

  it('tells one change of an id whose place another tool takes', async () => {
    const root = tempFolder({ 'a.py': 'a', 'a.sh': 'a' })
    const catalog = await open(root, [lineFormat('rye', '.py'), lineFormat('skill', '.sh')])
    const changes: ToolChange[] = []
    catalog.on('tool-changed', (change) => changes.push(change))
    rmSync(join(root, 'a.sh'))
    await catalog.reload()
    writeFiles(root, { 'a.sh': 'a' })
    await catalog.reload()
    expect(changes.map(({ id, change }) => `${change} ${id}`)).toEqual(['changed a', 'changed a'])
  })
})
