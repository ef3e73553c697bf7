// Code skills, their middleware, inline code and delegates behind the fence: a warm Node worker for each principal and
// trust level, with the context carried over its channel (G13).
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInside } from '../../../files/is-inside.ts'
import type { WorkerLayer } from '../../../sandbox/changes/worker-layer.ts'
import { closedProfile, type Profile } from '../../../sandbox/profile.ts'
import { planOf } from '../../../tool/plans/runtime-plans.ts'
import { identityOf, type Principal } from '../../../tool/principal.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { uriOf } from '../../../tool/tool-uri.ts'
import { defaultLogCaps } from '../../../workers/call-log.ts'
import { beginOnLayer, handOver, isFresh, retireIfWritten } from '../../../workers/layered-call.ts'
import { WorkerPool } from '../../../workers/pool.ts'
import { runCall } from '../../../workers/run-call.ts'
import { baseEnvironment } from '../../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../../runtime.ts'
import { transpilerFolders } from '../../rye/transpiler-folders.ts'
import type { Context } from '../context.ts'
import type { Globals } from '../globals.ts'
import { packageEntry } from '../module-hooks.ts'
import { Calling, type LoadFaults } from './calling.ts'
import { CarriedCall, type CarriedParts } from './carried-call.ts'
import type { Packed } from './carrier.ts'
import { Hop } from './hop.ts'
import { type Progressing, SkillWorker } from './skill-worker.ts'

interface SkillCall {
  readonly context: Context
  readonly principal?: Principal
  readonly depth?: number
  readonly parent: Progressing | null
  readonly isOver: boolean
  readonly chain: readonly { readonly kind: string }[]
}

/** The place of a skill's code: a file, or a `data:` address for inline code. */
interface Code {
  readonly address: string
  readonly folder: string | null
}

interface Given {
  readonly attempt: Attempt
  readonly calling: Calling
  readonly context: Context
  readonly args: unknown
  /** What it gives back may come back to the same process as the same thing. */
  readonly isKept: boolean
  /** A function of the process, to be called in place of the tool's. */
  readonly fn?: Packed
  readonly hop?: Hop | undefined
}

const roomyShare = 0.75
const stale = Symbol('stale')

