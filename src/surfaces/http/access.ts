// Who may use a route, in the words a declaration uses.
import { mustHandleSecrets } from './crumb-access.ts'
import { HttpProblem } from './problem-json.ts'
import type { Access } from './route.ts'

/** Anybody, without a token. */
export const anybody: Access = { needs: 'nothing' }

/** Whoever has a token; what it may see is the handler's to say. */
export const anyToken: Access = { needs: 'token' }

/** Throws 403 unless the token is an admin's. */
export function admin(what: string): Access {
  return {
    needs: 'admin',
    check(principal) {
      if (principal.isAdmin) return
      throw new HttpProblem(403, 'ADMIN_NEEDED', `The token "${principal.name}" may not ${what}.`, {
        hint: 'Use the token of `toolcrib serve`, or one with admin: true.',
      })
    },
  }
}

/** Tokens that may list (`read`) or change (`write`) secrets. */
export function secretsAccess(what: 'read' | 'write'): Access {
  return { needs: `secrets.${what}`, check: (principal) => mustHandleSecrets(principal, what) }
}
