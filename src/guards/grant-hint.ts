// What to do about a denial: the line of toolcrib.yaml that grants what was denied. A refused call and a run that failed
// for want of a grant say the same, and it is what `toolcrib grants` proposes (L8).
import type { Call } from '../kernel/call.ts'
import { hostsOf, proposeGrants } from '../sandbox/access/propose-grants.ts'
import { runDenials } from '../sandbox/access/said-denials.ts'
import { grantLine } from '../sandbox/tool-grants.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import type { GuardServices } from './services.ts'

/** How grants are given to a tool; `isWhole`: the folder counts as it is, so nothing needs to be accepted. */
export function grantHint(toolId: string, grants: readonly string[], isWhole: boolean): string {
  const hint = `To allow it, add to toolcrib.yaml: ${grantLine(toolId, grants)}`
  return isWhole
    ? hint
    : `${hint}\nThen accept that with \`toolcrib trust\`; \`toolcrib grants accept ${toolId}\` does both.`
}

type Services = Pick<GuardServices, 'config' | 'spaces' | 'protectedSet' | 'openAsks' | 'inference'>

/** The error of a run; with a hint more where its words tell that something was closed to it. */
export async function withGrantHint(call: Call, thrown: unknown, services: Services): Promise<unknown> {
  const denied = isToolError(thrown) ? runDenials(thrown, call.profile) : []
  if (!isToolError(thrown) || denied.length === 0) return thrown
  const { config, spaces, protectedSet } = services
  const hosts = hostsOf((await services.inference()).of(call.tool))
  const proposal = proposeGrants(call.tool, denied, { config, spaces, protectedSet, hosts })
  const refusals = proposal.refused.map(({ what, why }) => `${what} is closed to it: ${why}.`)
  const lines =
    proposal.missing.length > 0
      ? [grantHint(call.tool.id, proposal.missing, services.openAsks() === null)]
      : refusals
  const { code, message, details, retryable } = thrown
  const hint = [thrown.hint, ...lines].filter((line) => line !== undefined).join('\n')
  return new ToolError(code, message, { hint, details, retryable, cause: thrown })
}
