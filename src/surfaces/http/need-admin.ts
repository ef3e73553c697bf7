// Some things only an admin may do.
import type { Identity } from './identity.ts'
import { HttpProblem } from './problem-json.ts'

/** Throws 403 unless the token is an admin's. */
export function needAdmin(identity: Identity, what: string): void {
  if (identity.isAdmin) return
  throw new HttpProblem(403, 'ADMIN_NEEDED', `The token "${identity.name}" may not ${what}.`, {
    hint: 'Use the token of `toolcrib serve`, or one with admin: true.',
  })
}
