// What a call under way began with is kept only where nobody can have changed it since.
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plant } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { findBase } from './bases.ts'
import type { ChangeSet } from './change-set.ts'
import { EarlyBases, keepBases } from './early-bases.ts'
import { Images } from './images.ts'
import { type Layer, makeLayer } from './layer.ts'

let top: string
let project: string
let images: Images
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bases-')))
  project = join(top, 'project')
  images = new Images(join(top, 'images'))
  plant(project, { a: 'first\n', 'd/b': 'second\n', 'd/last': 'x\n', binary: 'a\0b' })
})
afterEach(() => rmSync(top, { recursive: true }))

/** A layer that was made at a later tick of the clock than everything in the project. */
async function laterLayer(): Promise<Layer> {
  const made = Math.max(
    ...['', 'a', 'd', 'd/b', 'd/last'].map((path) => statSync(join(project, path)).ctimeMs),
  )
  for (;;) {
    const layer = makeLayer({ project, run: randomUUID(), state: join(top, 'state') })
    if (layer.madeAtMs > made) return layer
    await pause(5)
  }
}

/** What is kept of a path that the call has changed. */
function kept(layer: Layer, path: string): string | undefined {
  plant(layer.upper, { [path]: 'written' })
  keepBases(layer, new Set(), images)
  const digest = findBase(images.folder, path, layer.madeAtMs)
  return digest && images.read(digest)?.toString()
}

/** The clock has moved on since a layer was made. */
async function isLater(layer: Layer): Promise<void> {
  await vi.waitFor(() => {
    writeFileSync(join(top, 'clock'), '')
    expect(statSync(join(top, 'clock')).ctimeMs).toBeGreaterThan(layer.madeAtMs)
  })
}

function staleSet(...paths: readonly string[]): ChangeSet {
  const before = { type: 'file', mode: 0o644, size: 0 } as const
  return {
    changes: paths.map((path) => ({
      ...({ kind: 'changed', path, before, after: before, isStale: true } as const),
      ...{ isText: true, added: 0, removed: 0 },
    })),
  }
}

/** The project's texts were looked at after a layer was made: the last of a folder with the others. */
async function hasLooked(bases: EarlyBases, layer: Layer): Promise<void> {
  await vi.waitFor(
    () => {
      bases.noteStale(staleSet('d/last'), layer)
      expect(findBase(images.folder, 'd/last', layer.madeAtMs)).toBeDefined()
    },
    { timeout: 30_000 },
  )
}

/** Looks at a call with this layer until the returned function is called. */
function watchCall(bases: EarlyBases, layer: () => Layer | undefined): () => void {
  const call = {
    get standsOn() {
      return layer()
    },
  }
  bases.watch(call)
  return () => bases.forget(call)
}

describe('what a call under way began with', () => {
  it.each([
    ['a', 'first\n'],
    ['d/b', 'second\n'],
  ])('is kept of %s', async (path, text) => {
    verifies('E12')
    expect(kept(await laterLayer(), path)).toBe(text)
  })

  it.each<[string, string, () => void]>([
    ['was changed since the layer was made', 'a', () => writeFileSync(join(project, 'a'), 'mine\n')],
    [
      'was changed and given its old time',
      'a',
      () => {
        const { atime, mtime } = statSync(join(project, 'a'))
        writeFileSync(join(project, 'a'), 'mine\n')
        utimesSync(join(project, 'a'), atime, mtime)
      },
    ],
    ['was replaced by an older file', 'a', () => renameSync(join(project, 'd/b'), join(project, 'a'))],
    [
      'lies in a folder that was exchanged',
      'd/b',
      () => {
        renameSync(join(project, 'd'), join(project, 'was'))
        renameSync(join(top, 'other'), join(project, 'd'))
      },
    ],
    ['is binary', 'binary', () => {}],
    ['is not there', 'new', () => {}],
    ['is too large', 'a', () => writeFileSync(join(project, 'a'), 'x'.repeat(2 ** 20 + 1))],
  ])('is not kept where it %s', async (_, path, act) => {
    verifies('E12')
    plant(join(top, 'other'), { b: 'other\n' })
    const layer = await laterLayer()
    await isLater(layer)
    act()
    expect(kept(layer, path)).toBeUndefined()
  })

  it('is not kept of another file system, whose clock may be another', async () => {
    verifies('E12')
    const layer = await laterLayer()
    const other = { ...layer, folder: '/proc' }
    expect(statSync('/proc').dev).not.toBe(statSync(project).dev)
    expect(kept(other, 'a')).toBeUndefined()
  })

  it('is not looked for through a link that the call put into its layer', async () => {
    verifies('E12')
    const layer = await laterLayer()
    symlinkSync(join(project, 'd'), join(layer.upper, 'd'))
    expect(kept(layer, 'a')).toBe('first\n')
    expect(findBase(images.folder, 'd/b', layer.madeAtMs)).toBeUndefined()
  })

  it('is known of what the call has not touched yet, also when somebody changed it since', async () => {
    verifies('E12')
    const bases = new EarlyBases(images)
    const layer = await laterLayer()
    const end = watchCall(bases, () => layer)
    await hasLooked(bases, layer)
    expect(findBase(images.folder, 'd/b', layer.madeAtMs)).toBeUndefined()
    writeFileSync(join(project, 'd/b'), 'mine\n')
    // Another call has the project looked at anew; it began after the change.
    const second = await laterLayer()
    const endSecond = watchCall(bases, () => second)
    await hasLooked(bases, second)
    bases.noteStale(staleSet('a', 'd/b', 'binary'), layer)
    const found = (path: string) => findBase(images.folder, path, layer.madeAtMs)
    expect(images.read(found('a')!)?.toString()).toBe('first\n')
    expect(images.read(found('d/b')!)?.toString()).toBe('second\n')
    expect(found('binary')).toBeUndefined()
    for (const stop of [end, endSecond]) stop()
    bases.close()
  })

  it.each<[string, () => void]>([
    [
      'was changed after the call began and before the look',
      () => writeFileSync(join(project, 'a'), 'mine\n'),
    ],
    ['lies in a folder in which names came', () => writeFileSync(join(project, 'new'), '')],
  ])('is not known of what %s', async (_, act) => {
    verifies('E12')
    const bases = new EarlyBases(images)
    const layer = await laterLayer()
    await isLater(layer)
    act()
    const end = watchCall(bases, () => layer)
    // The look is over once another layer's is.
    const second = await laterLayer()
    const endSecond = watchCall(bases, () => second)
    await hasLooked(bases, second)
    bases.noteStale(staleSet('a'), layer)
    expect(findBase(images.folder, 'a', layer.madeAtMs)).toBeUndefined()
    for (const stop of [end, endSecond]) stop()
    bases.close()
  })

  it('is kept while the call is under way, and no longer', async () => {
    verifies('E12')
    const bases = new EarlyBases(images)
    const layer = await laterLayer()
    plant(layer.upper, { a: 'written' })
    let looks = 0
    const end = watchCall(bases, () => {
      looks += 1
      return layer
    })
    await vi.waitFor(() => expect(findBase(images.folder, 'a', layer.madeAtMs)).toBeDefined())
    end()
    const before = looks
    plant(layer.upper, { 'd/b': 'written' })
    const again = watchCall(bases, () => {
      looks += 100
      return undefined
    })
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before))
    again()
    bases.close()
    expect(looks % 100).toBe(before)
    expect(findBase(images.folder, 'd/b', layer.madeAtMs)).toBeUndefined()
    expect(existsSync(images.folder)).toBe(true)
  })
})
