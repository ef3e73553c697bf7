// A function tool called in a warm worker: the fast way. What does not change between calls of a tool (its
// descriptor, environment, working folder, worker key) is worked out once and kept for a moment.
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { findOnPath } from '../../config/find-on-path.ts'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { Caller } from '../../tool/caller.ts'
import { coversCapability } from '../../tool/capability.ts'
import { type Json, sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import { LogLines } from '../log-lines.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { stopped, timeoutError } from '../supervisor/run-to-end.ts'
import { entryFlags } from './build-command.ts'
import type { Interpreters } from './interpreter.ts'
import { besideRuntime } from './layout.ts'
import { tooLarge } from './run-process.ts'
import { judgeResult, readPrinted, wrapReturned } from './rye-result.ts'
import {
  childEnvironment,
  finalParams,
  ownFiles,
  planOf,
  type Setting,
  settingOf,
  workingFolder,
} from './setting.ts'
import { expand, placeholdersOf, textOf } from './template.ts'
import { type CallEnd, type CallHandlers, Worker } from './worker.ts'
import type { WorkerPool } from './worker-pool.ts'

const { signals } = constants

/** The part of the kernel's call that decides which worker serves it. */
interface KernelCall {
  readonly depth?: number
  readonly caller?: Caller
}

/** How long what was found on disk for a tool (interpreter, anchor, variables) is taken as still true. */
const keepMs = 1_000

interface Prepared {
  readonly spec: SpawnSpec
  readonly read: readonly string[]
  /** Key of the workers that can serve the tool, without the profile. */
  readonly key: string
  /** What the worker must know about the tool, as JSON. */
  readonly tool: string
  readonly wantsArgv: boolean
  readonly wantsSetting: boolean
  readonly until: number
  /** The whole key of the last call: it is long, and nearly always the next one's too. */
  lane?: { readonly profile: Profile; readonly name: string; readonly key: string }
}

export class FunctionCalls {
  readonly #env: RuntimeEnv
  readonly #interpreters: Interpreters
  readonly #pool: WorkerPool
  #prepared = new WeakMap<Tool, Prepared>()
  #profileKeys = new WeakMap<Profile, string>()

  constructor(env: RuntimeEnv, interpreters: Interpreters, pool: WorkerPool) {
    this.#env = env
    this.#interpreters = interpreters
    this.#pool = pool
  }

  async run(attempt: Attempt): Promise<unknown> {
    let prepared = this.#prepared.get(attempt.tool)
    let setting: Setting | undefined
    if (!prepared || prepared.until < Date.now() || prepared.wantsSetting) {
      setting = await settingOf(attempt, this.#env, this.#interpreters)
      prepared = prepare(attempt, setting, this.#env)
      this.#prepared.set(attempt.tool, prepared)
    }
    const message = messageOf(attempt, prepared, setting, this.#env)
    const calling = new Calling(attempt)
    for (let tries = 0; ; tries++) {
      const end = await this.#once(attempt, prepared, message, calling)
      if (end.kind === 'reply' && end.reply.stale && tries < 3) continue
      return calling.judge(end)
    }
  }

  /** The process a call would be made in. */
  async plan(attempt: Attempt): Promise<{ readonly [key: string]: Json }> {
    const setting = await settingOf(attempt, this.#env, this.#interpreters)
    const { spec } = prepare(attempt, setting, this.#env)
    return {
      binary: textOf(setting.plan.config['command'] ?? null),
      resolvedBinary: spec.file,
      argv: [...spec.args],
      cwd: spec.cwd,
      env: Object.keys(spec.env).sort(),
      entry: setting.plan.entryName,
      file: setting.layout.toolPath,
      worker: true,
    }
  }

  async #once(attempt: Attempt, prepared: Prepared, message: string, calling: Calling): Promise<CallEnd> {
    const { depth = 0, caller } = (attempt.call ?? {}) as KernelCall
    const key = this.#laneKey(prepared, attempt.profile, caller?.name ?? '')
    const start = () => this.#start(attempt, prepared)
    const worker = await this.#pool.take(key, start, attempt, depth > 0).catch((error: unknown) => {
      throw attempt.signal.aborted ? stopped(attempt.signal, attempt.timeoutMs) : error
    })
    attempt.enforced(worker.enforcement)
    let isReusable = false
    try {
      const seal = () => this.#env.sealOf?.(attempt.tool) ?? null
      const end = await interruptible(attempt, worker.call(prepared.tool, seal, message, calling))
      const verdict = end.kind === 'exit' ? worker.child.verdict() : undefined
      if (verdict) throw verdict
      isReusable = end.kind === 'reply' && !end.reply.stale && !end.reply.retire && !end.reply.sealed
      return end
    } finally {
      this.#pool.give(key, worker, isReusable)
    }
  }

  async #start(attempt: Attempt, prepared: Prepared): Promise<Worker> {
    const secrets = secretVariables(attempt, this.#env.config).proxied
    const fenced = this.#env.fence.wrap(prepared.spec, attempt.profile, { read: prepared.read, secrets })
    const child = await this.#env.supervisor.start(fenced, { channel: true })
    return new Worker(child, fenced.enforcement, attempt.profile.outputBytes * 2 + 1_048_576)
  }

  /** What one caller or one tool left behind in a process is never met by another. */
  #laneKey(prepared: Prepared, profile: Profile, name: string): string {
    if (prepared.lane?.profile !== profile || prepared.lane.name !== name) {
      const key = sha256(`${prepared.key}${this.#profileKey(profile)}${name}`)
      prepared.lane = { profile, name, key }
    }
    return prepared.lane.key
  }

  #profileKey(profile: Profile): string {
    let key = this.#profileKeys.get(profile)
    if (key === undefined) {
      key = JSON.stringify(profile)
      this.#profileKeys.set(profile, key)
    }
    return key
  }
}

/** Waits for the end of a call, or for its time or its caller to run out. */
async function interruptible(attempt: Attempt, end: Promise<CallEnd>): Promise<CallEnd> {
  const { timeoutMs } = attempt
  let timer: NodeJS.Timeout | undefined
  let forget: (() => void) | undefined
  try {
    return await new Promise<CallEnd>((resolve, reject) => {
      timer = setTimeout(() => reject(timeoutError(timeoutMs)), Math.min(timeoutMs, 2_147_483_647))
      forget = attempt.onStop(() => reject(stopped(attempt.signal, timeoutMs)))
      end.then(resolve)
    })
  } finally {
    clearTimeout(timer)
    forget?.()
  }
}

/** The output and the end of one call. */
class Calling implements CallHandlers {
  readonly #attempt: Attempt
  readonly #printed: Buffer[] = []
  #printedBytes = 0
  #out: LogLines | undefined
  #err: LogLines | undefined

  constructor(attempt: Attempt) {
    this.#attempt = attempt
  }

  onStdout = (chunk: Buffer): void => {
    if (this.#printedBytes <= this.#attempt.profile.outputBytes) this.#printed.push(chunk)
    this.#printedBytes += chunk.length
    this.#out ??= new LogLines(this.#attempt, 'info')
    this.#out.take(chunk)
  }

  onStderr = (chunk: Buffer): void => {
    this.#err ??= new LogLines(this.#attempt, 'info')
    this.#err.take(chunk)
  }

  onCall = async (ref: string, params: unknown, isDetached: boolean): Promise<unknown> => {
    const { profile, tool } = this.#attempt
    const id = ref.replace(/^tool:/, '')
    const needed = [
      `rye.execute.tool.${id.replaceAll('/', '.')}`,
      ...(isDetached ? ['rye.execute.spawn.thread'] : []),
    ]
    const missing = needed.find((need) => !profile.calls.some((granted) => coversCapability(granted, need)))
    if (missing !== undefined) {
      const error = new ToolError(
        'CAPABILITY_DENIED',
        `${tool.id} may not call ${id}: it has no ${missing}.`,
        {
          hint: `Add ${missing} (or rye.execute) to requires of ${tool.id} and to its grants in toolcrib.yaml.`,
        },
      )
      return { ok: false, error: errorData(error) }
    }
    const outcome = this.#attempt.invoke(ref, params)
    if (!isDetached) return outcome.catch((error: unknown) => ({ ok: false, error: errorData(error) }))
    // Its outcome is in the run record; nobody waits for it here.
    outcome.catch(() => {})
    return { ok: true, value: null }
  }

  judge(end: CallEnd): unknown {
    this.#out?.end()
    this.#err?.end()
    const attempt = this.#attempt
    const entry = planOf(attempt).entryName ?? 'execute'
    if (end.kind === 'flood') throw tooLarge(attempt)
    if (end.kind === 'garbage') {
      throw new ToolError(
        'TOOL_FAILED',
        `${attempt.tool.id} wrote to the channel its worker uses to answer.`,
        {
          hint: 'Print to standard output, and leave file descriptors alone that the tool did not open.',
        },
      )
    }
    if (end.kind === 'exit') return this.#judgeExit(end.exit.code, end.exit.signal ?? signalOf(end.exit.code))
    const { reply } = end
    if (reply.size !== undefined) throw tooLarge(attempt)
    if (reply.sealed !== undefined) throw changedMeanwhile(attempt.tool, reply.sealed)
    if (reply.error) throw this.#failure(reply.error)
    if (reply.exit !== undefined) return this.#judgeExit(reply.exit, null, reply.message)
    if (reply.none) return this.#judgePrinted()
    return judgeResult(wrapReturned(reply.value, entry, attempt), attempt)
  }

  #judgePrinted(): unknown {
    if (this.#printedBytes > this.#attempt.profile.outputBytes) throw tooLarge(this.#attempt)
    return judgeResult(readPrinted(Buffer.concat(this.#printed).toString('utf8')).result, this.#attempt)
  }

  #judgeExit(exitCode: number | null, signal: string | null, message = ''): unknown {
    const attempt = this.#attempt
    attempt.meta(signal ? { signal } : { exit_code: exitCode })
    if (exitCode === 0 && this.#printedBytes > 0) return this.#judgePrinted()
    const how = signal ? `was ended by ${signal}` : `exited with code ${exitCode}`
    const said = message || this.#err?.tail.trim().slice(-2_000)
    throw new ToolError('TOOL_FAILED', said || `${attempt.tool.id}: its process ${how} during the call.`, {
      hint: `The process ${how} before the function returned.`,
      details: signal ? { signal } : { exit_code: exitCode },
      retryable: signal !== null,
    })
  }

  #failure(error: { readonly type: string; readonly message: string; readonly trace: string }): ToolError {
    const attempt = this.#attempt
    if (error.trace) attempt.log('error', error.trace.trimEnd())
    if (error.type === 'MemoryError') {
      return new ToolError(
        'MEMORY_LIMIT',
        `${attempt.tool.id} ran out of memory (${attempt.profile.memoryMb} MB).`,
        {
          hint: 'Give it more with limits.memoryMb, or let it work on less at once.',
        },
      )
    }
    return new ToolError('TOOL_FAILED', error.message ? `${error.type}: ${error.message}` : error.type, {
      details: { type: error.type, message: error.message },
    })
  }
}

function changedMeanwhile(tool: Tool, file: string): ToolError {
  return new ToolError(
    'TRUST_TAMPERED',
    `${tool.id} did not run: ${file} is not what was checked before the call.`,
    { hint: `See \`toolcrib diff ${tool.id}\` and \`toolcrib verify ${tool.id}\`.`, details: { file } },
  )
}

function prepare(attempt: Attempt, setting: Setting, env: RuntimeEnv): Prepared {
  const { plan, layout } = setting
  const still = { ...setting, scope: { ...setting.scope, params: null } }
  const dynamic = Object.entries(plan.env).filter(([, template]) => usesParams(template, setting))
  const fixedEnv = Object.fromEntries(
    Object.entries(plan.env).filter(([, template]) => !usesParams(template, setting)),
  )
  const variables = {
    ...childEnvironment({ ...still, plan: { ...plan, env: fixedEnv } }, env),
    ...secretVariables(attempt, env.config).env,
  }
  const cwdMoves = typeof plan.config['cwd'] === 'string' && usesParams(plan.config['cwd'], setting)
  const command = textOf(expand(plan.config['command'] ?? '', still.scope, { key: 'command' }).value)
  const file = findOnPath(command, variables['PATH']) ?? setting.interpreter
  if (!file) {
    throw new ToolError('RUNTIME_MISSING', `The interpreter ${JSON.stringify(command)} was not found.`, {
      hint: 'Install it, or correct config.command of the runtime.',
    })
  }
  const worker = besideRuntime(plan, String(plan.config['worker']))
  const spec: SpawnSpec = {
    file,
    args: [worker],
    cwd: cwdMoves ? env.spaces.project : workingFolder(still, env),
    env: variables,
  }
  const anchor = layout.isAnchored ? layout.anchorPath : layout.toolDir
  const tool = {
    file: layout.toolPath,
    entry: plan.entryName ?? 'execute',
    project: env.spaces.project,
    // Helpers are found in the tool's folder, after everything the interpreter itself knows.
    path: [...(layout.isAnchored ? [] : [layout.toolDir]), layout.names['runtime_lib']!].filter(Boolean),
    roots: [anchor, layout.toolDir, env.spaces.project],
    drop: plan.configResolve ? ['resolved_config'] : [],
    max: attempt.profile.outputBytes,
  }
  const wantsArgv = plan.config['flags'] === 'params' && mentionsArgv(layout.toolPath)
  return {
    spec,
    read: ownFiles(setting, env),
    key: JSON.stringify([
      spec,
      anchor,
      attempt.tool.tier,
      attempt.tool.tier === 'system' ? '' : attempt.tool.id,
    ]),
    tool: JSON.stringify(tool),
    wantsArgv,
    wantsSetting: wantsArgv || dynamic.length > 0 || cwdMoves,
    until: Date.now() + keepMs,
  }
}

/** The members of a message that differ from call to call. */
function messageOf(
  attempt: Attempt,
  prepared: Prepared,
  setting: Setting | undefined,
  env: RuntimeEnv,
): string {
  const params = JSON.stringify(setting?.params ?? finalParams(attempt.params, planOf(attempt).config))
  if (!prepared.wantsSetting || !setting) return `"params":${params}}\n`
  const own: Record<string, string> = {}
  const all = { ...childEnvironment(setting, env), ...secretVariables(attempt, env.config).env }
  for (const [name, value] of Object.entries(all)) if (prepared.spec.env[name] !== value) own[name] = value
  const extra = {
    env: own,
    cwd: workingFolder(setting, env),
    ...(prepared.wantsArgv ? { argv: entryFlags(setting, 'params') } : {}),
  }
  return `"params":${params},${JSON.stringify(extra).slice(1)}\n`
}

/** True when a template names something that differs from call to call. */
function usesParams(template: string, setting: Setting): boolean {
  return placeholdersOf(template).some(
    (name) =>
      name === 'params_json' ||
      name === 'request_id' ||
      (!Object.hasOwn(setting.scope.fixed, name) &&
        (!Object.hasOwn(setting.plan.config, name) ||
          usesParams(textOf(setting.plan.config[name]), setting))),
  )
}

function mentionsArgv(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('argv')
  } catch {
    return false
  }
}

/** The fence ends with 128 and the signal's number when what runs inside was ended by a signal. */
function signalOf(exitCode: number | null): string | null {
  const number = (exitCode ?? 0) - 128
  return Object.entries(signals).find(([, known]) => known === number)?.[0] ?? null
}
