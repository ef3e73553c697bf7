// One call as one process: started behind the fence, its stderr logged as it comes, its stdout read as the result.
import type { Json } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { LogLines, parseProgress } from '../../workers/log-lines.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
import { failureHint } from '../failure-hint.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { buildCommand, type Command } from './build-command.ts'
import { judgeResult, plainResult, readPrinted } from './rye-result.ts'
import { ownFiles, type Setting } from './setting.ts'

export async function runProcess(attempt: Attempt, setting: Setting, env: RuntimeEnv): Promise<unknown> {
  const command = buildCommand(attempt, setting, env)
  return runCommand(attempt, command, env, {
    read: ownFiles(setting, env, attempt.tool),
    isPlain: setting.plan.config['output'] === 'plain',
  })
}

export interface RunCommandOptions {
  /** What the process may read beside what its profile says. */
  readonly read: readonly string[]
  /** The result is what was printed: the data when it is JSON, else the text. */
  readonly isPlain?: boolean
}

/** Runs a finished command and judges what it printed. */
export async function runCommand(
  attempt: Attempt,
  command: Command,
  env: RuntimeEnv,
  { read, isPlain }: RunCommandOptions,
): Promise<unknown> {
  const secrets = secretVariables(attempt, env.config).proxied
  const fenced = env.fence.wrap(command.spec, attempt.profile, {
    tool: attempt.tool.id,
    read,
    secrets,
    holding: attempt.changes,
  })
  attempt.enforced(fenced.enforcement)
  attempt.meta({ resolved_binary: command.spec.file })
  const logs = new LogLines(attempt, 'info')
  const progress = new LogLines({ log: () => {}, progress: (done) => attempt.progress(done) }, 'info')
  const ended = await runToEnd(env.supervisor, fenced, {
    input: command.stdin,
    maxBytes: attempt.profile.outputBytes,
    stopWhenFull: true,
    timeoutMs: attempt.timeoutMs,
    signal: attempt.signal,
    onStderr: (chunk) => logs.take(chunk),
    onStdout: (chunk) => progress.take(chunk),
  }).finally(() => logs.end())
  attempt.meta(ended.signal ? { signal: ended.signal } : { exit_code: ended.exitCode })
  if (ended.stdout.truncated) throw tooLarge(attempt)
  if (isPlain && ended.exitCode === 0 && !ended.signal) return plainResult(ended.stdout.text)
  const printed = readPrinted(ended.stdout.text)
  for (const line of printed.logs) if (!parseProgress(line)) attempt.log('info', line)
  return judgeResult(printed.result, attempt, {
    exitCode: ended.exitCode,
    signal: ended.signal,
    diedOf: ended.diedOf,
    stderr: logs.tail,
    hint: failureHint({
      toolId: attempt.tool.id,
      said: logs.tail,
      program: command.spec.file,
      cwd: command.spec.cwd,
      project: env.spaces.project,
      profile: attempt.profile,
    }),
  })
}

export function tooLarge(attempt: Attempt): ToolError {
  return new ToolError(
    'OUTPUT_TOO_LARGE',
    `${attempt.tool.id} gave back more than ${attempt.profile.outputBytes} bytes and was stopped.`,
    { hint: 'Return less, write the data to a file, or raise limits.outputBytes.' },
  )
}

/** What a dry run shows of a process. */
export function planOfCommand(command: Command): { readonly [key: string]: Json } {
  return {
    binary: command.binary,
    resolvedBinary: command.spec.file,
    argv: [...command.spec.args],
    cwd: command.spec.cwd,
    env: Object.keys(command.spec.env).sort(),
    stdin: command.stdin,
  }
}
