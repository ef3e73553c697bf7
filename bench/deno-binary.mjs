// The Deno binary Toolcrib itself would use: that of the npm package, else the one on PATH; null when there is none.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

export function denoBinary() {
  const suffix = process.platform === 'linux' ? '-glibc' : ''
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const name of [`@deno/${process.platform}-${process.arch}${suffix}`, 'deno'])
    try {
      folders.unshift(dirname(require.resolve(`${name}/package.json`)))
    } catch {
      // not installed
    }
  return folders.map((folder) => join(folder, 'deno')).find((file) => existsSync(file)) ?? null
}
