import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { layerIn, projectState } from './layer.ts'
import { SpareLayer } from './spare-layer.ts'

let top: string
let project: string
let state: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'spare-layer-')))
  ;[project, state] = [join(top, 'project'), join(top, 'state')]
  mkdirSync(project)
})
afterEach(() => rmSync(top, { recursive: true }))

const names = () => readdirSync(projectState('layers', project, state)).sort()

it('makes none ahead for one call, and one from the second call on', async () => {
  const layers = new SpareLayer(project)
  layers.take('first', state)
  await turn()
  expect(names()).toEqual(['first'])
  layers.take('second', state)
  await turn()
  expect(names()).toEqual(['first', 'second', expect.stringMatching(/^spare-/)])
  layers.close()
  expect(names()).toEqual(['first', 'second'])
})

it('gives the one that waits the name, the time and the rights of now', async () => {
  verifies('E1')
  const layers = new SpareLayer(project)
  layers.take('first', state)
  layers.take('second', state)
  await turn()
  const waiting = layerIn(join(projectState('layers', project, state), names()[2]!))
  chmodSync(project, 0o2755)
  const layer = layers.take('a.third', state)
  expect(layer).toMatchObject(layerIn(layer.folder))
  expect(layer).toMatchObject({ run: 'a.third', lower: project })
  expect(layer.madeAtMs).toBeGreaterThanOrEqual(waiting.madeAtMs)
  expect(statSync(layer.upper).mode & 0o7777).toBe(0o2755)
  expect(existsSync(waiting.folder)).toBe(false)
  layers.close()
})

it('makes a layer where the one that waits was removed', async () => {
  const layers = new SpareLayer(project)
  layers.take('first', state)
  layers.take('second', state)
  await turn()
  rmSync(join(projectState('layers', project, state), names()[2]!), { recursive: true })
  expect(existsSync(layers.take('third', state).upper)).toBe(true)
  layers.close()
})

it('refuses a second layer of one run', async () => {
  const layers = new SpareLayer(project)
  layers.take('first', state)
  layers.take('second', state)
  await turn()
  expect(() => layers.take('first', state)).toThrow('EEXIST')
  layers.close()
})
