// Keeps what V8 made of the program's own files, so that the next start of the same command compiles nothing.
// It lies in the program's own folder: whoever can write there could change the program itself.
import { hash } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { writeAtomic } from '../../files/write-atomic.ts'

/** The build names its chunks so; nothing else is loaded through the cache. `import()` in them would not work. */
const ending = '.chunk.js'
const digestBytes = 32

interface Unkept {
  readonly file: string
  readonly stamp: string
  readonly script: Script
}

/** Loads chunks through the cache of one command from now on; what it lacks is written when the process ends well. */
export function useCodeCache(folder: string, command: string, env: NodeJS.ProcessEnv = process.env): void {
  // As for Node's own cache: coverage counts functions where they are compiled.
  if (env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE']) return
  const place = join(folder, `${process.version}-${process.arch}`, command)
  const unkept: Unkept[] = []
  createRequire(import.meta.url).extensions[ending] = (module, chunk) => {
    const { size, mtimeMs, uid } = statSync(chunk)
    const stamp = `${size} ${mtimeMs}`
    const file = join(place, `${basename(chunk, ending)}.bin`)
    const script = compile(chunk, readKept(file, stamp, uid))
    if (script.cachedDataRejected !== false) unkept.push({ file, stamp, script })
    script
      .runInThisContext()
      .call(module.exports, module.exports, createRequire(chunk), module, chunk, dirname(chunk))
  }
  process.once('exit', (code) => {
    if (code === 0 && unkept.length > 0) keep(place, unkept)
  })
}

function compile(chunk: string, cachedData: Buffer | undefined): Script {
  const head = '(function (exports, require, module, __filename, __dirname) { '
  // The build writes ASCII, so every byte is a character.
  return new Script(`${head}${readFileSync(chunk, 'latin1')}\n})`, {
    filename: chunk,
    columnOffset: -head.length,
    cachedData,
  })
}

/** V8 looks at the length of the source and at nothing inside the data, so both are held against a digest here. */
function readKept(file: string, stamp: string, owner: number): Buffer | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const { uid, mode } = fstatSync(handle)
    if ((mode & 0o022) !== 0 || ![owner, 0, process.getuid?.()].includes(uid)) return undefined
    const bytes = readFileSync(handle)
    const data = bytes.subarray(digestBytes)
    return bytes.subarray(0, digestBytes).equals(digestOf(stamp, data)) ? data : undefined
  } catch {
    return undefined
  } finally {
    closeSync(handle)
  }
}

function digestOf(stamp: string, data: Uint8Array): Buffer {
  return hash('sha256', `${stamp}\n${hash('sha256', data)}`, 'buffer')
}

/** After the command ran, so that the functions it used are there too. A folder that takes no files is no fault. */
function keep(place: string, unkept: readonly Unkept[]): void {
  try {
    mkdirSync(place, { recursive: true, mode: 0o755 })
  } catch {
    return
  }
  for (const { file, stamp, script } of unkept) {
    try {
      const data = script.createCachedData()
      writeAtomic(file, Buffer.concat([digestOf(stamp, data), data]), 0o644, { isDurable: false })
    } catch {
      // The next start compiles again.
    }
  }
}
