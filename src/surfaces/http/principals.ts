// Who a request comes from and what that one may see.

import type { Crib } from '../../crib/crib.ts'
import { grantsFor, missingCapability, narrowGrants } from '../../sandbox/tool-grants.ts'
import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import { makePrincipal, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'

/** The operator at the terminal or behind the crib's own token. */
export const operator: Principal = makePrincipal({ surface: 'http', name: 'operator', isAdmin: true })

/** Whether a list shows the tool: some call of it could be allowed. */
export function maySee(principal: Principal, tool: Tool, crib: Crib): boolean {
  if (principal.allowedTools !== undefined && !parseAllowedTools(principal.allowedTools).couldAllow(tool))
    return false
  if (principal.grants === undefined || tool.requires === null) return true
  const granted = narrowGrants(grantsFor(tool, crib.config), principal.grants)
  return missingCapability(tool.requires, granted) === undefined
}