export class FencedSkills {
  readonly #env: RuntimeEnv
  readonly #faults: LoadFaults
  readonly #descriptions = new WeakMap<Tool, { readonly max: number; readonly text: string }>()
  readonly #package = packageEntry()
  readonly #sealed = new WeakMap<Tool, boolean>()
  readonly #profiles = new WeakMap<Profile, string>()
  readonly #pool = new WorkerPool<SkillWorker>({
    // One where it suffices: `globals` is one object per process. A process whose writes are held serves one run at a
    // time, so that runs side by side get one each.
    workersPerKey: 8,
    startsAtOnce: 1,
    nestsInOne: true,
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
    const hop = this.#hopOf(attempt)
    try {
      for (let tries = 0; ; tries++) {
        const value = await this.#once(attempt, calling, hop)
        if (value !== stale) return value
        if (tries === 3)
          throw new ToolError('TOOL_FAILED', `${attempt.tool.id} changes while it is called.`, {
            retryable: true,
          })
      }
    } finally {
      hop?.end()
    }
  }

  /** The middleware behind this one that may run in the same process, taken along. */
  #hopOf({ call, tool, profile }: Attempt): Hop | undefined {
    const followers = this.#env.followersOf?.(call)
    if (!followers) return undefined
    const { principal } = call as SkillCall
    const key = this.#keyOf(tool, profile, principal)
    const taken = followers.take(
      (one) =>
        one.profile !== null &&
        planOf(one.tool, 'skill') !== undefined &&
        !this.#faults.runsInHost(one.tool, principal) &&
        this.#keyOf(one.tool, one.profile, principal) === key,
    )
    return taken.length > 0 ? new Hop(followers, taken) : undefined
  }

  /** Everything that must be equal to share a process. */
  #keyOf(tool: Tool, profile: Profile, principal: Principal | undefined): string {
    const who = principal && identityOf(principal)
    const { trust, tier } = tool
    const sealed = this.#isSealed(tool) ? tool.id : null
    const parts = [who, trust.status, tier, sealed, this.#ownFolder(tool, profile)]
    return JSON.stringify(parts) + this.#textOf(profile)
  }

  /** A process holds what it imports to one seal, so a tool that has one shares it with no other. */
  #isSealed(tool: Tool): boolean {
    let isSealed = this.#sealed.get(tool)
    if (isSealed === undefined) {
      isSealed = (this.#env.sealOf?.(tool) ?? null) !== null
      this.#sealed.set(tool, isSealed)
    }
    return isSealed
  }

  /** What the module of a skill exports as its frontmatter, loaded by a process that may do nothing else. */
  async frontmatter(tool: Tool): Promise<unknown> {
    const profile = { ...closedProfile, memoryMb: this.#env.config.limits.memoryMb }
    const worker = await this.#pool.takeSingle(() => this.#start(profile, tool))
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

  async #once(attempt: Attempt, calling: Calling, hop: Hop | undefined): Promise<unknown> {
    const { depth = 0, principal, context } = attempt.call as SkillCall
    const { profile, tool, params } = attempt
    const key = `${attempt.changes?.lane ?? ''} ${this.#keyOf(tool, profile, principal)}`
    const taker = { signal: attempt.signal, isNested: depth > 0, root: rootOf(attempt) }
    const start = () => this.#start(profile, tool, attempt.changes?.workerLayer())
    let worker: SkillWorker
    do worker = await this.#pool.take({ key }, start, taker)
    while (worker.layer && !(await isFresh(worker)))
    beginOnLayer(worker, attempt.changes)
    attempt.enforced(worker.enforcement)
    try {
      return await this.#call(worker, {
        attempt,
        calling,
        context,
        args: params,
        isKept: isKept(attempt),
        hop,
      })
    } finally {
      await handOver(worker, attempt.changes)
    }
  }

  #call(worker: SkillWorker, given: Given): Promise<unknown> {
    const { attempt, calling, context, args, isKept, fn, hop } = given
    const { carrier, contexts } = worker
    if (fn) worker.claimed++
    const parts: Omit<CarriedParts, 'context'> = {
      carrier,
      told: contexts,
      callFunction: (packed, at, value) =>
        this.#call(worker, {
          attempt,
          isKept,
          calling: new Calling(attempt, this.#faults),
          context: at,
          args: value,
          fn: packed,
        }),
    }
    const carried = new CarriedCall({ ...parts, context })
    return runCall<unknown>({
      worker,
      attempt,
      text: (id) => {
        const forget = worker.begin(rootOf(attempt))
        const texts = JSON.stringify(carried.texts()).slice(1)
        const news = forget + worker.news(context.globals as Globals)
        const described = this.#describe(worker, attempt.tool, attempt.profile)
        const group = hop ? `"followers":[${this.#followerTexts(worker, hop).join(',')}],` : ''
        const params = args === context.args ? '' : `"params":${JSON.stringify(carrier.pack(args, 'args'))},`
        const call = fn ? `"fn":${JSON.stringify(fn)},` : ''
        return `{"t":"call","id":${id},${news}${described},${call}${params}${group}"keep":${isKept},${texts}`
      },
      listener: {
        line: (level, message) => attempt.log(level, message),
        print: (fd, chunk) => calling.print(fd, chunk),
        progress: (progress) => attempt.progress(progress),
        ask: (op, asked) =>
          hop && (op === 'give-back' || op.includes('/'))
            ? hop.ask(op, asked, parts)
            : carried.ask(op, asked),
        // Each waits for other calls, and changes must be taken over in their order.
        waits: () => true,
      },
      read: (end) => {
        retireIfWritten(worker)
        // Node remembers a failed import for good; the next try gets a process of its own.
        const isSpoilt = end.t === 'error' && end.type === 'LOAD_FAILED'
        if (end.t === 'stale' || end.t === 'sealed' || isSpoilt) worker.retire()
        if ((end.t === 'result' || end.t === 'error') && end.changes != null)
          carried.changed(JSON.parse(end.changes))
        if ((end.t === 'result' || end.t === 'error') && end.group != null) hop?.take(end.group, carrier)
        return end.t === 'stale' ? stale : calling.read(end, worker)
      },
      strayError: (_, message) => new ToolError('TOOL_FAILED', message),
      readLost: (end) => {
        throw (
          worker.child.verdict() ??
          calling.lost(end, carried.isWaiting || hop?.isWaiting ? worker.dropped : undefined)
        )
      },
    })
  }

  #followerTexts(worker: SkillWorker, { taken }: Hop): string[] {
    return taken.map(({ tool, profile, context }) => {
      const text = worker.contexts.followerText(context as Context)
      return `{${this.#describe(worker, tool, profile!)},"own":${JSON.stringify(text)}}`
    })
  }

  /** A skill is described to a process once, with the seal its files must fit. */
  #describe(worker: SkillWorker, tool: Tool, { outputBytes }: Profile): string {
    const describe = this.#descriptionOf(tool, outputBytes)
    const known = worker.described.get(describe)
    if (known !== undefined) return `"tool":${known}`
    const number = worker.described.size
    worker.described.set(describe, number)
    const seal = JSON.stringify(this.#env.sealOf?.(tool) ?? null)
    return `"tool":${number},"describe":${describe},"seal":${seal}`
  }

  #descriptionOf(tool: Tool, max: number): string {
    const known = this.#descriptions.get(tool)
    if (known?.max === max) return known.text
    const about = {
      file: codeOf(tool).address,
      skill: tool.id,
      src: uriOf(tool),
      package: this.#package,
      max,
    }
    const text = JSON.stringify(about)
    this.#descriptions.set(tool, { max, text })
    return text
  }

  /** The folder of a skill's code where its profile does not show it: skills that need no such share a process. */
  #ownFolder(tool: Tool, profile: Profile): string | null {
    const { folder } = codeOf(tool)
    return folder === null || profile.read.some((area) => isInside(folder, area)) ? null : folder
  }

  #textOf(profile: Profile): string {
    let text = this.#profiles.get(profile)
    if (text === undefined) {
      text = JSON.stringify(profile)
      this.#profiles.set(profile, text)
    }
    return text
  }

  /** What the process must read besides what its profile says: its code, the worker's and the package's. */
  #readable(own: string | null): readonly string[] {
    const program = this.#program()
    const entry = dirname(fileURLToPath(this.#package))
    const all = [...(own === null ? [] : [own]), dirname(program), ...transpilerFolders(program), entry]
    return all.filter((path) => existsSync(path))
  }

  #program(): string {
    return join(this.#env.spaces.system, 'tools/rye/core/runtimes/node/bootstrap/worker.mjs')
  }

  async #start(profile: Profile, tool: Tool, holding?: WorkerLayer): Promise<SkillWorker> {
    const spec = {
      file: process.execPath,
      args: [this.#program()],
      cwd: this.#env.spaces.project,
      env: baseEnvironment(this.#env.config.env.expose),
    }
    const fenced = this.#env.fence.wrap(spec, profile, {
      tool: tool.id,
      read: this.#readable(this.#ownFolder(tool, profile)),
      holding,
    })
    const child = await this.#env.supervisor.start(fenced, { channel: true })
    const worker = new SkillWorker({
      child,
      enforcement: fenced.enforcement,
      maxMessageBytes: profile.outputBytes * 2 + 1_048_576,
      ...defaultLogCaps,
      hearsAbort: true,
      // One run at a time where it may write: whose a change is must be known.
      maxCalls: fenced.layer ? 1 : undefined,
    })
    worker.layer = fenced.layer && holding
    worker.layer?.connect(child.control)
    worker.carrier.mostChars = profile.outputBytes + 1_048_576
    void worker.ended.then(() => worker.carrier.forget())
    worker.roomyBytes = profile.memoryMb * roomyShare * 1_048_576
    return worker
  }
}

function rootOf({ call }: Attempt): Progressing {
  let root: Progressing = call as SkillCall
  while (root.parent) root = root.parent
  return root
}

function isKept({ call }: Attempt): boolean {
  const { parent, chain } = call as SkillCall
  return parent !== null || chain.some((entry) => entry.kind === 'middleware' || entry.kind === 'hook')
}

function codeOf(tool: Tool): Code {
  const { code, file } = planOf(tool, 'skill')!
  if (code !== undefined)
    return { address: `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`, folder: null }
  return { address: file!, folder: dirname(file!) }
}
