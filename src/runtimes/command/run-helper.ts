// Resolvers and post-processors: a script of the skill or an allowlisted command. They never decide a call: when
// one cannot run or fails, the reason is told and the value stays as it was.
import { realProgram } from '../../config/find-on-path.ts'
import { isAllowed } from '../../formats/tools-json/read-execution.ts'
import { findScript } from '../../formats/tools-json/scripts.ts'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { CommandPlan, Helper } from '../../tool/plans/command-plan.ts'
import { subcommandTokens } from '../../tool/plans/command-plan.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import { describeExit } from '../../workers/exit.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { refuseUnpassable } from './emit-argv.ts'
import { locateBinary } from './locate-binary.ts'
import { stderrLog } from './stderr-log.ts'

export interface HelperRun {
  readonly plan: CommandPlan
  readonly helper: Helper
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly input: string
}

export type HelperEnd =
  | { readonly ok: true; readonly stdout: string; readonly command: readonly string[] }
  | { readonly ok: false; readonly reason: string; readonly command: readonly string[] | null }

const defaultTimeoutMs = 10_000

/** Rejects only when the call itself was stopped, or an argument cannot be passed on. */
export async function runHelper(run: HelperRun, attempt: Attempt, env: RuntimeEnv): Promise<HelperEnd> {
  for (const arg of run.args) refuseUnpassable(arg, attempt.tool.id)
  const found = programOf(run, attempt, env)
  if ('reason' in found) return { ok: false, reason: found.reason, command: null }
  const { spec, command } = found
  const timeoutMs = run.helper.timeoutMs ?? defaultTimeoutMs
  const stderr = stderrLog(attempt, env.config.skills.maxOutputBytes)
  try {
    const fenced = env.fence.wrap(spec, attempt.profile, {
      tool: attempt.tool.id,
      read: [run.plan.skillDir, spec.file],
      holding: attempt.changes,
    })
    const end = await runToEnd(env.supervisor, fenced, {
      input: run.input,
      maxBytes: env.config.skills.maxOutputBytes,
      timeoutMs,
      signal: attempt.signal,
      lingers: true,
      onStderr: stderr.take,
    })
    if (end.exitCode !== 0)
      return {
        ok: false,
        reason: `it ${describeExit({ code: end.exitCode, diedOf: end.diedOf })}`,
        command,
      }
    if (end.stdout.truncated) return { ok: false, reason: 'its output was too long', command }
    return { ok: true, stdout: end.stdout.text, command }
  } catch (error) {
    if (attempt.signal.aborted) throw error
    // Without the fence nothing may run, the command itself included.
    if (error instanceof ToolError && error.code === 'SANDBOX_UNAVAILABLE') throw error
    const isLate = error instanceof ToolError && error.code === 'TIMEOUT'
    return {
      ok: false,
      reason: isLate ? `it did not finish within ${timeoutMs} ms` : clauseOf(error),
      command,
    }
  }
}

function programOf(
  run: HelperRun,
  attempt: Attempt,
  env: RuntimeEnv,
): { readonly spec: SpawnSpec; readonly command: readonly string[] } | { readonly reason: string } {
  const { helper, plan, args, cwd } = run
  if (helper.script !== undefined) {
    if (!env.config.skills.allowScripts) return { reason: 'scripts are off (skills.allowScripts)' }
    const script = findScript(plan.skillDir, helper.script)
    if ('refused' in script) return { reason: script.refused }
    const sh = realProgram('sh')
    if (!sh) return { reason: 'sh was not found on PATH' }
    return {
      spec: { file: sh, argv0: 'sh', args: [script.file, ...args], cwd, env: run.env },
      command: ['sh', script.file, ...args],
    }
  }
  const { binary = '', subcommand = '' } = helper
  if (!isAllowed(plan.allowlist, binary, subcommand))
    return { reason: `${JSON.stringify(`${binary} ${subcommand}`.trim())} is not in the allowlist` }
  let file: string | undefined
  try {
    file = locateBinary(binary, attempt.tool, env)
  } catch (error) {
    return { reason: clauseOf(error) }
  }
  if (!file) return { reason: `${binary} was not found` }
  const argv = [...subcommandTokens(subcommand), ...args]
  return { spec: { file, argv0: binary, args: argv, cwd, env: run.env }, command: [binary, ...argv] }
}

/** An error's message as part of a sentence. */
function clauseOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '')
}
