import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { openCrib } from '../crib/open-crib.ts'
import { FolderWatch, type WatchParts } from './watch-folders.ts'

const tool = (text: string) =>
  `tool_id: say\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: ${text}\nexecutor_id: subprocess\nconfig: { command: echo }\n`

it('announces tools as their files come, change and go', async () => {
  const root = tempFolder({ '.ai/tools/say.yaml': tool('one') })
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  await crib.watch()
  const next = () =>
    new Promise((resolve) => crib.once('tool-changed', ({ id, change }) => resolve(`${change} ${id}`)))

  let seen = next()
  writeFiles(root, { '.ai/tools/say.yaml': tool('two') })
  expect(await seen).toBe('changed say')
  expect(crib.find('say').description).toBe('two')

  seen = next()
  writeFiles(root, { '.ai/tools/more/new.yaml': tool('three').replace('category: ""', 'category: more') })
  expect(await seen).toBe('added more/new')

  seen = next()
  rmSync(join(root, '.ai/tools/say.yaml'))
  expect(await seen).toBe('removed say')
})

it('notices what comes at the top of the crib, a folder too', async () => {
  const root = tempFolder({ '.ai/tools/say.yaml': tool('one') })
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  await crib.watch()
  const seen = new Promise((resolve) => crib.once('tool-changed', ({ id }) => resolve(id)))
  writeFiles(root, {
    'data/top.json': JSON.stringify({ schema_name: 'tool.code.v1', context: { name: 'top' } }),
  })
  expect(await seen).toBe('top')
})

it('follows the settings too', async () => {
  const root = tempFolder({ 'toolcrib.yaml': 'trust: warn\n', '.ai/tools/say.yaml': tool('one') })
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  await crib.watch()
  const seen = new Promise((resolve) => crib.once('tool-changed', resolve))
  writeFiles(root, { 'toolcrib.yaml': 'trust: require\n' })
  writeFiles(root, { '.ai/tools/say.yaml': tool('two') })
  await seen
  expect(crib.config.trust).toBe('require')
})

it('goes on when a link leads in a circle, before it began or since', async () => {
  const root = tempFolder({ '.ai/tools/say.yaml': tool('one') })
  symlinkSync('round.yaml', join(root, '.ai/tools/round.yaml'))
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  const notes: string[] = []
  crib.on('note', ({ message }) => notes.push(message))
  await crib.watch()
  symlinkSync('again.yaml', join(root, '.ai/tools/again.yaml'))
  const seen = new Promise((resolve) => crib.once('tool-changed', ({ id }) => resolve(id)))
  writeFiles(root, { '.ai/tools/say.yaml': tool('two') })
  expect(await seen).toBe('say')
  expect(notes).toEqual([])
})

describe('the watched folders', () => {
  const watchOf = (parts: Partial<WatchParts>) => {
    const seen: string[] = []
    const faults: string[] = []
    const watcher = new FolderWatch({
      roots: [],
      files: [],
      folders: () => [],
      onChange: async () => {},
      onFault: (message) => faults.push(message),
      watchFolder: ((dir: string) => {
        seen.push(dir)
        return { on() {}, close() {} }
      }) as never,
      ...parts,
    })
    onTestFinished(() => watcher.close())
    return { seen, faults }
  }

  it('are those the walk entered: nothing ignored, nothing behind a link that leads out', async () => {
    verifies('G5')
    const outside = tempFolder({ 'x/a.md': '' })
    const root = tempFolder({ 'skills/a/SKILL.md': '', 'big/b/c.txt': '', '.toolcribignore': 'big\n' })
    symlinkSync(outside, join(root, 'skills/out'))
    const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
    onTestFinished(() => crib.close())
    const { seen } = watchOf({ roots: [root], folders: () => crib.catalog.folders })
    expect(seen).toContain(join(root, 'skills/a'))
    expect(seen.filter((dir) => /big|out/.test(dir))).toEqual([])
  })

  it('are looked at by themselves, and that is said once, when the system has no watchers left', async () => {
    verifies('G5')
    const root = tempFolder({ 'a/x.md': '', 'b/x.md': '' })
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    let read = () => {}
    const looked = new Promise<void>((resolve) => {
      read = resolve
    })
    const { faults } = watchOf({
      roots: [root],
      folders: () => [join(root, 'a'), join(root, 'b')],
      onChange: async () => read(),
      watchFolder: () => {
        throw full
      },
    })
    expect(faults).toEqual([expect.stringMatching(/no file watchers left.*max_user_watches/)])
    await looked
  })
})

it('hears of a change while somebody else writes without end', async () => {
  verifies('G5')
  const root = tempFolder({ 'busy/file': '', 'toolcrib.yaml': 'trust: warn\n' })
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') } })
  onTestFinished(() => crib.close())
  await crib.watch()
  let n = 0
  const busy = setInterval(() => writeFiles(root, { 'busy/file': String(n++) }), 10)
  onTestFinished(() => clearInterval(busy))
  writeFiles(root, { 'toolcrib.yaml': 'trust: require\n' })
  await vi.waitFor(() => expect(crib.config.trust).toBe('require'), { timeout: 20_000 })
})
