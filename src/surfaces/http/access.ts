// Who may use a route, in the words a declaration uses.
import { isUnrestricted } from '../../tool/principal.ts'
import { mustHandleSecrets } from './crumb-access.ts'
import { HttpProblem } from './problem-json.ts'
import type { Access } from './route.ts'

/** Anybody, without a token. */
export const anybody: Access = { needs: 'nothing' }

/** Whoever has a token; what it may see is the handler's to say. */
export const anyToken: Access = { needs: 'token' }

/** Whoever has a token that is bound by nothing: what the route shows cannot be told apart by who caused it (G17). */
export function notNarrowed(what: string): Access {
  return {
    needs: 'token',
    check(principal) {
      if (isUnrestricted(principal)) return
      throw new HttpProblem('CAPABILITY_DENIED', `The token "${principal.name}" may not ${what}.`, {
        hint: 'Use a token without grants and allowedTools.',
      })
    },
  }
}

/** Throws 403 unless the token is an admin's. */
export function admin(what: string): Access {
  return {
    needs: 'admin',
    check(principal) {
      if (principal.isAdmin) return
      throw new HttpProblem('ADMIN_NEEDED', `The token "${principal.name}" may not ${what}.`, {
        hint: 'Use the token of `toolcrib serve`, or one with admin: true.',
      })
    },
  }
}

/** Tokens that may list (`read`) or change (`write`) secrets. */
export function secretsAccess(what: 'read' | 'write'): Access {
  return { needs: `secrets.${what}`, check: (principal) => mustHandleSecrets(principal, what) }
}
