import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changesBetween, plant } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { commitChanges } from './commit-changes.ts'
import { layerSource } from './content-source.ts'
import { Images } from './images.ts'
import { selectChanges } from './select-changes.ts'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'select-')))
})
afterEach(() => rmSync(top, { recursive: true }))

/** What lies in the project after only these paths were accepted. */
async function accepted(...paths: string[]): Promise<string[]> {
  const [project, fresh] = [join(top, 'project'), join(top, 'fresh')]
  plant(project, { 'old/in/a': '1', 'old/in/b': '1', c: '1' })
  plant(fresh, { 'new/in/a': '2', 'new/b': '2', empty: '/' })
  const set = selectChanges(changesBetween(project, fresh), ({ path }) => paths.includes(path))
  const source = layerSource({ upper: fresh })
  mkdirSync(join(top, 'journals'))
  await commitChanges(set, source, {
    project,
    journals: join(top, 'journals'),
    images: new Images(join(top, 'images')),
    run: 'run',
  })
  return readdirSync(project, { recursive: true, encoding: 'utf8' }).sort()
}

it('makes the folders that an accepted file needs', async () => {
  verifies('E9')
  const all = await accepted('new/in/a')
  expect(all).toEqual(['c', 'new', 'new/in', 'new/in/a', 'old', 'old/in', 'old/in/a', 'old/in/b'])
})

it('keeps the folders of what is not removed', async () => {
  verifies('E9')
  expect(await accepted('old', 'old/in', 'old/in/a', 'c')).toEqual(['old', 'old/in', 'old/in/b'])
})

it('removes a folder with everything in it', async () => {
  expect(await accepted('old', 'old/in', 'old/in/a', 'old/in/b')).toEqual(['c'])
})

it('removes a folder with the last of it, and makes none for what is not accepted', async () => {
  verifies('E9')
  expect(await accepted('old/in/a', 'old/in/b', 'new')).toEqual(['c'])
})

it('makes a folder that is accepted by itself', async () => {
  expect(await accepted('empty')).toEqual(['c', 'empty', 'old', 'old/in', 'old/in/a', 'old/in/b'])
})

it('changes nothing when nothing is accepted', async () => {
  expect(await accepted()).toEqual(['c', 'old', 'old/in', 'old/in/a', 'old/in/b'])
})
