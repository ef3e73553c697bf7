// Code skills, their middleware, inline code and delegates behind the fence: a warm Node worker for each principal and
// trust level, with the context carried over its channel (G13).
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closedProfile, type Profile } from '../../sandbox/profile.ts'
import { sha256 } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { uriOf } from '../../tool/tool-uri.ts'
import { defaultLogCaps } from '../../workers/call-log.ts'
import { describeExit } from '../../workers/exit.ts'
import { LogLines } from '../../workers/log-lines.ts'
import { WorkerPool } from '../../workers/pool.ts'
import type { CallEnd } from '../../workers/protocol.ts'
import { runCall } from '../../workers/run-call.ts'
import { Worker } from '../../workers/worker.ts'
import type { WorkerEnd } from '../../workers/worker-end.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { transpilerFolders } from '../rye/transpiler-folders.ts'
import { CarriedContext, type KnownErrors, type SkillContext } from './carried-context.ts'
import { packageEntry } from './module-hooks.ts'

/** What a skill that cannot be loaded is told as, in the words of the skill runtime. */
export interface LoadFaults {
  exportError(tool: Tool): ToolError
  loadError(tool: Tool, error: unknown): unknown
}

interface SkillCall {
  readonly context: SkillContext
  readonly principal?: Principal
  readonly depth?: number
}

/** The place of a skill's code: a file, or a `data:` address for inline code. */
interface Code {
  readonly address: string
  readonly folder: string | null
}

const roomyShare = 0.75
const stale = Symbol('stale')

