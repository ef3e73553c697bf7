// Flags over environment over project over user over defaults, with a note of where each value came from.
// Parsed files are kept in the crib's cache, so that a warm start loads no YAML parser and no validator.
import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomic } from '../files/write-atomic.ts'
import { isPlainObject, sha256 } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Config, GivenConfig } from './config.ts'
import { configFromEnv } from './config-from-env.ts'
import { type Ask, asksOf, withoutAsks } from './folder-asks.ts'
import { folderIdentity } from './folder-identity.ts'
import { type FolderTrust, notAccepted } from './folder-trust.ts'
import { holdFloor } from './hold-floor.ts'
import { makeFolder } from './make-folder.ts'
import { type ConfigLayer, mergeConfig } from './merge-config.ts'
import type { ConfigFile } from './read-config-file.ts'
import { fromHome, type Spaces } from './spaces.ts'
import { stateFolderOf } from './state-folder.ts'

export interface LoadedConfig {
  readonly config: Config
  readonly origins: { readonly [key: string]: string }
  readonly problems: readonly Problem[]
  /** The first fault that leaves a setting unknown; calls are refused until it is fixed. */
  readonly fault: Problem | undefined
  /** What the folder's settings ask for beyond the defaults, accepted or not. */
  readonly asks: readonly Ask[]
  /** Grants that the folder's own file gives, and the user's own settings do not. */
  readonly folderGrants: readonly string[]
  /** Changes whenever a value may have changed. */
  readonly stamp: string
}

type ReadFile = (file: string) => ConfigFile
const cacheVersion = 1

export interface ConfigSources {
  readonly spaces: Spaces
  readonly env: NodeJS.ProcessEnv
  /** What flags or the library caller set; a fault in them is thrown. */
  readonly overrides?: GivenConfig | undefined
  readonly trust: FolderTrust
  /** The files that a file of code takes in. */
  importsOf?(file: string): readonly string[]
}

export async function loadConfig({
  spaces,
  env,
  overrides = {},
  trust,
  importsOf = () => [],
}: ConfigSources): Promise<LoadedConfig> {
  const files = [join(spaces.userConfig, 'config.yaml'), join(spaces.project, 'toolcrib.yaml')]
  const stamps = [userStampOf(files[0]!), stampOf(files[1]!)]
  const cached = readCache(spaces, files, stamps)
  const read = cached ?? (await readAll(files, stamps))
  if (!cached && stamps.some((stamp) => stamp !== null)) writeCache(spaces, files, stamps, read)
  const own = read[0]!.values
  const asked = asksOf(read[1]!.values, files[1]!, own).map((ask) =>
    withCode(ask, read[1]!.values, importsOf),
  )
  const left = trust.unaccepted(asked)
  const project = withoutAsks(read[1]!.values, left, own)
  const asks = left.length > 0 ? await withLines(asked) : asked
  const fromEnv = await soundVariables(configFromEnv(env))
  if (Object.keys(overrides).length > 0) await demandSound(overrides)
  const layers: ConfigLayer[] = [
    { from: files[0]!, values: own },
    { from: files[1]!, values: holdFloor(own, project) },
    ...fromEnv.layers,
    { from: 'flag', values: overrides },
  ]
  const { config, origins } = mergeConfig(layers)
  const faults = [...read.flatMap((file) => file.problems), ...fromEnv.problems]
  const problems = [
    ...faults,
    ...trust.problems,
    ...trust.unaccepted(asks).map((ask) => notAccepted(ask, trust.standingOf(ask))),
  ]
  return {
    config: withAbsolutePaths(config, origins, spaces),
    origins,
    problems,
    asks,
    folderGrants: grantsIn(project).filter((grant) => !grantsIn(own).includes(grant)),
    fault: faults.find((problem) => problem.code !== 'config-unknown-key'),
    stamp: JSON.stringify([config]),
  }
}

function grantsIn({ grants }: { readonly [key: string]: unknown }): string[] {
  if (!isPlainObject(grants)) return []
  const lists = isPlainObject(grants['tools']) ? Object.values(grants['tools']) : []
  return [grants['default'], ...lists].flat().filter((grant) => typeof grant === 'string')
}

/** G26: an unknown or mistyped key of `openCrib({ config })` is an error, not a setting that does nothing. */
async function demandSound(overrides: GivenConfig): Promise<void> {
  const { settingFaults } = await import('./setting-faults.ts')
  const faults = settingFaults(overrides)
  if (faults.length === 0) return
  throw new ToolError('CONFIG_INVALID', `config: ${faults.map(({ message }) => message).join(' ')}`, {
    hint: [...new Set(faults.map(({ hint }) => hint))].join(' '),
    details: faults.map(({ code, message, hint }) => ({ code, message, hint })),
  })
}

