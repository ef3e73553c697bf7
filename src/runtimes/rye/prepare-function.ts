// What a call in a warm worker needs that does not change between calls of a tool: its process, its descriptor, the
// key of the workers that can serve it; and the message that tells one call from the next.
import { readFileSync } from 'node:fs'
import { findOnPath } from '../../config/find-on-path.ts'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { Profile } from '../../sandbox/profile.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'
import type { Principal } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { entryFlags } from './build-command.ts'
import { besideRuntime } from './layout.ts'
import { childEnvironment, finalParams, ownFiles, type Setting, workingFolder } from './setting.ts'
import { expand, placeholdersOf, textOf } from './template.ts'

/** How long what was found on disk for a tool (interpreter, anchor, variables) is taken as still true. */
const keepMs = 1_000

/** Calls that may share a process: with the same rights, on the same layer, of the same one who asks. */
export interface Lane {
  readonly profile: Profile
  readonly layer: string
  readonly principal: Principal | undefined
}

export interface Prepared {
  readonly spec: SpawnSpec
  readonly read: readonly string[]
  /** Key of the workers that can serve the tool, without the profile. */
  readonly key: string
  /** What the worker must know about the tool, as JSON. */
  readonly tool: string
  readonly plan: RyePlan
  readonly entry: string
  readonly wantsArgv: boolean
  readonly wantsSetting: boolean
  readonly until: number
  /** The whole key of the last call: it is long, and nearly always the next one's too. */
  lane?: Lane & { readonly key: string }
}

export function prepareFunction(attempt: Attempt, setting: Setting, env: RuntimeEnv): Prepared {
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
  const wantsSetting = wantsArgv || dynamic.length > 0 || cwdMoves
  return {
    spec,
    read: ownFiles(setting, env, attempt.tool),
    key: JSON.stringify([
      spec,
      anchor,
      attempt.tool.tier,
      wantsSetting,
      attempt.tool.tier === 'system' ? '' : attempt.tool.id,
    ]),
    tool: JSON.stringify(tool),
    plan,
    entry: tool.entry,
    wantsArgv,
    wantsSetting,
    until: Date.now() + keepMs,
  }
}

/** The members of a message that differ from call to call, and its end. */
export function messageOf(
  attempt: Attempt,
  prepared: Prepared,
  setting: Setting | undefined,
  env: RuntimeEnv,
): string {
  const params = JSON.stringify(setting?.params ?? finalParams(attempt.params, prepared.plan.config))
  if (!prepared.wantsSetting || !setting) return `"params":${params}}`
  const own: Record<string, string> = {}
  const all = { ...childEnvironment(setting, env), ...secretVariables(attempt, env.config).env }
  for (const [name, value] of Object.entries(all)) if (prepared.spec.env[name] !== value) own[name] = value
  const extra = {
    env: own,
    cwd: workingFolder(setting, env),
    argv: prepared.wantsArgv ? entryFlags(setting, 'params') : undefined,
  }
  return `"params":${params},${JSON.stringify(extra).slice(1)}`
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
