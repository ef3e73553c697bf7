// Files to tools: walk, take what the cache knows, parse the rest, link each format, settle clashes. The whole
// result is cached too, so that an unchanged crib opens without touching a parser.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { findOnPath } from '../config/find-on-path.ts'
import type { Spaces } from '../config/spaces.ts'
import type {
  FileEntry,
  Format,
  FormatEnv,
  Parsed,
  ScannedFolder,
  SourceFile,
  Unit,
} from '../formats/format.ts'
import { skillServers } from '../formats/mcp/skill-servers.ts'
import { type JsonObject, sha256 } from '../tool/json.ts'
import { type Problem, sortProblems } from '../tool/problem.ts'
import type { Tool, Trust } from '../tool/tool.ts'
import { messageOf } from '../tool/tool-error.ts'
import { type SetAside, setAsideProblem, withSetAside } from '../trust/set-aside.ts'
import type { WriteRecord } from '../trust/set-aside-records.ts'
import type { OutwardLinks } from './outward-links.ts'
import { type PackedTools, packTools, unpackTools } from './pack-tools.ts'
import { readSource, UnreadableFile } from './read-source.ts'
import { findScannedFolders } from './scanned-folders.ts'
import { joinLater, settle } from './settle.ts'
import { SkillStamps } from './skill-stamps.ts'
import {
  isFresh,
  readCacheFile,
  type UnitResult,
  type UnitResults,
  unitKey,
  writeCacheFile,
} from './unit-results.ts'
import { claimOf, type Hidden } from './yielding.ts'

/** Says who vouches for a file; `stamp` changes when its answers may. */
export interface Judge {
  stamp(): string
  judge(file: string, text: string): Trust
}

export interface LoadInput {
  readonly config: Config
  readonly configStamp: string
  readonly spaces: Spaces
  /** Called only when something must be parsed. */
  readonly formats: () => Promise<readonly Format[]>
  /** Endings of the files that only formats of plugins read. */
  readonly endings?: readonly string[]
  readonly judge: Judge
  /** What tools wrote and nobody accepted yet. */
  readonly setAside?: SetAside
  /** Which links out of the crib count; absent: all. */
  readonly links?: OutwardLinks
  /** Tools that lose their id to one that somebody vouches for (G8), by claim, as they were linked before. */
  readonly yielding?: ReadonlyMap<string, Tool>
  readonly version: string
  /** Results of an earlier load of this process. */
  readonly previous?: UnitResults
  readonly useCache: boolean
}

export interface LoadedTools {
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
  /** Programs that definitions ask for, and whether they were on PATH: a cached catalog holds only while that is so. */
  readonly programs: { readonly [name: string]: boolean }
  /** What each format keeps to answer why a tool is missing. */
  readonly facts: { readonly [format: string]: readonly JsonObject[] }
  /** Tools of units that others hide. */
  readonly hidden: readonly Hidden[]
  readonly units: UnitResults | undefined
  /** Changes when a file, a setting or a key did. */
  readonly stamp: string
  /** Folders that the walk entered, absolute; those of the program itself left out. */
  readonly folders: readonly string[]
  /** Tells whether a skill file came, went or changed since. */
  readonly stamps: SkillStamps
  /** Writes the disk cache; absent when it holds all this already. */
  readonly save?: () => void
}

type CachedCatalog = Omit<LoadedTools, 'units' | 'stamp' | 'stamps' | 'folders' | 'save'>
const ignoreFile = /\.(?:git|toolcrib)ignore$/

type KeptCatalog = Omit<CachedCatalog, 'tools'> & { readonly packed: PackedTools }