/** Variables whose value cannot be meant are left out, each with a problem. */
async function soundVariables(
  layers: readonly ConfigLayer[],
): Promise<{ readonly layers: readonly ConfigLayer[]; readonly problems: readonly Problem[] }> {
  if (layers.length === 0) return { layers, problems: [] }
  const { settingFaults } = await import('./setting-faults.ts')
  const problems: Problem[] = []
  const sound = layers.filter(({ from, values }) => {
    const [fault] = settingFaults(values)
    if (!fault) return true
    const { code, message, hint } = fault
    problems.push({ code, severity: 'error', message: `${from}: ${message}`, hint })
    return false
  })
  return { layers: sound, problems }
}

/** A plugin is its code, with what it imports: another text under the same name was not accepted. */
function withCode(
  ask: Ask,
  { plugins }: { readonly [key: string]: unknown },
  importsOf: (file: string) => readonly string[],
): Ask {
  if (ask.key !== 'plugins' || !Array.isArray(plugins)) return ask
  const files = plugins.map((path) => resolve(dirname(ask.file), String(path)))
  const texts = [...files, ...files.flatMap(importsOf).sort()].map(textOf)
  return { ...ask, digest: sha256([ask.digest, ...texts].join('\n')) }
}

function textOf(file: string): string {
  try {
    return readPlainFile(file, Number.POSITIVE_INFINITY)
  } catch {
    return ''
  }
}

/** Where each ask stands in its file; the parser is loaded only for somebody who must decide. */
async function withLines(asks: readonly Ask[]): Promise<Ask[]> {
  const { lineOfKey } = await import('./read-config-file.ts')
  return asks.map((ask) => ({ ...ask, line: lineOfKey(ask.file, ask.key.split('.')) }))
}

async function readAll(files: readonly string[], stamps: readonly (string | null)[]): Promise<ConfigFile[]> {
  if (stamps.every((stamp) => stamp === null)) return files.map(() => ({ values: {}, problems: [] }))
  const { readConfigFile } = (await import('./read-config-file.ts')) as { readConfigFile: ReadFile }
  return files.map((file, index) =>
    stamps[index] === null ? { values: {}, problems: [] } : readConfigFile(file),
  )
}

/**
 * Whoever may not even enter the folder, as in a container with the HOME of another user, has no settings there; nor
 * has a service whose HOME is /dev/null.
 */
function userStampOf(file: string): string | null {
  const stamp = stampOf(file)
  return stamp === 'EACCES' || stamp === 'ENOTDIR' ? null : stamp
}

/** One that cannot be looked at, such as a link that leads to itself, is read, which says why. */
function stampOf(file: string): string | null {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat ? `${stat.size}:${stat.mtimeMs}` : null
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`
  }
}

function cacheFile(spaces: Spaces): string {
  return join(spaces.state, 'cache', 'config.json')
}

function readCache(
  spaces: Spaces,
  files: readonly string[],
  stamps: readonly (string | null)[],
): ConfigFile[] | null {
  try {
    const file = cacheFile(spaces)
    const cache = JSON.parse(readFileSync(file, 'utf8'))
    const key = [cacheVersion, files, stamps, folderIdentity(file)]
    return JSON.stringify(cache.key) === JSON.stringify(key) ? cache.read : null
  } catch {
    return null
  }
}

function writeCache(
  spaces: Spaces,
  files: readonly string[],
  stamps: readonly (string | null)[],
  read: readonly ConfigFile[],
): void {
  try {
    const file = cacheFile(spaces)
    makeFolder(dirname(file))
    const key = [cacheVersion, files, stamps, folderIdentity(file)]
    writeAtomic(file, JSON.stringify({ key, read }), 0o666, { isDurable: false })
  } catch {
    // A crib on a read-only disk works, only slower.
  }
}

/** What settings put into the state folder is in the one that counts. */
function inState(path: string, { project, state }: Spaces): string {
  const named = stateFolderOf(project)
  return isInside(path, named) ? join(state, relative(named, path)) : path
}

/** Paths are relative to the file that names them; `~` is the home folder. */
function withAbsolutePaths(
  config: Config,
  origins: { readonly [key: string]: string },
  spaces: Spaces,
): Config {
  const absolute = (path: string, key: string): string => {
    const origin = origins[key]
    const base = origin?.endsWith('.yaml') ? dirname(origin) : spaces.project
    const full = fromHome(path, spaces)
    return isAbsolute(full) ? full : join(base, full)
  }
  const { file } = config.secrets
  return {
    ...config,
    roots: config.roots.map((root) => absolute(root, 'roots')),
    plugins: config.plugins.map((file) => absolute(file, 'plugins')),
    store: isAddress(config.store) ? config.store : inState(absolute(config.store, 'store'), spaces),
    secrets: {
      ...config.secrets,
      file: file === null || isAddress(file) ? file : absolute(file, 'secrets.file'),
    },
    skills: {
      ...config.skills,
      directory:
        config.skills.directory === null ? null : absolute(config.skills.directory, 'skills.directory'),
      extraDirs: config.skills.extraDirs.map((dir) => absolute(dir, 'skills.extraDirs')),
    },
  }
}

/** `postgres://…` or `env://…`, which is no path. */
function isAddress(text: string): boolean {
  return /^[a-z]+:/.test(text)
}
