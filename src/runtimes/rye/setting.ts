// Everything about a rye call that is known once tool, params and environment are: final params, template scope,
// interpreter, environment, working folder. Process, worker, HTTP and container runtimes all start from it.
import { dirname, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { partsOf } from '../../formats/tool-parts.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { projectVariables, userVariables } from './dot-env.ts'
import type { Interpreters } from './interpreter.ts'
import { besideRuntime, joinPaths, type Layout, layoutOf } from './layout.ts'
import { expand, type TemplateScope, textOf } from './template.ts'
import { transpilerFolders } from './transpiler-folders.ts'

export interface Setting {
  readonly plan: RyePlan
  readonly layout: Layout
  readonly params: { readonly [name: string]: unknown }
  /** Absolute path of the interpreter; null when the entry names none. */
  readonly interpreter: string | null
  readonly scope: TemplateScope
  paramsJson(): string
}

function planOf(attempt: Attempt): RyePlan {
  return ryePlanOf(attempt.tool)!
}

export async function settingOf(
  attempt: Attempt,
  env: RuntimeEnv,
  interpreters: Interpreters,
): Promise<Setting> {
  const plan = planOf(attempt)
  const layout = layoutOf(plan, env.spaces)
  const params = finalParams(attempt.params, plan.config)
  let json: string | undefined
  const paramsJson = () => (json ??= JSON.stringify(params))
  const exposed = baseEnvironment(env.config.env.expose)
  let ofProject: ReadonlyMap<string, string> | undefined
  let ofUser: ReadonlyMap<string, string> | undefined
  const reported = new Set<string>()
  let interpreter: string | null = null
  const scope: TemplateScope = {
    variable(name) {
      if (name === plan.interpreter?.var && interpreter) return interpreter
      ofProject ??= projectVariables(env.spaces, env.isSetAside)
      const own = ofProject.get(name)
      if (own !== undefined) return own
      // A tool that nobody vouches for gets none of them: the secrets check refuses it where it names one (G19).
      ofUser ??= env.isVouched?.(attempt.tool) ? userVariables(env.spaces, env.isSetAside) : new Map()
      return ofUser.get(name) ?? exposed[name]
    },
    unset(name) {
      if (reported.has(name)) return
      reported.add(name)
      attempt.log('warn', `env-unset: \${${name}} is not set and has no default; it stands for nothing`, {
        code: 'env-unset',
        name,
      })
    },
    fixed: { ...layout.names, params_json: paramsJson },
    requestId: attempt.runId,
    config: plan.config,
    params,
  }
  if (plan.interpreter) {
    const roots = (plan.interpreter.searchRoots ?? []).map((root) =>
      resolve(env.spaces.project, textOf(expand(root, { ...scope, params: null }).value)),
    )
    interpreter = await interpreters.find(plan.interpreter, roots)
  }
  return { plan, layout, params, interpreter, scope, paramsJson }
}

/** The caller's params nested under `params_key`, with `fixed_params` laid over. */
export function finalParams(given: unknown, config: JsonObject): { readonly [name: string]: unknown } {
  const own = isPlainObject(given) ? given : {}
  const { params_key: key, fixed_params: fixed } = config
  const nested = typeof key === 'string' && key !== '' ? { [key]: own } : own
  return fixed !== undefined && isPlainObject(fixed) ? { ...nested, ...fixed } : nested
}

/** The child's environment: base, exposed, the project's path, runtime and tool variables, anchor paths. */
export function childEnvironment(setting: Setting, env: RuntimeEnv): Record<string, string> {
  const result = baseEnvironment(env.config.env.expose)
  result['TOOLCRIB_PROJECT_PATH'] = env.spaces.project
  for (const [name, template] of Object.entries(setting.plan.env)) {
    const { value, missing } = expand(template, setting.scope)
    if (missing.some((placeholder) => setting.plan.declaredParams.includes(placeholder))) continue
    const text = textOf(value)
    if (text.includes('\0'))
      throw new ToolError('PARAMS_INVALID', `The variable ${name} would have a NUL character in it.`)
    result[name] = text
  }
  for (const [name, paths] of Object.entries(setting.plan.anchor?.envPaths ?? {})) {
    const [prepend, append] = [pathsOf(paths.prepend, setting), pathsOf(paths.append, setting)]
    if (prepend.length + append.length > 0) result[name] = joinPaths(prepend, result[name], append)
  }
  return result
}

/** A tool without an anchor has none of its paths, but the library of its runtime. */
function pathsOf(paths: readonly string[], setting: Setting): string[] {
  const mine = setting.layout.isAnchored ? paths : paths.filter((path) => path === '{runtime_lib}')
  return expandAll(mine, setting)
}

function expandAll(paths: readonly string[], setting: Setting): string[] {
  return paths.map((path) => textOf(expand(path, setting.scope).value))
}

/** The working folder: `config.cwd`, the active anchor's, else the project's root. */
export function workingFolder(setting: Setting, env: RuntimeEnv): string {
  const { plan, layout } = setting
  const template = plan.config['cwd'] ?? (layout.isAnchored ? plan.anchor!.cwd : undefined)
  if (typeof template !== 'string') return env.spaces.project
  const folder = textOf(expand(template, setting.scope, { key: 'cwd' }).value)
  return folder === '' ? env.spaces.project : resolve(env.spaces.project, folder)
}

/** What the fence must let the process read besides its program and what its profile says: its own code. */
export function ownFiles(setting: Setting, env: RuntimeEnv, tool: Tool): string[] {
  const { plan, layout } = setting
  const { project, system } = env.spaces
  /** A script in the crib's own folder is not the crib: of that it gets the files it is made of. */
  const own = (folder: string) =>
    isInside(project, folder) && !layout.isAnchored ? (partsOf(tool).files?.(tool, project) ?? []) : [folder]
  const bootstraps = [plan.config['worker'], plan.config['loader']]
    .filter((path) => typeof path === 'string')
    .map((path) => besideRuntime(plan, path))
  return [
    ...new Set([
      ...[layout.anchorPath, layout.toolDir, dirname(plan.toolFile)].flatMap(own),
      system,
      ...bootstraps.flatMap((file) => [dirname(file), ...transpilerFolders(file)]),
    ]),
  ]
}

export function textSetting(value: Json | undefined, setting: Setting, key: string): string | undefined {
  if (value === undefined || value === null) return undefined
  return textOf(expand(value, setting.scope, { key }).value)
}
