// Does the code of a skill run inside this process, or behind the fence? (G14)
import type { Config } from '../../config/config.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'

export interface HostRules {
  readonly config: Pick<Config, 'skills' | 'sandbox'>
  isVouched?(tool: Tool): boolean
  /** Whether its code changes files: behind the fence that is judged and can be taken back (E1). */
  writes?(tool: Tool): boolean
}

/** `principal`: who calls; absent where only the tool is looked at. */
export function runsInHost(tool: Tool, rules: HostRules, principal?: Pick<Principal, 'grants'>): boolean {
  const { skills, sandbox } = rules.config
  // A token with grants of its own never reaches code of the host.
  if (skills.host === 'never' || principal?.grants !== undefined) return false
  if (skills.host === 'always' && sandbox.mode !== 'required') return true
  return (rules.isVouched?.(tool) ?? false) && !rules.writes?.(tool)
}
