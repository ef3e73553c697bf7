import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { proves } from '../../test/helpers/proves.ts'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { readCacheFile, writeCacheFile } from './unit-results.ts'

it('reads back what was written under the same key', () => {
  const file = join(tempFolder(), 'cache', 'catalog.json')
  writeCacheFile(file, 'key', [1])
  expect(readCacheFile(file, 'key')?.data).toEqual([1])
  expect(readCacheFile(file, 'other')).toBe(null)
})

it('does not believe a cache that came with the folder', () => {
  proves('shipped-cache')
  const root = tempFolder()
  const file = join(root, 'cache', 'catalog.json')
  writeCacheFile(file, 'key', ['forged'])
  cpSync(join(root, 'cache'), join(root, 'copy'), { recursive: true, preserveTimestamps: true })
  rmSync(join(root, 'cache'), { recursive: true })
  renameSync(join(root, 'copy'), join(root, 'cache'))
  expect(readCacheFile(file, 'key')).toBe(null)
})
