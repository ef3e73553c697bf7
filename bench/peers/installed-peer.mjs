// Whether a program that the bench compares with is installed; says once what is left out when it is not.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const told = new Set()

/** The file of a peer's server, or undefined with a line that says how to get it. */
export function installedPeer(name, file) {
  if (existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url)))
    return fileURLToPath(new URL(file, import.meta.url))
  if (!told.has(name)) console.error(`${name} is left out: not installed (npm run bench:peers)`)
  told.add(name)
  return undefined
}
