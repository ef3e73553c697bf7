// What a start keeps for the next one of the same command: used when it is right, never in the way when it is not.
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli } from '../helpers/toolcrib.ts'

const digestBytes = 32

/** The built program in a folder of its own, so that its cache can be spoilt; and an empty crib to use it in. */
function installed() {
  const folder = tempFolder({ 'crib/.ai/README.md': '' })
  const home = dirname(dirname(cli))
  mkdirSync(join(folder, 'dist'))
  for (const file of readdirSync(join(home, 'dist')))
    if (file.endsWith('.js') || file === 'package.json')
      cpSync(join(home, 'dist', file), join(folder, 'dist', file))
  cpSync(join(home, 'package.json'), join(folder, 'package.json'))
  for (const part of ['system', 'node_modules']) symlinkSync(join(home, part), join(folder, part))
  const crib = join(folder, 'crib')
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, 'dist', 'cli.js'), ...args], {
      cwd: crib,
      env: { PATH: process.env['PATH'] ?? '', HOME: crib },
    })
  const cache = join(folder, 'dist', '.cache')
  const kept = (command: string): string[] => {
    const place = join(cache, `${process.version}-${process.arch}`, command)
    return existsSync(place) ? readdirSync(place).map((file) => join(place, file)) : []
  }
  const core = () => kept('list').find((file) => /core-[^/]*\.bin$/.test(file))!
  return { folder, cache, run, kept, core }
}

const identity = (file: string) => `${statSync(file).ino} ${statSync(file).mtimeMs}`

it('a start keeps what was compiled, and the next one takes it as it is', async () => {
  const { run, core } = installed()
  const first = await run('list')
  const before = identity(core())
  expect(await run('list')).toEqual(first)
  expect(identity(core())).toBe(before)
}, 120_000)

const flipped = (bytes: Uint8Array, where: number) =>
  bytes.map((byte, at) => (at === where ? byte ^ 1 : byte))

/** As another V8 would have written it: its mark is in the first bytes, and the digest is right. */
function foreign(bytes: Buffer, chunk: string): Uint8Array {
  const { size, mtimeMs } = statSync(chunk)
  const data = flipped(bytes.subarray(digestBytes), 5)
  const digest = hash('sha256', `${size} ${mtimeMs}\n${hash('sha256', data)}`, 'buffer')
  return Buffer.concat([digest, data])
}

it.each<[string, (bytes: Buffer, chunk: string) => Uint8Array]>([
  ['with a byte changed', (bytes) => flipped(bytes, 9_000)],
  ['cut short', (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ['empty', () => Buffer.alloc(0)],
  ['all zeros', (bytes) => Buffer.alloc(bytes.length)],
  ['of another V8', foreign],
])(
  'a file %s is not used, and is made anew',
  async (_, spoil) => {
    const { folder, run, core } = installed()
    const first = await run('list')
    const file = core()
    const spoilt = spoil(readFileSync(file), join(folder, 'dist', basename(file, '.bin').concat('.chunk.js')))
    writeFileSync(file, spoilt)
    expect(await run('list')).toEqual(first)
    expect(readFileSync(file).equals(spoilt)).toBe(false)
    const mended = identity(file)
    await run('list')
    expect(identity(file)).toBe(mended)
  },
  120_000,
)

it('no chunk has an import() of its own: code from a cache cannot do it', () => {
  const dist = dirname(cli)
  const chunks = readdirSync(dist).filter((file) => file.endsWith('.chunk.js'))
  const found = chunks.filter((file) => {
    const { errors, module } = parseSync(file, readFileSync(join(dist, file), 'utf8'), {
      sourceType: 'script',
    })
    return errors.length > 0 || module.dynamicImports.length > 0
  })
  expect(chunks.length).toBeGreaterThan(1)
  expect(found).toEqual([])
})

it('nothing loads the program but who runs it', () => {
  const dist = dirname(cli)
  const files = readdirSync(dist).filter((file) => file.endsWith('.js'))
  expect(files.filter((file) => readFileSync(join(dist, file), 'utf8').includes('cli.js'))).toEqual([])
})

it('a changed program of the same length runs as it is now', async () => {
  const { folder, run } = installed()
  await run('list')
  const file = readdirSync(join(folder, 'dist')).find((name) => name.startsWith('core-'))!
  const chunk = join(folder, 'dist', file)
  const text = readFileSync(chunk, 'utf8')
  const changed = text.replaceAll('Nothing found for', 'NOTHING FOUND FOR')
  expect(changed).not.toBe(text)
  writeFileSync(chunk, changed)
  expect((await run('list', 'zzzzzz')).stderr).toContain('NOTHING FOUND FOR')
}, 120_000)

it('a file that others may write is not used', async () => {
  const { run, core } = installed()
  await run('list')
  chmodSync(core(), 0o666)
  const before = identity(core())
  await run('list')
  expect(identity(core())).not.toBe(before)
  expect(statSync(core()).mode & 0o777).toBe(0o644)
}, 120_000)

it('where nothing can be kept the program runs all the same, and says nothing of it', async () => {
  const { cache, run } = installed()
  writeFileSync(cache, 'not a folder')
  expect((await run('list')).stderr).toBe('')
  expect((await run('list', '--json')).stderr).toBe('')
}, 120_000)

it('first starts at the same time do not meet, and leave no drafts', async () => {
  const { run, kept, cache } = installed()
  const one = await run('list')
  rmSync(cache, { recursive: true })
  const all = await Promise.all(Array.from({ length: 4 }, () => run('list')))
  expect(all).toEqual(all.map(() => one))
  expect(kept('list').filter((file) => !file.endsWith('.bin'))).toEqual([])
  expect(kept('list').length).toBeGreaterThan(0)
}, 120_000)

it('help, a failed command and a word that is none keep nothing', async () => {
  const { run, cache } = installed()
  await run('list', '--help')
  await expect(run('show', 'no-such-tool')).rejects.toMatchObject({ code: 3 })
  await expect(run('../../escape')).rejects.toMatchObject({ code: 2 })
  expect(existsSync(cache)).toBe(false)
}, 120_000)
