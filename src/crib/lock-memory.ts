// What the lock keeps from one run to the next, beside the catalog's cache.
import { join } from 'node:path'
import { readCacheFile, writeCacheFile } from '../catalog/unit-results.ts'
import type { Spaces } from '../config/spaces.ts'
import type { LockMemory } from '../trust/lock/lock.ts'

export function lockMemory(spaces: Spaces): LockMemory {
  const file = (name: string) => join(spaces.state, 'cache', `${name}.json`)
  return {
    read: (name, key) => readCacheFile<never>(file(name), key)?.data,
    write: (name, key, data) => writeCacheFile(file(name), key, data),
  }
}