export class FencedSkills {
  readonly #env: RuntimeEnv
  readonly #faults: LoadFaults
  readonly #pool = new WorkerPool<SkillWorker>({
    // `globals` is one object for all skills of a principal.
    workersPerKey: 1,
    startsAtOnce: 1,
    callsPerWorker: 10_000,
    idleMs: 60_000,
    maxWorkers: 32,
  })

  constructor(env: RuntimeEnv, faults: LoadFaults) {
    this.#env = env
    this.#faults = faults
  }

  async run(attempt: Attempt): Promise<unknown> {
    const calling = new Calling(attempt, this.#faults)
    for (let tries = 0; ; tries++) {
      const value = await this.#once(attempt, calling)
      if (value !== stale) return value
      if (tries === 3)
        throw new ToolError('TOOL_FAILED', `${attempt.tool.id} changes while it is called.`, {
          retryable: true,
        })
    }
  }

  /** What the module of a skill exports as its frontmatter, loaded by a process that may do nothing else. */
  async frontmatter(tool: Tool): Promise<unknown> {
    const profile = { ...closedProfile, memoryMb: this.#env.config.limits.memoryMb }
    const worker = await this.#pool.takeSingle(() => this.#start(profile, this.#readable(codeOf(tool))))
    const attempt = {
      signal: new AbortController().signal,
      onStop: () => () => {},
      timeoutMs: this.#env.config.limits.timeoutMs,
    }
    const nothing = { tool, profile, log: () => {}, progress: () => {} }
    const calling = new Calling(nothing, this.#faults)
    try {
      return await runCall<unknown>({
        worker,
        attempt,
        text: (id) => `{"t":"call","id":${id},${this.#describe(worker, tool, profile)},"load":true}`,
        listener: {
          line: () => {},
          progress: () => {},
          ask: async () => ({ ok: true }),
          waits: () => false,
        },
        read: (end) => calling.read(end, worker),
        strayError: (_, message) => new ToolError('LOAD_FAILED', message),
        readLost: (end) => {
          throw worker.child.verdict() ?? calling.lost(end, undefined)
        },
      })
    } finally {
      worker.retire()
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #once(attempt: Attempt, calling: Calling): Promise<unknown> {
    const { depth = 0, principal, context } = attempt.call as SkillCall
    const code = codeOf(attempt.tool)
    const read = this.#readable(code)
    const { name, owner } = principal ?? {}
    const { trust, tier } = attempt.tool
    const key = sha256(JSON.stringify([name, owner, trust.status, tier, attempt.profile, read]))
    const worker = await this.#pool.take({ key }, () => this.#start(attempt.profile, read), {
      signal: attempt.signal,
      isNested: depth > 0,
    })
    attempt.enforced(worker.enforcement)
    const carried = new CarriedContext(context, worker)
    return runCall<unknown>({
      worker,
      attempt,
      text: (id) => {
        const params = JSON.stringify(attempt.params)
        const described = this.#describe(worker, attempt.tool, attempt.profile)
        const given = params === undefined ? '' : `"params":${params},`
        return `{"t":"call","id":${id},${described},${given}"context":${carried.snapshot()}}`
      },
      listener: {
        line: (level, message) => attempt.log(level, message),
        print: (fd, chunk) => calling.print(fd, chunk),
        progress: (progress) => attempt.progress(progress),
        ask: (op, args) => carried.ask(op, args),
        // Each waits for other calls, and changes must be taken over in their order.
        waits: () => true,
      },
      read: (end) => {
        if (end.t === 'stale' || end.t === 'sealed') worker.retire()
        return end.t === 'stale' ? stale : calling.read(end, worker)
      },
      strayError: (_, message) => new ToolError('TOOL_FAILED', message),
      readLost: (end) => {
        throw worker.child.verdict() ?? calling.lost(end, carried.isWaiting ? worker.dropped : undefined)
      },
    })
  }

  /** A skill is described to a process once, with the seal its files must fit. */
  #describe(worker: SkillWorker, tool: Tool, { outputBytes }: Profile): string {
    const describe = JSON.stringify({
      file: codeOf(tool).address,
      skill: tool.id,
      src: uriOf(tool),
      package: packageEntry(),
      max: outputBytes,
    })
    const known = worker.described.get(describe)
    if (known !== undefined) return `"tool":${known}`
    const number = worker.described.size
    worker.described.set(describe, number)
    const seal = JSON.stringify(this.#env.sealOf?.(tool) ?? null)
    return `"tool":${number},"describe":${describe},"seal":${seal}`
  }

  /** What the process must read besides what its profile says: its code, the worker's and the package's. */
  #readable({ folder }: Code): readonly string[] {
    const program = this.#program()
    const entry = dirname(fileURLToPath(packageEntry()))
    return [...(folder === null ? [] : [folder]), dirname(program), ...transpilerFolders(program), entry]
  }

  #program(): string {
    return join(this.#env.spaces.system, 'tools/rye/core/runtimes/node/bootstrap/worker.mjs')
  }

  async #start(profile: Profile, read: readonly string[]): Promise<SkillWorker> {
    const spec = {
      file: process.execPath,
      args: [this.#program()],
      cwd: this.#env.spaces.project,
      env: baseEnvironment(this.#env.config.env.expose),
    }
    const fenced = this.#env.fence.wrap(spec, profile, { read: read.filter((path) => existsSync(path)) })
    const child = await this.#env.supervisor.start(fenced, { channel: true })
    const worker = new SkillWorker({
      child,
      enforcement: fenced.enforcement,
      maxMessageBytes: profile.outputBytes * 2 + 1_048_576,
      ...defaultLogCaps,
      hearsAbort: true,
    })
    worker.roomyBytes = profile.memoryMb * roomyShare * 1_048_576
    return worker
  }
}

/** Remembers what was thrown in it and what it was told of, so that both are the same thing again when they come back. */
class SkillWorker extends Worker implements KnownErrors {
  readonly #told = new Map<number, unknown>()
  readonly #thrown = new WeakMap<object, number>()
  #last = 0

  tell(error: unknown): number {
    this.#told.set(++this.#last, error)
    this.#told.delete(this.#last - maxErrors)
    return this.#last
  }

  ownOf(error: unknown): number | undefined {
    return typeof error === 'object' && error !== null ? this.#thrown.get(error) : undefined
  }

  /** What was thrown: what the host told it of before, or an error made here. */
  thrown({ message, type, ref, own }: Extract<CallEnd, { t: 'error' }>): unknown {
    if (ref !== undefined && this.#told.has(ref)) return this.#told.get(ref)
    const error = Object.assign(new Error(message), type === undefined ? {} : { name: type })
    if (own !== undefined) this.#thrown.set(error, own)
    return error
  }
}

const maxErrors = 1_000

/** What one call prints, and what its end comes to. */
class Calling {
  readonly #attempt: Pick<Attempt, 'tool' | 'profile' | 'log' | 'progress'>
  readonly #faults: LoadFaults
  readonly #outputs: readonly LogLines[]

  constructor(attempt: Pick<Attempt, 'tool' | 'profile' | 'log' | 'progress'>, faults: LoadFaults) {
    this.#attempt = attempt
    this.#faults = faults
    this.#outputs = [new LogLines(attempt, 'info'), new LogLines(attempt, 'info')]
  }

  print(fd: 1 | 2, chunk: Buffer): void {
    this.#outputs[fd - 1]!.take(chunk)
  }

  read(end: CallEnd, worker: SkillWorker): unknown {
    for (const output of this.#outputs) output.end()
    const { tool, profile } = this.#attempt
    switch (end.t) {
      case 'result':
        return end.isUndefined ? undefined : end.value
      case 'too-large':
        throw new ToolError(
          'OUTPUT_TOO_LARGE',
          `${tool.id} gave back more than ${profile.outputBytes} bytes.`,
          { hint: 'Return less, write the data to a file, or raise limits.outputBytes.' },
        )
      case 'sealed':
        throw new ToolError(
          'TRUST_TAMPERED',
          `${tool.id} did not run: ${end.file} is not what was checked before the call.`,
          { hint: `See \`toolcrib diff ${tool.id}\` and \`toolcrib verify ${tool.id}\`.` },
        )
      case 'error':
        if (end.type === 'EXPORT_INVALID') throw this.#faults.exportError(tool)
        if (end.type === 'LOAD_FAILED') throw this.#faults.loadError(tool, new Error(end.message))
        throw worker.thrown(end)
      default:
        throw new ToolError('TOOL_FAILED', `${tool.id} ended its call in a way that skills do not have.`)
    }
  }

  /** `dropped`: why the call it waited for was ended, and its process with it. */
  lost(end: WorkerEnd, dropped: ToolError | undefined): ToolError {
    for (const output of this.#outputs) output.end()
    const { tool, profile } = this.#attempt
    if (dropped) return dropped
    if (end.kind === 'memory')
      return new ToolError('MEMORY_LIMIT', `${tool.id} ran out of memory (${profile.memoryMb} MB).`, {
        hint: 'Give it more with limits.memoryMb, or let it work on less at once.',
      })
    if (end.kind === 'broken')
      return new ToolError('TOOL_FAILED', `${tool.id} misused the channel to its host (it ${end.detail}).`)
    const how = end.kind === 'disk' ? 'ended' : describeExit(end.exit)
    return new ToolError('TOOL_FAILED', `${tool.id}: its process ${how} during the call.`, {
      retryable: end.kind === 'signal',
    })
  }
}

function codeOf(tool: Tool): Code {
  const { code, file } = planOf(tool, 'skill')!
  if (code !== undefined)
    return { address: `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`, folder: null }
  return { address: file!, folder: dirname(file!) }
}
