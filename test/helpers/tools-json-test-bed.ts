// A project with skills for the tests of tools-json: writes files, loads them through the format, and runs tools
// through the command runtime with real processes, without the kernel around it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readSource } from '../../src/catalog/read-source.ts'
import { walk } from '../../src/catalog/walk.ts'
import { type Config, defaultConfig } from '../../src/config/config.ts'
import { type Spaces, spacesOf } from '../../src/config/spaces.ts'
import type { FormatEnv, Parsed, ScannedFolder } from '../../src/formats/format.ts'
import { formats } from '../../src/formats/registry.ts'
import type { SkillFacts } from '../../src/formats/tools-json/facts.ts'
import { toolsJson } from '../../src/formats/tools-json/index.ts'
import { normaliseArgs } from '../../src/formats/tools-json/normalise-args.ts'
import { commandRuntime } from '../../src/runtimes/command/command-runtime.ts'
import type { Attempt, PinnedBinary, RuntimeEnv } from '../../src/runtimes/runtime.ts'
import type { Fence } from '../../src/sandbox/fence.ts'
import { makeProfile } from '../../src/sandbox/make-profile.ts'
import { openFence } from '../../src/sandbox/open-fence.ts'
import type { Json } from '../../src/tool/json.ts'
import { onAbort } from '../../src/tool/on-abort.ts'
import type { Problem } from '../../src/tool/problem.ts'
import { validateParams } from '../../src/tool/schema/validate.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { errorData } from '../../src/tool/tool-error.ts'
import { ProtectedSet } from '../../src/trust/protected-set.ts'
import { Supervisor } from '../../src/workers/supervisor.ts'

/** Prints each argument and a NUL, so that any text comes back as it was. */
export const argvStub = '#!/bin/sh\nfor arg in "$@"; do printf \'%s\\0\' "$arg"; done\n'

export interface RunResult {
  readonly value?: unknown
  readonly error?: { readonly code: string; readonly message: string }
  readonly warnings: readonly string[]
  readonly logs: readonly string[]
  readonly meta: { readonly [key: string]: Json }
}

export interface Loaded extends Parsed {
  readonly skills: readonly SkillFacts[]
  /** Problems of skills and tools together. */
  readonly all: readonly Problem[]
}

export type Skills = Partial<Config['skills']>

export class ToolsJsonTestBed {
  readonly project: string
  readonly bin: string
  readonly supervisor = new Supervisor()
  readonly #root: string
  readonly #path = process.env['PATH']

  constructor() {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-bed-')))
    this.project = join(this.#root, 'project')
    this.bin = join(this.#root, 'bin')
    mkdirSync(this.project)
    mkdirSync(this.bin)
    process.env['PATH'] = `${this.bin}:${this.#path}`
  }

  async close(): Promise<void> {
    process.env['PATH'] = this.#path
    await this.supervisor.close()
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** A file of the project. */
  write(path: string, content: string | object): string {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    return file
  }

  /** A program on PATH. */
  program(name: string, script: string): string {
    const file = join(this.bin, name)
    writeFileSync(file, script)
    chmodSync(file, 0o755)
    return file
  }

  skill(id: string, descriptor?: object, front = `name: ${id}\ndescription: does ${id}`): void {
    this.write(`skills/${id}/SKILL.md`, `---\n${front}\n---\n\n# ${id}\n`)
    if (descriptor) this.write(`skills/${id}/tools.json`, descriptor)
  }

  get spaces(): Spaces {
    return spacesOf(this.project, { ...process.env, HOME: join(this.#root, 'home') })
  }

  config(skills: Skills = {}): Config {
    return { ...defaultConfig, skills: { ...defaultConfig.skills, ...skills } }
  }

  place(dir = this.project, over: Partial<ScannedFolder> = {}): ScannedFolder {
    return { dir, tier: 'project', order: 0, kind: 'crib', ai: '.ai/', files: walk(dir).files, ...over }
  }

  load(skills: Skills = {}, places: readonly ScannedFolder[] = [this.place()]): Loaded {
    const env: FormatEnv = { config: this.config(skills), spaces: this.spaces }
    const parsed = places
      .flatMap((place) => toolsJson.units(place, env))
      .map((unit) => toolsJson.parse(unit, (entry) => readSource(unit.scanned, entry), env))
    const linked = toolsJson.link!(
      parsed.flatMap((each) => each.tools),
      env,
      parsed.flatMap((each) => each.facts ?? []),
    )
    const problems = [...parsed.flatMap((each) => each.problems), ...linked.problems]
    return {
      ...linked,
      problems,
      skills: linked.facts as unknown as SkillFacts[],
      all: [...problems, ...linked.tools.flatMap((tool) => tool.problems)],
    }
  }

  /** As the kernel would: arguments normalised, defaults filled, validated, then run. */
  async run(tool: Tool, args: unknown, options: RunOptions = {}): Promise<RunResult> {
    const logs: { level: string; message: string }[] = []
    let meta: Record<string, Json> = {}
    const rest = () => ({
      logs: logs.map((line) => line.message),
      warnings: logs.filter((line) => line.level === 'warn').map((line) => line.message),
      meta,
    })
    try {
      const params = validateParams(tool.id, tool.params!, normaliseArgs(args, tool), true)
      const config = this.config(options.skills)
      const env: RuntimeEnv = {
        config,
        spaces: this.spaces,
        supervisor: this.supervisor,
        fence: options.fence ?? openFence({ mode: 'off', project: this.project }),
        ...(options.pin ? { pinnedBinary: options.pin } : {}),
      }
      const signal = options.signal ?? new AbortController().signal
      const attempt: Attempt = {
        tool,
        params,
        args,
        runId: 'run',
        signal,
        onStop: (listener) => onAbort(signal, listener),
        timeoutMs: 300_000,
        profile: makeProfile(tool, config.grants.default, {
          config,
          spaces: this.spaces,
          protectedSet: new ProtectedSet({ config, spaces: this.spaces, tools: [tool], formats }),
        }),
        secrets: {},
        strict: false,
        log: (level, message) => logs.push({ level, message }),
        progress: () => {},
        meta: (facts) => {
          meta = { ...meta, ...facts }
        },
        enforced: () => {},
        invoke: () => Promise.reject(new Error('not here')),
        call: {},
      }
      const runtime = commandRuntime(env)
      const value = options.dryRun ? await runtime.plan!(attempt) : await runtime.run(attempt)
      return { value, ...rest() }
    } catch (error) {
      return { error: errorData(error), ...rest() }
    }
  }
}

export interface RunOptions {
  readonly skills?: Skills
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  readonly fence?: Fence
  readonly pin?: (tool: Tool, binary: string) => PinnedBinary | undefined
}

/** What `argvStub` printed. */
export function argvOf(value: unknown): string[] {
  return typeof value === 'string' ? value.split('\0').slice(0, -1) : []
}
