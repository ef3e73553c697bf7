// Follows the crib's folders. Changes that come together are read together.

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { watch } from 'chokidar'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { spotsOf } from './places.ts'

const settleMs = 40
const skipped = new Set(['.git', 'node_modules', '.toolcrib', '__pycache__', 'venv', '.venv', 'dist'])

export interface Watch {
  close(): Promise<void>
}

/**
 * Calls `onChange` with the paths that changed; the next call waits until the last one is done. `onFault` hears once
 * of each kind of fault that keeps a path from being followed: a folder that may not be read, a link in a circle.
 */
export async function watchPlaces(
  config: Config,
  spaces: Spaces,
  onChange: (paths: readonly string[]) => Promise<void>,
  onFault: (fault: Error) => void,
): Promise<Watch> {
  const folders = spotsOf(config, spaces)
    .filter((spot) => spot.tier !== 'system')
    .map((spot) => spot.dir)
  // A path that does not exist makes chokidar report ready before its watchers stand.
  const existing = [...folders, join(spaces.userConfig, 'config.yaml')].filter((path) => existsSync(path))
  const watcher = watch(existing, {
    ignoreInitial: true,
    ignored: (path) => skipped.has(basename(path)),
    followSymlinks: true,
  })
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let paths = new Set<string>()
  watcher.on('all', (_event, path) => {
    clearTimeout(timer)
    paths.add(path)
    timer = setTimeout(() => {
      const changed = [...paths]
      paths = new Set()
      running = running.then(() => onChange(changed)).catch(() => {})
    }, settleMs)
  })
  const told = new Set<string | undefined>()
  watcher.on('error', (error) => {
    const fault = error as NodeJS.ErrnoException
    if (told.has(fault.code)) return
    told.add(fault.code)
    onFault(fault)
  })
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
