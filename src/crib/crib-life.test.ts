// How a crib lives: what it reads again, what stops its calls, how it ends.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Crib, type CribOptions, openCrib } from './open-crib.ts'

const skill = (description: string) => `---\nname: hello\ndescription: ${description}\n---\nHello.\n`

async function open(files: { [path: string]: string } = {}, options: CribOptions = {}): Promise<Crib> {
  const root = tempFolder(files)
  const crib = await openCrib({ root, env: { HOME: join(root, 'home') }, ...options })
  onTestFinished(() => crib.close())
  return crib
}

/** A tool of the crib that runs until it is stopped, and one that is quick. */
function addTools(crib: Crib): { readonly begun: Promise<void> } {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  crib.addTools([
    {
      id: 'forever',
      fn: () => {
        begin()
        return new Promise(() => {})
      },
    },
    { id: 'quick', fn: () => 'done' },
  ])
  return { begun }
}

describe('reading the files again', () => {
  it('finds tools that came, changed and went, and says so', async () => {
    const crib = await open({ 'skills/hello/SKILL.md': skill('First') })
    const changes: unknown[] = []
    crib.on('tool-changed', (change) => changes.push(change))
    writeFiles(crib.root, {
      'skills/hello/SKILL.md': skill('Second one'),
      'skills/other/SKILL.md': skill('Other').replace('hello', 'other'),
    })
    await crib.reload()
    expect(crib.find('hello').description).toBe('Second one')
    expect(crib.find('other').description).toBe('Other')
    rmSync(join(crib.root, 'skills/hello'), { recursive: true })
    await crib.reload()
    expect(() => crib.find('hello')).toThrow('hello')
    expect(changes.length).toBeGreaterThanOrEqual(3)
  })

  it('keeps tools made in code, and gives them the settings of now', async () => {
    const crib = await open({ 'toolcrib.yaml': 'limits: { timeoutMs: 1000 }\n' })
    addTools(crib)
    crib.addTool({
      name: 'look',
      fn: ({ globals }: never) => (globals as never)['config']['limits']['timeoutMs'],
    })
    expect(await crib.call('look')).toMatchObject({ ok: true, value: 1_000 })
    writeFileSync(join(crib.root, 'toolcrib.yaml'), 'limits: { timeoutMs: 22222 }\n')
    await crib.reload()
    expect(await crib.call('look')).toMatchObject({ ok: true, value: 22_222 })
    expect(await crib.call('quick')).toMatchObject({ ok: true })
  })

  it('leaves what the embedder set over the files', async () => {
    const crib = await open({}, { config: { limits: { timeoutMs: 4 } } })
    writeFileSync(join(crib.root, 'toolcrib.yaml'), 'limits: { timeoutMs: 5, memoryMb: 6 }\n')
    await crib.reload()
    expect(crib.config.limits).toMatchObject({ timeoutMs: 4, memoryMb: 6 })
    expect(crib.configOrigins).toMatchObject({ 'limits.timeoutMs': 'flag' })
  })

  it('happens by itself in a crib that is watched, and tells which files', async () => {
    const crib = await open({ 'skills/hello/SKILL.md': skill('First') })
    await crib.watch()
    await crib.watch()
    const told: string[] = []
    crib.on('files-changed', (paths) => told.push(...paths))
    writeFiles(crib.root, { 'skills/hello/SKILL.md': skill('Second one') })
    await vi.waitFor(() => expect(crib.find('hello').description).toBe('Second one'), { timeout: 20_000 })
    await vi.waitFor(() => expect(told).toContain(join(crib.root, 'skills/hello/SKILL.md')))
  })
})

describe('a crib that is halted', () => {
  it('stops what runs, runs nothing new, and goes on when it is lifted', async () => {
    verifies('G25')
    const crib = await open()
    const { begun } = addTools(crib)
    const running = crib.call('forever')
    await begun
    await crib.halt.set('ada')
    const halted = { ok: false, error: { code: 'HALTED', hint: expect.stringContaining('toolcrib resume') } }
    expect(await running).toMatchObject(halted)
    expect(await crib.call('quick')).toMatchObject(halted)
    expect(await crib.refusals('quick')).toMatchObject([{ check: 'halted', code: 'HALTED' }])
    await crib.halt.lift()
    expect(await crib.call('quick')).toMatchObject({ ok: true, value: 'done' })
  })
})

describe('a crib that is closed', () => {
  it('ends what runs and refuses what comes', async () => {
    const crib = await open()
    const { begun } = addTools(crib)
    const running = crib.call('forever')
    await begun
    await crib.close()
    expect(await running).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(await crib.call('quick')).toMatchObject({
      ok: false,
      error: { code: 'CANCELLED', message: 'The crib is closed.' },
    })
  })

  it('is closed once, however often and by whoever', async () => {
    const crib = await open()
    const closing = crib.close()
    expect(crib.close()).toBe(closing)
    await crib[Symbol.asyncDispose]()
    await closing
  })

  it('has written the records of what ran before', async () => {
    const crib = await open()
    addTools(crib)
    const { runId } = await crib.call('quick')
    await crib.close()
    const again = await openCrib({ root: crib.root, env: crib.env })
    onTestFinished(() => again.close())
    expect(await again.crumbs.runs.find(runId!)).toMatchObject({ tool: 'quick' })
  })
})

it('tells of a store that cannot be read, and hides no tool because of it', async () => {
  const root = tempFolder({ 'toolcrib.yaml': 'store: postgres://nobody@127.0.0.1:1/crib\n' })
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warned.mockRestore())
  const crib = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => crib.close())
  addTools(crib)
  expect(warned.mock.calls.map(([message]) => String(message)).join()).toContain('PostgreSQL')
  expect(crib.find('quick')).toMatchObject({ state: 'available' })
  expect(crib.list().length).toBeGreaterThan(1)
})
