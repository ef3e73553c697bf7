// Runs an allowlisted program for a tools.json tool. There is never a shell: the program is started directly with
// the exact argument list, from a small environment, behind the fence.

import { pathAccess } from '../../sandbox/access/path-access.ts'
import { asJson, type Json } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { describeExit } from '../../workers/exit.ts'
import { type Ended, runToEnd } from '../../workers/run-to-end.ts'
import { type FailedRun, failureHint } from '../failure-hint.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { binaryMissing, missingBinaries } from './locate-binary.ts'
import { makeReady, type Params, type Ready } from './make-ready.ts'
import { postProcess } from './post-process.ts'
import { shapeOutput } from './shape-output.ts'
import { stderrLog } from './stderr-log.ts'
import { makeTempFiles } from './temp-files.ts'

export function commandRuntime(env: RuntimeEnv): Runtime {
  return {
    name: 'command',
    run: (attempt) => run(attempt, env),
    plan: (attempt) => dryRun(attempt, env),
    ready({ tool }) {
      const [missing] = missingBinaries(tool)
      if (missing) throw missing
    },
  }
}

async function run(attempt: Attempt, env: RuntimeEnv): Promise<unknown> {
  const ready = await makeReady(attempt, env, {
    warn: (message) => attempt.log('warn', message),
    missing: (binary) => {
      throw binaryMissing(binary, attempt.tool.id)
    },
    reached: (named) => env.onAccess?.(attempt.tool.id, pathAccess(named, env.spaces.project)),
  })
  attempt.meta({ resolvedBinary: ready.file! })
  const ended = await start(attempt, env, ready, ready.file!)
  attempt.meta({
    exitCode: ended.exitCode,
    truncated: { stdout: ended.stdout.truncated, stderr: ended.stderr.truncated },
    ...(ended.signal ? { signal: ended.signal } : {}),
  })
  const { entry } = ready
  const isSuccess =
    ended.exitCode === 0 || (ended.exitCode !== null && entry.successExitCodes?.includes(ended.exitCode))
  if (!isSuccess)
    throw failure(attempt.tool.id, entry.binary, ended, {
      program: ready.file!,
      cwd: ready.cwd,
      project: env.spaces.project,
      profile: attempt.profile,
    })
  const output = await postProcess(attempt, env, ready, {
    text: ended.stdout.text,
    exitCode: ended.exitCode!,
    isTruncated: ended.stdout.truncated,
    maxBytes: env.config.skills.maxOutputBytes,
  })
  const { value, hints } = shapeOutput(entry, output, attempt.params as Params)
  for (const hint of hints) attempt.log('info', `hint: ${hint}`)
  return value
}

async function start(attempt: Attempt, env: RuntimeEnv, ready: Ready, file: string): Promise<Ended> {
  const { entry, plan, built } = ready
  const timeoutMs = Math.min(entry.timeoutMs ?? env.config.skills.timeoutMs, attempt.timeoutMs)
  const argv = [...built.argv]
  const made = makeTempFiles(built.tempFiles, argv)
  const stderr = stderrLog(attempt, env.config.skills.maxOutputBytes)
  try {
    const secrets = secretVariables(attempt, env.config)
    const childEnv = { ...ready.env, ...secrets.env }
    const spec = { file, argv0: entry.binary, args: argv, cwd: ready.cwd, env: childEnv }
    const read = [plan.skillDir, file, ...made.folders]
    const fenced = env.fence.wrap(spec, attempt.profile, {
      tool: attempt.tool.id,
      read,
      secrets: secrets.proxied,
      holding: attempt.changes,
    })
    attempt.enforced(fenced.enforcement)
    return await runToEnd(env.supervisor, fenced, {
      input: built.stdin ?? '',
      maxBytes: env.config.skills.maxOutputBytes,
      timeoutMs,
      signal: attempt.signal,
      lingers: true,
      onStderr: stderr.take,
    })
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'TIMEOUT' || attempt.signal.aborted) throw error
    throw new ToolError(
      'TIMEOUT',
      `${attempt.tool.id}: ${entry.binary} did not finish within ${timeoutMs} ms and was stopped.`,
      {
        hint: 'Raise timeoutMs in its execution entry, or skills.timeoutMs in toolcrib.yaml.',
        retryable: true,
      },
    )
  } finally {
    stderr.end()
    made.remove()
  }
}

const tailChars = 2_000

function failure(
  toolId: string,
  binary: string,
  ended: Ended,
  place: Omit<FailedRun, 'toolId' | 'said'>,
): ToolError {
  const how = describeExit({ code: ended.exitCode, diedOf: ended.diedOf })
  const said = (ended.stderr.text.trim() === '' ? ended.stdout.text : ended.stderr.text).trimEnd()
  const isReadOnly = /Read-only file system/i.test(said)
  const hint = isReadOnly ? readOnlyHint(toolId) : failureHint({ ...place, toolId, said })
  return new ToolError(
    'COMMAND_FAILED',
    `${toolId}: ${binary} ${how}${said === '' ? '.' : `: ${said.slice(-tailChars)}`}`,
    {
      details: { exitCode: ended.exitCode, signal: ended.signal },
      retryable: ended.diedOf !== null, // R48
      ...(hint === undefined ? {} : { hint }),
    },
  )
}

function readOnlyHint(toolId: string): string {
  return `The place is read-only to this tool; places of tools and .git are unless a grant names them: grants: { tools: { "${toolId}": ["fs.write:.git/**"] } }`
}

async function dryRun(attempt: Attempt, env: RuntimeEnv): Promise<{ readonly [key: string]: Json }> {
  const warnings: string[] = []
  const ready = await makeReady(attempt, env, {
    warn: (message) => warnings.push(message),
    // T53: a plan can be made without the program.
    missing: (binary) => {
      warnings.push(`The program ${JSON.stringify(binary)} was not found.`)
      attempt.lacks?.(binaryMissing(binary, attempt.tool.id))
    },
  })
  const { entry, file, built, cwd, resolvers } = ready
  if (resolvers.some((resolver) => resolver.ran))
    warnings.push('Parameter resolvers were run to find the values; the command itself was not.')
  return {
    binary: entry.binary,
    resolvedBinary: file ?? null,
    argv: built.argv,
    cwd,
    env: Object.keys({ ...ready.env, ...secretVariables(attempt, env.config).env }).sort(),
    stdin: built.stdin,
    sandbox: sandboxOf(attempt, env, ready),
    resolvers: asJson(resolvers),
    warnings,
  }
}

/** What the fence would hold; it is made and closed at once. */
function sandboxOf(
  attempt: Attempt,
  env: RuntimeEnv,
  { file, entry, built, cwd, plan, env: childEnv }: Ready,
): Json {
  if (file === undefined) return null
  const spec = { file, argv0: entry.binary, args: built.argv, cwd, env: childEnv }
  const fenced = env.fence.wrap(spec, attempt.profile, {
    read: [plan.skillDir, file],
    holding: attempt.changes,
  })
  fenced.release?.()
  return asJson(fenced.enforcement)
}
