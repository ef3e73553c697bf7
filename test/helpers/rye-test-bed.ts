// A temporary project with rye tools, and a way to call them through the runtimes alone: no catalog, no guards.
// The plan is made from the shipped runtime entries, as the format makes it.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { load } from 'js-yaml'
import { type Config, defaultConfig } from '../../src/config/config.ts'
import { type Spaces, spacesOf } from '../../src/config/spaces.ts'
import { runtimeNames } from '../../src/formats/rye/executors.ts'
import { runtimes } from '../../src/runtimes/registry.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../../src/runtimes/runtime.ts'
import type { Fence } from '../../src/sandbox/fence.ts'
import { openFence } from '../../src/sandbox/open-fence.ts'
import { closedProfile, type Profile } from '../../src/sandbox/profile.ts'
import { onAbort } from '../../src/tool/on-abort.ts'
import type { LogLine, Outcome, Progress } from '../../src/tool/outcome.ts'
import type { RyePlan } from '../../src/tool/plans/rye-plan.ts'
import { makeTool, type Tool } from '../../src/tool/tool.ts'
import { errorData, type ToolErrorData } from '../../src/tool/tool-error.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'

export interface Ran {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of many shapes
  readonly value?: any
  readonly error?: ToolErrorData
  readonly logs: readonly LogLine[]
  readonly progress: readonly Progress[]
  readonly meta: { readonly [key: string]: unknown }
}

export interface RunOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly strict?: boolean
  readonly profile?: Partial<Profile>
  readonly depth?: number
  readonly invoke?: (ref: string, args: unknown) => Promise<Outcome>
}

// biome-ignore lint/suspicious/noExplicitAny: runtime entries are read as they are written
type Loose = { readonly [key: string]: any }

export class RyeTestBed {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-')))
  readonly spaces: Spaces
  readonly supervisor = new Supervisor()
  readonly env: RuntimeEnv
  readonly #runtimes = new Map<string, Runtime>()

  constructor(options: { readonly config?: Partial<Config>; readonly fence?: Fence } = {}) {
    this.spaces = {
      ...spacesOf(this.dir),
      userAi: join(this.dir, '.home', '.ai'),
    }
    this.env = {
      config: { ...defaultConfig, ...options.config },
      spaces: this.spaces,
      supervisor: this.supervisor,
      fence: options.fence ?? openFence({ mode: 'off', project: this.dir }),
      isVouched: () => true,
    }
  }

  /** Writes a file of the project; its absolute path. */
  write(path: string, text: string, mode?: number): string {
    const file = join(this.dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, mode === undefined ? {} : { mode })
    return file
  }

  /** A tool on a shipped runtime entry, e.g. `python/function`, with its code file. */
  tool(
    runtime: string,
    file: string,
    given: Partial<RyePlan> & { readonly tool?: Partial<Tool> } = {},
  ): Tool {
    const runtimeFile = join(this.spaces.system, 'tools/rye/core/runtimes', `${runtime}.yaml`)
    const entry = load(readFileSync(runtimeFile, 'utf8')) as Loose
    return this.toolOn(entry, runtimeFile, file, given)
  }