export async function loadTools(input: LoadInput): Promise<LoadedTools> {
  const startedAt = Date.now()
  const {
    scanned,
    seen,
    problems: walkProblems,
  } = findScannedFolders(input.config, input.spaces, input.endings, input.links)
  const stamps = new SkillStamps(scanned, seen, startedAt)
  const folders = [...seen].flatMap(([path, time]) =>
    time !== null && time >= 0 && !ignoreFile.test(path) ? [path] : [],
  )
  const key = sha256(`${input.version}\n${input.configStamp}\n${input.judge.stamp()}`)
  const catalogFile = join(input.spaces.state, 'cache', 'catalog.json')
  const unitsFile = join(input.spaces.state, 'cache', 'units.json')
  const yielding = input.yielding ?? new Map<string, Tool>()
  const fingerprint =
    key + fingerprintOf(scanned) + (input.setAside?.stamp ?? '') + sha256([...yielding.keys()].join('\n'))
  if (input.useCache && !input.previous) {
    const cached = readCacheFile<KeptCatalog>(catalogFile, fingerprint)
    if (cached?.data.packed && noneYounger(scanned, cached.savedAt - 50) && sameHere(cached.data.programs)) {
      const { packed, ...rest } = cached.data
      return { ...rest, tools: unpackTools(packed), units: undefined, stamp: fingerprint, stamps, folders }
    }
  }
  const stored =
    input.previous || !input.useCache ? null : readCacheFile<[string, UnitResult][]>(unitsFile, key)
  const known = input.previous ?? new Map(stored?.data ?? [])
  const savedAt = input.previous ? Date.now() : (stored?.savedAt ?? 0)
  const formats = await input.formats()
  const env: FormatEnv = { config: input.config, spaces: input.spaces }
  const units: UnitResults = new Map()
  const problems = [...walkProblems]
  const facts: Record<string, readonly JsonObject[]> = {}
  const aside: Tool[] = []
  const yielded: Tool[] = []
  const hidden: Hidden[] = []
  const byFormat = formats.map((format) => {
    try {
      const found = scanned
        .flatMap((folder) => format.units(folder, env))
        .flatMap((unit) => {
          const result = resultsOf(unit, { format, env, known, savedAt, units, judge: input.judge })
          const record = setAsideOf(unit, result, input.setAside)
          if (!record) return [result]
          // Nothing of it takes part: no chain, no cascade, no name.
          aside.push(...result.tools.map((tool) => withSetAside(tool, record)))
          if (result.tools.length === 0 && unit.isCertain) problems.push(setAsideProblem(record))
          return []
        })
      const all = found.flatMap((result) => result.tools)
      const yields = (tool: Tool) => yielding.has(claimOf(tool))
      const tools = yielding.size === 0 ? all : all.filter((tool) => !yields(tool))
      yielded.push(...all.flatMap((tool) => yielding.get(claimOf(tool)) ?? []))
      const unitFacts = found.flatMap(({ tools: own, facts }) =>
        own.some(yields) && own.every(yields) ? [] : facts,
      )
      const linked: Parsed = format.link
        ? format.link(tools, env, unitFacts)
        : { tools, problems: [], facts: unitFacts }
      problems.push(...found.flatMap((result) => result.problems), ...linked.problems)
      facts[format.name] = linked.facts ?? []
      for (const { tool, behind } of linked.hidden ?? []) hidden.push({ tool, behind: behind.map(claimOf) })
      return linked.tools
    } catch (error) {
      problems.push(formatFault(format, error))
      return []
    }
  })
  const servers = skillServers(byFormat.flat(), input.config.trust)
  problems.push(...servers.problems)
  const owners = joinLater(settle([...byFormat, servers.tools], formats, scanned), aside)
  const settled = [...owners, ...yielded]
  const programs = programsOf(settled, facts)
  const data: CachedCatalog = { tools: settled, problems: sortProblems(problems), programs, facts, hidden }
  const save = () => {
    const { tools, ...rest } = data
    const kept: KeptCatalog = { ...rest, packed: packTools(tools) }
    writeCacheFile(catalogFile, fingerprint, kept)
    writeCacheFile(unitsFile, key, [...units])
  }
  return { ...data, units, stamp: fingerprint, stamps, folders, save: input.useCache ? save : undefined }
}

/** What a tool wrote of the unit's files. */
function setAsideOf(unit: Unit, { stamps }: UnitResult, setAside?: SetAside): WriteRecord | undefined {
  if (!setAside || setAside.isEmpty || unit.scanned.tier === 'system') return undefined
  for (const [index, { path }] of unit.files.entries()) {
    const record = setAside.ofFile(join(unit.scanned.dir, path), stamps[index]?.[2] ?? undefined)
    if (record) return record
  }
  return undefined
}

