// Imports skill files inside this process. Every module of a skill's own is read here once, judged, turned from
// TypeScript if need be, and handed to Node: the bytes that were checked are the bytes that run.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ToolError } from '../../tool/tool-error.ts'
import { importNative } from './import-native.ts'
import { generationOf, mark, serveModules } from './module-hooks.ts'

export type SkillModule = { readonly [name: string]: unknown }

interface Loaded {
  /** The file that was asked for; Node reads it where its links lead. */
  readonly file: string
  readonly generation: number
  readonly module: Promise<SkillModule>
  /** Files the import read, with what tells whether they changed. */
  readonly files: Map<string, string>
  settled: SkillModule | undefined
  failure: unknown
  /** Throws for bytes that may not run. */
  readonly verify: VerifyModule
  /** Of the tool it was last checked for; a catalog that read the file anew asks at once. */
  digest: string
  checkedAt: number
}

export type VerifyModule = (file: string, bytes: Uint8Array) => void

const require = createRequire(import.meta.url)
const checkEveryMs = 1_000
let generations = 0
const byGeneration = new Map<number, { readonly loader: ModuleLoader; readonly entry: Loaded }>()

export class ModuleLoader {
  readonly #loaded = new Map<string, Loaded>()

  /** The module if it is loaded and was found unchanged within the last second, by a tool of the same digest. */
  peek(file: string, digest: string): SkillModule | undefined {
    const known = this.#loaded.get(file)
    return known && isFresh(known, digest) ? known.settled : undefined
  }

  /** Imports a file, anew when it or a file it imports changed. `digest`: of the file as the catalog read it. */
  async load(file: string, digest: string, verifier: () => VerifyModule): Promise<SkillModule> {
    const known = this.#loaded.get(file)
    if (known && (isFresh(known, digest) || isUnchanged(known, digest))) return known.module
    const entry = this.#import(file, digest, verifier())
    this.#loaded.set(file, entry)
    try {
      entry.settled = await entry.module
      return entry.settled
    } catch (error) {
      // Node remembers a failed import for good; the next try gets an address of its own.
      if (this.#loaded.get(file) === entry) this.#loaded.delete(file)
      throw entry.failure ?? error
    }
  }

  #import(file: string, digest: string, verify: VerifyModule): Loaded {
    const generation = ++generations
    serveModules((url) => sourceOf(url))
    const url = mark(pathToFileURL(file).href, generation)
    const entry: Loaded = {
      file,
      generation,
      module: Promise.resolve().then(() => importNative(url)),
      files: new Map(),
      settled: undefined,
      failure: undefined,
      verify,
      digest,
      checkedAt: Date.now(),
    }
    byGeneration.set(generation, { loader: this, entry })
    return entry
  }

  /** Text of one module of an import in progress. */
  read(file: string, entry: Loaded): string {
    const isEntry = entry.files.size === 0
    entry.files.set(file, stampOf(file))
    const bytes = readFileSync(file)
    // What was approved is the name the skill goes by, wherever a link leads now.
    if (isEntry && file !== entry.file) {
      entry.files.set(entry.file, stampOf(entry.file))
      entry.verify(entry.file, bytes)
    }
    entry.verify(file, bytes)
    const text = bytes.toString('utf8')
    return file.endsWith('.ts') ? withoutTypes(file, text) : text
  }
}

function sourceOf(url: string): string {
  const file = fileURLToPath(url.split('?')[0]!)
  const found = byGeneration.get(generationOf(url) ?? -1)
  if (!found) throw new Error(`${file} is not part of an import in progress.`)
  try {
    return found.loader.read(file, found.entry)
  } catch (error) {
    found.entry.failure ??= error
    throw error
  }
}

function isFresh(entry: Loaded, digest: string): boolean {
  return entry.digest === digest && Date.now() - entry.checkedAt < checkEveryMs
}

function isUnchanged(entry: Loaded, digest: string): boolean {
  for (const [file, stamp] of entry.files) if (stampOf(file) !== stamp) return false
  entry.digest = digest
  entry.checkedAt = Date.now()
  return entry.settled !== undefined
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs}:${stat.size}:${stat.ino}` : 'missing'
}

function withoutTypes(file: string, text: string): string {
  const { transformSync } = require('oxc-transform') as typeof import('oxc-transform')
  const { code, errors } = transformSync(file, text, { lang: 'ts', sourceType: 'module' })
  if (errors.length > 0)
    throw new ToolError('LOAD_FAILED', `${file}: ${errors[0]!.message}.`, { hint: 'Fix the syntax error.' })
  return code
}
