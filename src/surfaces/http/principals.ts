// Who a request comes from and what that one may see.
import type { Crib } from '../../crib/crib.ts'
import { makePrincipal, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'

/** The operator at the terminal or behind the crib's own token. */
export const operator: Principal = makePrincipal({ surface: 'http', name: 'operator', isAdmin: true })

/** Whether a list shows the tool: some call of it could be allowed. */
export function maySee(principal: Principal, tool: Tool, crib: Crib): boolean {
  return crib.offers.isVisible(tool, principal)
}
