// A small table of answers kept on disk between runs. Losing it costs time and nothing else, so every error of
// reading or writing it is ignored.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import { writeAtomic } from '../../files/write-atomic.ts'
import { isPlainObject } from '../../tool/json.ts'

const maxEntries = 64

export interface DiskMemo {
  get(key: string): string | undefined
  set(key: string, value: string): void
}

export function openDiskMemo(file: string): DiskMemo {
  let entries: Map<string, string> | undefined
  const load = () => {
    entries ??= new Map(readEntries(file))
    return entries
  }
  return {
    get: (key) => load().get(key),
    set(key, value) {
      const all = load()
      all.delete(key)
      all.set(key, value)
      for (const oldest of all.keys()) {
        if (all.size <= maxEntries) break
        all.delete(oldest)
      }
      try {
        makeFolder(dirname(file))
        writeAtomic(file, JSON.stringify(Object.fromEntries(all)), 0o666, { isDurable: false })
      } catch {
        // kept in memory
      }
    },
  }
}

function readEntries(file: string): [string, string][] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isPlainObject(value)) return []
    return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  } catch {
    return []
  }
}
