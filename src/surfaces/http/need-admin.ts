// Some things only an admin may do.
import type { Principal } from '../../tool/principal.ts'
import { HttpProblem } from './problem-json.ts'

/** Throws 403 unless the token is an admin's. */
export function needAdmin(principal: Principal, what: string): void {
  if (principal.isAdmin) return
  throw new HttpProblem(403, 'ADMIN_NEEDED', `The token "${principal.name}" may not ${what}.`, {
    hint: 'Use the token of `toolcrib serve`, or one with admin: true.',
  })
}
