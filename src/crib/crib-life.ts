// How does a crib live? When its files are read again, what starts with it, what stops its calls, how it is closed.

import { join } from 'node:path'
import type { Engines } from '../automation/engines.ts'
import type { OwnRequests } from '../automation/own-requests.ts'
import { spotsOf } from '../catalog/scanned-folders.ts'
import { loadConfig } from '../config/load-config.ts'
import { importedFiles } from '../formats/imported-files.ts'
import { haltedError } from '../guards/checks/halted.ts'
import type { CallOptions } from '../kernel/call.ts'
import type { Discovered } from '../runtimes/mcp/definitions.ts'
import type { DiscoverOptions } from '../runtimes/mcp/foreign-tools.ts'
import type { Watch } from '../runtimes/mcp/watch-resource.ts'
import { withHiddenStore } from '../sandbox/store-place.ts'
import { failureOf } from '../tool/failure-of.ts'
import type { HaltState } from '../tool/halt-state.ts'
import type { JsonObject } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import type { Principal } from '../tool/principal.ts'
import { saidWithPlace } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { errorData, ToolError } from '../tool/tool-error.ts'
import { CribCore, plainTraits } from './crib-core.ts'
import type { ServerSaid } from './foreign-servers.ts'
import type { StartOptions } from './open-breadcrumbs.ts'
import type { CribOptions, OpenedParts } from './open-crib.ts'
import { mustBeInSight } from './tool-in-sight.ts'

export abstract class CribLife extends CribCore {
  #closing: Promise<void> | undefined
  /** Whether every request of the store is taken here. */
  #servesRequests = false
  #ownRequests: Promise<OwnRequests> | undefined

  constructor(options: CribOptions, parts: OpenedParts) {
    super(options, parts)
    this.halt.on('changed', (state) => this.#haltChanged(state))
  }

  /** Finishes or takes back file changes that a process which died had not put in place to the end (E11). */
  async finishChanges(): Promise<void> {
    try {
      for (const { run, state } of await this.changed.recover())
        this.note(
          'warn',
          `The file changes of run ${run} were ${state === 'carried-through' ? 'put in place' : 'taken back'}: its process had died.`,
        )
    } catch (error) {
      this.note('error', errorData(error).message)
    }
  }

  /** Takes the tools of foreign MCP servers that an earlier run heard of; contacts nobody. */
  async recallForeignTools(): Promise<void> {
    if (this.foreign.servers.length > 0 || this.loaded.folderGrants.length > 0) await this.protection.load()
    await this.foreign.recall()
  }

  /** Takes the tools that live in the store; a store that cannot be read is told and hides no other tool. */
  async recallStoredTools(): Promise<void> {
    try {
      await this.crumbs.storedTools.recall()
    } catch (error) {
      this.note('error', error instanceof Error ? error.message : String(error))
    }
  }

  /**
   * Asks foreign MCP servers for their tools, those that were not asked lately. A server that cannot be reached
   * is a problem of the crib, not an error here.
   */
  async discover(options?: DiscoverOptions): Promise<void> {
    if (!this.loaded.fault) await this.foreign.discover(options)
  }

  /** What a server that is not in the crib offers; it runs fenced and is not taken in. */
  async tryServer(server: Tool): Promise<Discovered> {
    await this.protection.load()
    return this.foreign.tryOut(server)
  }

  /** Which values an argument of a foreign server's prompt or resource can have; the server says. */
  complete(tool: Tool, params: object, as: Principal, signal: AbortSignal): Promise<JsonObject> {
    return this.foreign.complete(tool, params, as, signal)
  }

  /** Tells the foreign servers that a client's calls reach that its folders changed; `ask` gives them. */
  rootsChanged(as: Principal, ask: () => Promise<unknown>): Promise<void> {
    return this.foreign.rootsChanged(as, ask)
  }

  /** Tells what foreign servers log aside from a call, on the connections of a principal's calls; gives back how to stop. */
  followServerLogs(as: Principal, tell: (said: ServerSaid) => void): () => void {
    return this.foreign.followLogs(as, tell)
  }

  /**
   * Tells when a foreign server's resource changes; gives back how to stop. `resource` gives it as it is now, whenever
   * its server is connected to, and asks the checks.
   */
  watchResource(
    resource: () => Promise<Tool>,
    watch: Pick<Watch, 'uri' | 'onUpdated'>,
    as: Principal,
    signal: AbortSignal,
  ): Promise<() => void> {
    return this.foreign.watch(resource, watch, as, signal)
  }

  /** Starts what reacts to breadcrumbs and time: requests, subscriptions, schedules, bootstrap. */
  async startEngines(options: Omit<StartOptions, 'invoke' | 'mustBeInSight'> = {}): Promise<Engines> {
    this.#refuseUnfit()
    await this.#followHalt()
    const engines = await this.crumbs.start({ ...options, ...this.#engineOptions() })
    this.#servesRequests = true
    this.catalog.on('changed', () => {
      engines.toolsChanged()
      this.crumbs.filesChanged().catch((error: Error) => this.note('error', error.message))
    })
    return engines
  }

  /** Has this process run a request of the store, unless it runs all of them anyway. */
  async runRequest(id: string): Promise<void> {
    if (this.#servesRequests) return
    this.#ownRequests ??= this.#startOwn()
    const own = await this.#ownRequests
    own.add(id)
  }

  async #startOwn(): Promise<OwnRequests> {
    try {
      this.#refuseUnfit()
      await this.#followHalt()
      return await this.crumbs.startOwn(this.#engineOptions())
    } catch (error) {
      // A store that is away may be back when it is asked for again.
      this.#ownRequests = undefined
      throw error
    }
  }

  #engineOptions(): Pick<StartOptions, 'invoke' | 'mustBeInSight' | 'isHalted'> {
    return {
      invoke: (ref, args, given) =>
        this.#invokeOnceLifted(ref, args, this.callOptions({ ...given, ...this.requestOptions?.(given) })),
      // Asked for with the request: who is offered a tool is loaded with what calls.
      mustBeInSight: (tool, request) => {
        const { offers, crumbs, resolver } = this
        return mustBeInSight({ resolve: resolver.resolve, offers, crumbs }, tool, request)
      },
      isHalted: () => this.halt.state.halted,
    }
  }

  /** Work of events waits while the crib is halted, and what was stopped begins again afterwards. */
  async #invokeOnceLifted(ref: string, args: unknown, options: CallOptions): Promise<Outcome> {
    for (;;) {
      await this.halt.lifted(options.signal)
      if (options.signal?.aborted) return failureOf(new ToolError('CANCELLED', 'The crib is closing.'))
      const outcome = await this.#invoke(ref, args, options)
      if (outcome.ok || outcome.error.code !== 'HALTED') return outcome
    }
  }

  async #invoke(ref: string, args: unknown, options: CallOptions): Promise<Outcome> {
    try {
      await this.ready()
    } catch (error) {
      return failureOf(error)
    }
    return this.kernel.invoke(ref, args, options)
  }

  #haltChanged({ halted, since, by }: HaltState): void {
    this.note(
      this.watcher ? 'warn' : 'info',
      halted ? 'The crib is halted: everything is stopped.' : 'The crib goes on.',
    )
    if (!halted) return
    for (const call of this.running) call.abort(haltedError(since, by))
    this.supervisor.endAll().catch((error: Error) => this.note('error', error.message))
    this.foreign.disconnect().catch((error: Error) => this.note('error', error.message))
  }