  /** A tool on any runtime entry. */
  toolOn(
    entry: Loose,
    runtimeFile: string | null,
    file: string,
    given: Partial<RyePlan> & { readonly tool?: Partial<Tool> } = {},
  ): Tool {
    const { tool, config, ...rest } = given
    const { shell, ...entryConfig } = entry['config'] ?? {}
    const text = readFileSync(file, 'utf8')
    const isPython = file.endsWith('.py')
    const interpreter = entry['env_config']?.interpreter
    const anchor = entry['anchor']
    const primitive = String(entry['executor_id'] ?? 'subprocess')
      .split('/')
      .at(-1)!
    const plan: RyePlan = {
      primitive: primitive as RyePlan['primitive'],
      ai: join(this.dir, '.ai'),
      toolFile: file,
      codeFile: file,
      runtimeId: null,
      runtimeFile,
      entry: null,
      startsPrograms: false,
      entryName: null,
      mentions: {
        projectPath: text.includes(isPython ? '--project-path' : 'project-path'),
        params: text.includes('--params'),
      },
      // Only the command of a data file is shell text.
      config: { ...entryConfig, ...(rest.codeFile === null && shell ? { shell } : {}), ...config },
      timeouts: {},
      interpreter: interpreter
        ? {
            type: interpreter.type,
            var: interpreter.var,
            binary: interpreter.binary,
            candidates: interpreter.candidates,
            searchPaths: interpreter.search_paths,
            searchRoots: interpreter.search_roots,
            resolveCmd: interpreter.resolve_cmd,
            fallback: interpreter.fallback,
          }
        : null,
      env: { ...entry['env_config']?.env },
      anchor: anchor
        ? {
            mode: anchor.mode,
            markersAny: anchor.markers_any ?? [],
            root: anchor.root,
            lib: anchor.lib,
            cwd: anchor.cwd,
            envPaths: Object.fromEntries(
              Object.entries<Loose>(anchor.env_paths ?? {}).map(([name, paths]) => [
                name,
                { prepend: paths.prepend ?? [], append: paths.append ?? [] },
              ]),
            ),
          }
        : null,
      verifyDeps: null,
      server: null,
      configResolve: null,
      runtimeConfigResolve: null,
      declaredParams: [],
      ...rest,
    }
    return makeTool({
      id: 'test/tool',
      format: 'rye',
      tier: 'project',
      source: { file, digest: '' },
      runtime: { name: runtimeNames[plan.primitive], plan },
      ...tool,
    })
  }

  attempt(tool: Tool, params: unknown = {}, options: RunOptions = {}) {
    const logs: LogLine[] = []
    const progress: Progress[] = []
    const meta: { [key: string]: unknown } = {}
    const signal = options.signal ?? new AbortController().signal
    const attempt: Attempt = {
      tool,
      params,
      args: params,
      runId: 'run-1',
      signal,
      onStop: (listener) => onAbort(signal, listener),
      timeoutMs: options.timeoutMs ?? 20_000,
      profile: { ...closedProfile, ...options.profile },
      secrets: {},
      strict: options.strict ?? false,
      log: (level, message, data) =>
        void logs.push({ level, message, atMs: 0, ...(data === undefined ? {} : { data }) }),
      progress: (step) => void progress.push(step),
      meta: (facts) => void Object.assign(meta, facts),
      enforced: () => {},
      invoke: options.invoke ?? (() => Promise.reject(new Error('no other tools here'))),
      call: { depth: options.depth ?? 0 },
    }
    return { attempt, logs, progress, meta }
  }

  async run(tool: Tool, params: unknown = {}, options: RunOptions = {}): Promise<Ran> {
    const { attempt, ...rest } = this.attempt(tool, params, options)
    try {
      return { value: await (await this.runtime(tool)).run(attempt), ...rest }
    } catch (error) {
      return { error: errorData(error), ...rest }
    }
  }

  async plan(tool: Tool, params: unknown = {}): Promise<Loose> {
    return (await this.runtime(tool)).plan!(this.attempt(tool, params).attempt)
  }

  async runtime(tool: Tool): Promise<Runtime> {
    const { name } = tool.runtime!
    let runtime = this.#runtimes.get(name)
    if (!runtime) {
      const made = await runtimes.find((each) => each.name === name)!.open(this.env)
      runtime = this.#runtimes.get(name) ?? made
      this.#runtimes.set(name, runtime)
    }
    return runtime
  }

  async close(): Promise<void> {
    for (const runtime of this.#runtimes.values()) await runtime.close?.()
    await this.supervisor.close()
    rmSync(this.dir, { recursive: true, force: true })
  }
}
