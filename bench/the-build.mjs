// The build that is measured: this one, or the one whose folder TOOLCRIB_BENCH_BUILD names (`--against`). Every process
// that a scenario starts inherits the variable.
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('../', import.meta.url))
const folder = process.env.TOOLCRIB_BENCH_BUILD ?? here

/** A file of the build, such as `cli.js`. */
export function built(name) {
  return fileURLToPath(new URL(`dist/${name}`, pathToFileURL(`${folder}/`)))
}

export const { openCrib } = await import(pathToFileURL(built('index.js')).href)
