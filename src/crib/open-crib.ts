// Opens a crib: which folders, settings, keys and pieces it has is decided here, before anything of it is called.
import { resolve } from 'node:path'
import { Catalog } from '../catalog/catalog.ts'
import { OutwardLinks } from '../catalog/outward-links.ts'
import type { GivenConfig } from '../config/config.ts'
import { FolderTrust } from '../config/folder-trust.ts'
import { adoptAcceptedState, withForeignState } from '../config/foreign-state.ts'
import { type LoadedConfig, loadConfig } from '../config/load-config.ts'
import { type Spaces, spacesOf } from '../config/spaces.ts'
import { build } from '../config/version.ts'
import { importedFiles } from '../formats/imported-files.ts'
import { builtinTools } from '../runtimes/agent/builtin-tools.ts'
import type { OnAccess } from '../sandbox/access/access.ts'
import type { Tracer } from '../sandbox/access/tracer.ts'
import { projectState } from '../sandbox/changes/layer.ts'
import { withHiddenStore } from '../sandbox/store-place.ts'
import type { Tool } from '../tool/tool.ts'
import { listingJudge } from '../trust/judge-file.ts'
import { Lock } from '../trust/lock/lock.ts'
import { SetAside } from '../trust/set-aside.ts'
import { TrustStore } from '../trust/trust-store.ts'
import { voucherOf } from '../trust/vouched.ts'
import { Crib } from './crib.ts'
import { holdServers } from './folder-servers.ts'
import { loadInference } from './load-inference.ts'
import { loadPieces } from './load-plugins.ts'
import { lockMemory } from './lock-memory.ts'
import type { Pieces, Plugin } from './plugin.ts'

export type { Crib } from './crib.ts'

export interface CribOptions {
  /** The crib's folder; default: the current one. */
  readonly root?: string
  /** Settings over those of files and environment, as `toolcrib.yaml` would write them. */
  readonly config?: GivenConfig
  /** Environment to read settings from; default: the process's. */
  readonly env?: NodeJS.ProcessEnv
  /** False reads and writes no cache under `.toolcrib/`. */
  readonly cache?: boolean
  /** Treat warnings about results as failures, in every call. */
  readonly strict?: boolean
  /** Refuse whatever differs from `toolcrib.lock`, tools that are not in it included. */
  readonly frozen?: boolean
  /** Formats, runtimes, checks, wrappers and exporters beside those that ship. */
  readonly use?: readonly Plugin[]
  /**
   * True counts everything the folder's own files ask for beyond the defaults, false only what the user accepted with
   * `toolcrib trust`; default: false, unless TOOLCRIB_TRUST_FOLDER=1.
   */
  readonly trustFolder?: boolean
  /** Watches what tools reach for, in place of the crib's own record of it. */
  readonly watch?: AccessWatch
}

/** Told of what tools reach for; with a tracer of files and programs too. */
export interface AccessWatch {
  readonly onAccess: OnAccess
  readonly tracer?: Tracer | undefined
}

/** What is opened before a crib is put together. */
export interface OpenedParts {
  readonly spaces: Spaces
  readonly loaded: LoadedConfig
  readonly pieces: Pieces
  readonly catalog: Catalog
  readonly trust: TrustStore
  readonly lock: Lock
  readonly folder: FolderTrust
  readonly setAside: SetAside
  readonly links: OutwardLinks
}

/**
 * Opens a crib: one checked catalog of every tool under `root`, ready to be called.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const outcome = await crib.call('utility/hello', { name: 'Ada' })
 */
export async function openCrib(options: CribOptions = {}): Promise<Crib> {
  const root = resolve(options.root ?? '.')
  const env = options.env ?? process.env
  const found = spacesOf(root, env)
  const folder = new FolderTrust(found, env, options.trustFolder)
  const spaces = adoptAcceptedState(found, env, folder)
  const importsOf = (file: string) => importedFiles(file, spaces.project)
  const read = await loadConfig({ spaces, env, overrides: options.config, trust: folder, importsOf })
  const loaded = withForeignState(withHiddenStore(read, spaces), spaces, folder)
  const pieces = await loadPieces({ loaded, use: options.use })
  const trust = new TrustStore(spaces)
  const lock = new Lock({
    spaces,
    frozen: options.frozen === true,
    memory: options.cache === false ? undefined : lockMemory(spaces),
  })
  if (lock.isActive) lock.inference = await loadInference(spaces, options.cache !== false)
  const links = new OutwardLinks(folder, root)
  const setAside = new SetAside(projectState('set-aside', root, spaces.userState), root)
  const settings = {
    config: loaded.config,
    configStamp: loaded.stamp,
    fault: loaded.fault,
    spaces,
    formats: pieces.formats,
    endings: pieces.endings,
    judge: listingJudge(trust, loaded.config.trust),
    setAside,
    links,
    version: `${build()} ${pieces.stamp}`,
    useCache: options.cache !== false,
    mark: (tools: readonly Tool[], stamp: string) =>
      lock.mark(setAside.mark(holdServers(tools, folder)), stamp),
    isVouched: (tool: Tool, tools: readonly Tool[]) =>
      voucherOf(tool, { trust, lock, folder, tools, spaces }) !== null,
  }
  const catalog = await Catalog.open(settings, builtinTools)
  const crib = new Crib(options, { spaces, loaded, pieces, catalog, trust, lock, folder, setAside, links })
  await crib.finishChanges()
  await crib.recallForeignTools()
  await crib.recallStoredTools()
  return crib
}
