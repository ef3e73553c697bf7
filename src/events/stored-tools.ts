// The tools of the store as the catalog takes them: those made or edited through the API, and the good stored
// version of a file that is broken now. What the catalog got last lies in the cache, so that listing tools does
// not have to open the database.

import { existsSync, unwatchFile, watchFile } from 'node:fs'
import { join, resolve } from 'node:path'
import { readCacheFile, writeCacheFile } from '../catalog/unit-results.ts'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { build } from '../config/version.ts'
import type { ToolCodeReading } from '../formats/tool-code/parse-tool-code.ts'
import { compareSemver } from '../formats/tool-code/semver.ts'
import { type Crumb, fullView } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'

/** How often is looked for what other processes found. */
const lookMs = 400

export interface StoredTools {
  readonly tools: readonly Tool[]
  /** Files whose tool was deleted or made something else through the API; they count again at the next start. */
  readonly withdrawn: readonly string[]
  /** When the first of the tools that count now expires; null when none does. */
  readonly untilMs: number | null
}

export const noStoredTools: StoredTools = { tools: [], withdrawn: [], untilMs: null }

export interface StoredToolsParts {
  config(): Config
  readonly spaces: Spaces
  /** Every tool of the catalog. */
  tools(): readonly Tool[]
}

/** Reads the tools of the store; what was parsed once is not parsed again. */
export class StoredToolReader {
  readonly #parts: StoredToolsParts
  #parsed = new Map<string, Tool | null>()

  constructor(parts: StoredToolsParts) {
    this.#parts = parts
  }

  async read(store: CrumbStore): Promise<StoredTools> {
    const { spaces } = this.#parts
    const seeds = await store.seeds.list()
    const seeded = new Map(seeds.map((row) => [row.crumb, row]))
    const good = this.#goodFiles()
    const { activeToolCrumbs, allToolCrumbs, holdsTool, toolVersionOf } = await import('./tool-crumbs.ts')
    const active = [...activeToolCrumbs(await allToolCrumbs(store)).values()]
    const isFileAsItIs = (crumb: Crumb): boolean => {
      const row = seeded.get(crumb.id)
      const fileVersion = row && good.get(resolve(spaces.project, row.file))?.version
      return (
        row?.version === crumb.version &&
        fileVersion !== undefined &&
        compareSemver(fileVersion, toolVersionOf(crumb)) >= 0
      )
    }
    const beside = active.filter((crumb) => !isFileAsItIs(crumb))
    const withdrawn: string[] = []
    for (const row of seeds) {
      const file = resolve(spaces.project, row.file)
      const name = good.get(file)?.id
      if (name === undefined) continue
      const crumb = await store.crumbs.get(row.crumb)
      if (crumb && (crumb.version === row.version || holdsTool(crumb, name))) continue
      const seeded =
        crumb && (await store.crumbs.history(crumb.id)).find((one) => one.version === row.version)
      // The file may hold a tool only now, or another one: that is not what was taken away.
      if (!seeded || holdsTool(seeded, name)) withdrawn.push(file)
    }
    const ends = active.flatMap(({ ttl }) => (ttl === undefined ? [] : [Date.parse(ttl)]))
    const untilMs = ends.length === 0 ? null : Math.min(...ends)
    return { tools: await this.#link(await this.#parse(beside)), withdrawn, untilMs }
  }

  /**
   * Files that hold a tool without errors, with that tool. One that drifted from the lock file is as well
   * written as before: it waits for approval, and its stored version does not stand in for it.
   */
  #goodFiles(): Map<string, Tool> {
    const good = new Map<string, Tool>()
    for (const tool of this.#parts.tools()) {
      const { source, state, problems } = tool
      if (!planOf(tool, 'deno') || !source.file) continue
      if (state === 'quarantined' || !problems.some(({ severity }) => severity === 'error'))
        good.set(source.file, tool)
    }
    return good
  }

  async #parse(crumbs: readonly Crumb[]): Promise<Tool[]> {
    const { parseToolCode } = await import('../formats/tool-code/parse-tool-code.ts')
    const parsed = new Map<string, Tool | null>()
    for (const crumb of crumbs) {
      const key = `${crumb.id}@${crumb.version}`
      const known = this.#parsed.get(key)
      parsed.set(key, known === undefined ? storedTool(parseToolCode(fullView(crumb)), crumb) : known)
    }
    this.#parsed = parsed
    return [...parsed.values()].filter((tool) => tool !== null)
  }

  /** Judges them beside the tools of files: who waits for whom, whether Deno is there. */
  async #link(tools: readonly Tool[]): Promise<Tool[]> {
    if (tools.length === 0) return []
    const { linkToolCode } = await import('../formats/tool-code/link-tools.ts')
    const own = new Set(tools.map((tool) => tool.id))
    const others = this.#parts
      .tools()
      .filter((tool) => planOf(tool, 'deno') && tool.source.file !== null && !own.has(tool.id))
    return linkToolCode([...tools, ...others], this.#parts.config()).slice(0, tools.length)
  }
}

function storedTool({ tool }: ToolCodeReading, { id }: Crumb): Tool | null {
  return tool && { ...tool, source: { ...tool.source, crumb: id } }
}

/** What an earlier process found, without opening the database; null when it must be asked. */
export function recallStoredTools(spaces: Spaces, config: Config): StoredTools | null {
  const file = storeFile(spaces, config)
  // A shared database is written to by other machines too: it is asked each time.
  if (file === null) return config.store === ':memory:' ? noStoredTools : null
  if (!existsSync(file)) return noStoredTools
  return readCacheFile<StoredTools>(cacheFile(spaces), cacheKey(file))?.data ?? null
}

/** Calls back when another process found something else in the store, without opening the database. */
export function followStoredTools(spaces: Spaces, config: Config, onChange: () => void): () => void {
  if (storeFile(spaces, config) === null) return () => {}
  const file = cacheFile(spaces)
  const watcher = watchFile(file, { interval: lookMs }, onChange)
  watcher.unref()
  return () => unwatchFile(file, onChange)
}

export function keepStoredTools(spaces: Spaces, config: Config, stored: StoredTools): void {
  const file = storeFile(spaces, config)
  if (file !== null) writeCacheFile(cacheFile(spaces), cacheKey(file), stored)
}

/** Where the embedded store lies; null when it is none of this machine's files. */
function storeFile(spaces: Spaces, { store }: Config): string | null {
  return store === ':memory:' || store.includes('://') ? null : resolve(spaces.project, store)
}

function cacheFile(spaces: Spaces): string {
  return join(spaces.state, 'cache', 'stored-tools.json')
}

function cacheKey(file: string): string {
  return `${build()} ${file}`
}
