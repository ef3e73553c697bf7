// Watches how much a worker keeps in its throw-away folder. A tool without any permission still has Deno's caches and
// what Deno compiles for it, and neither has an end of its own.
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const everyMs = 1_000
const maxEntries = 10_000
export const maxScratchMb = 256

/** Looks every second; the returned function ends it. */
export function watchScratch(dir: string, onOverLimit: () => void): () => void {
  const timer = setInterval(() => {
    if (isFuller(dir, maxScratchMb * 1_048_576)) onOverLimit()
  }, everyMs).unref()
  return () => clearInterval(timer)
}

function isFuller(dir: string, maxBytes: number): boolean {
  let bytes = 0
  let entries = 0
  const folders = [dir]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else bytes += sizeOf(path)
      if (++entries > maxEntries || bytes > maxBytes) return true
    }
  }
  return false
}

// What goes while it is looked at counts as nothing.
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
}
