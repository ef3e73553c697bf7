import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canLayer, LayeredProject } from '../../../test/helpers/layered.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isInside } from '../../files/is-inside.ts'
import { startBubblewrap } from '../bubblewrap/start-bubblewrap.ts'
import {
  type Layer,
  layerIn,
  layerStep,
  layersOf,
  makeLayer,
  readNotes,
  removeLayer,
  removeLayerLater,
} from './layer.ts'

let crib: LayeredProject
beforeEach(() => {
  crib = new LayeredProject()
})
afterEach(() => crib.close())

/** As another process sees it, whose steady clock is another. */
function foundAgain({ clockMs: _, ...layer }: Layer): Layer {
  return layer
}

it('lies outside the project, for nobody else to read', () => {
  const layer = crib.layer()
  expect(isInside(layer.folder, crib.project)).toBe(false)
  expect(statSync(layer.folder).mode & 0o777).toBe(0o700)
  expect(layerIn(layer.folder)).toEqual(foundAgain(layer))
})

it('says that a layer which somebody deleted is gone', () => {
  const layer = crib.layer()
  removeLayer(layer)
  expect(existsSync(layer.folder)).toBe(false)
  expect(() => layerIn(layer.folder)).toThrow('is gone or damaged')
})

it('is found by a later start, which can remove it', () => {
  verifies('E10')
  expect(layersOf(crib.project, crib.state)).toEqual([])
  const layers = [crib.layer(), crib.layer()]
  expect(layersOf(crib.project, crib.state)).toEqual(layers.map(foundAgain))
  expect(layers.map(({ run }) => run)).toEqual(['run-1', 'run-2'])
  for (const layer of layers) removeLayer(layer)
  expect(layersOf(crib.project, crib.state)).toEqual([])
})

it('is found as long as something of it is left, because its host may die while it is removed', async () => {
  verifies('E10')
  const layer = crib.layer()
  for (let n = 0; n < 300; n++) writeFileSync(join(layer.upper, String(n)), 'x')
  const removed = removeLayerLater(layer)
  let looks = 0
  for (; existsSync(layer.upper); looks++) {
    expect(layersOf(crib.project, crib.state)).toHaveLength(1)
    await new Promise(setImmediate)
  }
  expect(looks).toBeGreaterThan(1)
  await removed
  expect(existsSync(layer.folder)).toBe(false)
})

it.each(['..', '.', 'a/../../b', 'a.b'])('keeps the layer of a run called %s in its own folder', (run) => {
  const layer = makeLayer({ project: crib.project, run, state: crib.state })
  expect(layer.run).toBe(run)
  expect(isInside(layer.folder, join(crib.state, 'layers'))).toBe(true)
  expect(layersOf(crib.project, crib.state)).toEqual([foundAgain(layer)])
})

it('does not believe the notes of a run that was stopped', () => {
  const layer = crib.layer()
  expect(() => readNotes(layer)).toThrow('was not closed')
  writeFileSync(layer.notes, 'opaque\0folder\0')
  expect(() => readNotes(layer)).toThrow('was not closed')
})

it('is refused by bubblewrap, which cannot mount it', () => {
  verifies('E2')
  const order = {
    spec: { file: '/bin/true', args: [], cwd: '/', env: {} },
    steps: [layerStep(crib.layer())],
    env: [],
    way: undefined,
    processes: undefined,
    doors: [],
    limits: [],
  }
  const engine = {
    path: '/usr/bin/bwrap',
    userNamespace: true,
    seccomp: false,
    landlock: false,
    verifies: false,
  }
  expect(() => startBubblewrap({ engine, argv0: false, prlimit: undefined }, order)).toThrow(
    expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }),
  )
})

describe.skipIf(!canLayer)('a run on a layer', () => {
  it('sees the project and its own writes, and changes nothing in the project', () => {
    verifies('E1')
    writeFileSync(join(crib.project, 'kept'), 'old')
    writeFileSync(join(crib.project, 'gone'), 'old')
    const layer = crib.shell(
      'test "$(cat kept)" = old; echo new > kept; test "$(cat kept)" = new; rm gone; test ! -e gone',
    )
    expect(readFileSync(join(crib.project, 'kept'), 'utf8')).toBe('old')
    expect(readdirSync(crib.project).sort()).toEqual(['gone', 'kept'])
    expect(readFileSync(join(layer.upper, 'kept'), 'utf8')).toBe('new\n')
    expect(lstatSync(join(layer.upper, 'gone')).isCharacterDevice()).toBe(true)
  })

  it('leaves notes of the folders that it emptied, whatever their names', () => {
    for (const name of ['a/b', 'c', 'line\nbreak', 'none'])
      mkdirSync(join(crib.project, name), { recursive: true })
    const layer = crib.shell(
      `rmdir a/b c 'line\nbreak'; mkdir a/b c 'line\nbreak' fresh; touch none/x; chmod 0 c`,
    )
    expect([...readNotes(layer).opaque].sort()).toEqual(['a/b', 'c', 'line\nbreak'])
    removeLayer(layer)
    expect(existsSync(layer.folder)).toBe(false)
  })
})
