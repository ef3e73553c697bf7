// How long one attempt of a rye tool may take, when the call does not say: the runtime's configuration file, the
// tool, and the runtime are asked in a fixed order.
import { isPlainObject, type Json } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import type { FormatEnv, VerifyFile } from '../format.ts'
import { configFolders, resolveRequests } from './resolve-config.ts'

const defaultSeconds = 300
const defaultServerSeconds = 30

/** Milliseconds; undefined for a tool that has no plan. */
export function callTimeoutMs(tool: Tool, env: FormatEnv, verify: VerifyFile): number | undefined {
  const plan = ryePlanOf(tool)
  if (!plan?.timeouts) return undefined
  let seconds = fixed.get(plan)
  if (seconds === undefined) {
    seconds = secondsOf(tool, plan, env, verify)
    if (!plan.runtimeConfigResolve) fixed.set(plan, seconds)
  }
  return seconds * 1_000
}

/** Of plans that no file of settings has a say in. */
const fixed = new WeakMap<RyePlan, number>()

function secondsOf(tool: Tool, plan: RyePlan, env: FormatEnv, verify: VerifyFile): number {
  const { timeouts } = plan
  const files = settingsOf(tool, plan, env, verify)
  const fromFiles = (pick: (file: { readonly [key: string]: unknown }) => unknown) =>
    files
      .map((file) => (isPlainObject(file) ? seconds(pick(file)) : undefined))
      .find((found) => found !== undefined)
  const own = fromFiles((file) => member(member(file['tools'], tool.id), 'timeout')) ?? timeouts.tool
  if (plan.primitive === 'mcp_client')
    return own ?? seconds(plan.server?.config['timeout']) ?? defaultServerSeconds
  return (
    own ??
    // Of an HTTP tool this is the time of one request, not of the call.
    (plan.primitive === 'http_client' ? undefined : timeouts.toolConfig) ??
    fromFiles((file) => member(file['defaults'], 'timeout')) ??
    (plan.primitive === 'http_client' && !plan.runtimeId ? undefined : timeouts.runtimeConfig) ??
    defaultSeconds
  )
}

/** What the configuration files of the runtime say; none where it names none. */
function settingsOf(tool: Tool, plan: RyePlan, env: FormatEnv, verify: VerifyFile): readonly unknown[] {
  if (!plan.runtimeConfigResolve) return []
  const settings = resolveRequests(plan.runtimeConfigResolve, configFolders(tool, plan, env), verify)
  return plan.runtimeConfigResolve.isList ? Object.values(settings) : [settings]
}

function member(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function seconds(value: Json | unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}