function resultsOf(
  unit: Unit,
  {
    format,
    env,
    known,
    savedAt,
    units,
    judge,
  }: {
    readonly format: Format
    readonly env: FormatEnv
    readonly known: UnitResults
    readonly savedAt: number
    readonly units: UnitResults
    readonly judge: Judge
  },
): UnitResult {
  const key = unitKey(unit)
  const old = known.get(key)
  const result = old && isFresh(unit, old, savedAt) ? old : parseUnit(unit, { format, env, old, judge })
  units.set(key, result)
  return result
}

function parseUnit(
  unit: Unit,
  {
    format,
    env,
    old,
    judge,
  }: {
    readonly format: Format
    readonly env: FormatEnv
    readonly old: UnitResult | undefined
    readonly judge: Judge
  },
): UnitResult {
  const sources = new Map<FileEntry, SourceFile>()
  const unreadable: Problem[] = []
  for (const entry of unit.files) {
    try {
      sources.set(entry, readSource(unit.scanned, entry))
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      if (unit.isCertain) unreadable.push(error.problem)
    }
  }
  const stamps = unit.files.map(
    (entry) => [entry.size, entry.mtimeMs, sources.get(entry)?.digest ?? null] as const,
  )
  if (old && stamps.every((stamp, index) => stamp[2] !== null && stamp[2] === old.stamps[index]?.[2]))
    return { ...old, stamps }
  const main = sources.get(unit.files[0]!)
  if (!main && !unit.reportsUnreadable) return { stamps, tools: [], problems: unreadable, facts: [] }
  try {
    const parsed = format.parse(unit, (entry) => sources.get(entry) ?? readSource(unit.scanned, entry), env)
    const tools = main ? parsed.tools.map((tool) => judged(tool, main, unit, judge)) : []
    return { stamps, tools, problems: [...unreadable, ...parsed.problems], facts: parsed.facts ?? [] }
  } catch (error) {
    const problem: Problem =
      error instanceof UnreadableFile
        ? error.problem
        : parserFault(main?.file ?? unit.scanned.dir, format, error)
    return { stamps, tools: [], problems: [...unreadable, problem], facts: [] }
  }
}

function judged(tool: Tool, main: SourceFile, unit: Unit, judge: Judge): Tool {
  if (unit.scanned.tier === 'system') return { ...tool, trust: { status: 'trusted', owner: 'toolcrib' } }
  return { ...tool, trust: judge.judge(main.file, main.text) }
}

function formatFault({ name }: Format, error: unknown): Problem {
  return {
    code: 'format-failed',
    severity: 'error',
    message: `The format ${name} failed, so none of its tools is here: ${messageOf(error)}.`,
    hint: 'Fix the plugin that brings it; if it ships with Toolcrib, please report this as a bug.',
  }
}

function parserFault(file: string, format: Format, error: unknown): Problem {
  const deep = error instanceof RangeError
  return {
    code: deep ? 'file-too-deep' : 'file-unreadable',
    severity: 'error',
    message: deep
      ? `${file} is nested too deeply to be read.`
      : `${file} could not be read as ${format.name}: ${messageOf(error)}.`,
    hint: deep
      ? 'Nest its values less deeply.'
      : 'If the file looks right to you, please report this as a bug.',
    file,
    line: 1,
  }
}

function programsOf(tools: readonly Tool[], facts: LoadedTools['facts']): Record<string, boolean> {
  const gates = [...tools, ...Object.values(facts).flat()].map(
    (item) => item['needsBins'] as Tool['needsBins'] | null,
  )
  const names = new Set(gates.flatMap((gate) => (gate ?? []).flat()))
  return Object.fromEntries([...names].map((name) => [name, findOnPath(name) !== undefined]))
}

/** Programs come and go without a file of the crib changing, so that gates are judged at every load. */
function sameHere(programs: LoadedTools['programs']): boolean {
  return Object.entries(programs).every(([name, isHere]) => (findOnPath(name) !== undefined) === isHere)
}

function fingerprintOf(scanned: readonly ScannedFolder[]): string {
  const parts: string[] = []
  for (const { dir, files } of scanned) {
    parts.push(dir)
    for (const file of files) parts.push(`${file.path}:${file.size}:${file.mtimeMs}:${file.realPath ?? ''}`)
  }
  return sha256(parts.join('\n'))
}

function noneYounger(scanned: readonly ScannedFolder[], time: number): boolean {
  return scanned.every(({ files }) => files.every((file) => file.mtimeMs < time))
}