  /** Reads changed files and settings again. */
  async reload(): Promise<void> {
    const overrides = this.options.config
    const { spaces, env, folder: trust } = this
    const importsOf = (file: string) => importedFiles(file, spaces.project)
    const read = await loadConfig({ spaces, env, overrides, trust, importsOf })
    this.loaded = withHiddenStore(read, this.spaces)
    const { config, stamp, fault } = this.loaded
    this.globals.config = config
    await this.catalog.reload({ config, configStamp: stamp, fault })
    await this.recallForeignTools()
    if (this.watcher) this.discover().catch((error: Error) => this.note('error', error.message))
    this.recompose()
  }

  /** Follows the files: a change is read within a moment and announced as `tool-changed`. */
  async watch(): Promise<void> {
    if (this.watcher) return
    const { FolderWatch } = await import('../catalog/watch-folders.ts')
    const { project, userConfig } = this.spaces
    this.watcher = new FolderWatch({
      roots: [project, ...spotsOf(this.config, this.spaces).map(({ dir }) => dir)],
      files: [join(userConfig, 'config.yaml'), join(project, 'toolcrib.yaml')],
      folders: () => this.catalog.folders,
      onChange: async (paths) => {
        await this.reload()
        if (paths.length > 0) this.emit('files-changed', paths)
      },
      onFault: (message) => this.note('warn', message),
    })
    await this.foreign.follow()
    this.crumbs.storedTools.follow()
  }

  /** Ends watchers, workers and every process that was started. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #close(): Promise<void> {
    await this.watcher?.close()
    this.halt.close()
    await this.crumbs.stop()
    for (const call of this.running) call.abort(new ToolError('CANCELLED', 'The crib was closed.'))
    await this.runtimes.close()
    await this.logins.close()
    await this.supervisor.close()
    await this.accesses.flush()
    await this.crumbs.close()
    await this.changed.close()
    this.openedFence?.close()
  }

  /** Settings that protect the user are unknown while their file is broken, so nothing runs. */
  #refuseUnfit(): void {
    const { fault } = this.loaded
    if (fault) throw new ToolError('CONFIG_INVALID', saidWithPlace(fault), { hint: fault.hint })
    if (this.#closing) throw new ToolError('CANCELLED', 'The crib is closed.')
  }

  /** Before anything is called or asked of a tool. */
  protected ready(): undefined | Promise<void> {
    this.#refuseUnfit()
    if (this.crumbs.runs.isBehind || !this.traits) return this.#catchUp()
    if (this.lock.isOutdated) this.catalog.markAgain()
    return undefined
  }

  async #catchUp(): Promise<void> {
    if (this.lock.isOutdated) this.catalog.markAgain()
    // A program that calls in a tight loop would never let the record be written.
    if (this.crumbs.runs.isBehind) await this.crumbs.runs.catchUp()
    if (!this.traits) await this.#followHalt()
    this.traits ??= new Map(
      (await this.protection.load()).map((format) => [format.name, format.traits ?? plainTraits]),
    )
  }

  async #followHalt(): Promise<void> {
    this.halt.follow()
    await this.halt.look()
  }
}
