// The part of an entry that says how its server is logged in to.
import {
  type givenAuthShape,
  type ServerAuth,
  serverAuthShape,
  wholeAuth,
} from '../../tool/plans/server-auth.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations } from '../../tool/schema/validate.ts'
import { type Static, schemaOf } from '../../tool/shape.ts'
import type { SpecFault } from './server-spec.ts'

type GivenAuth = Static<typeof givenAuthShape>

export function readAuth(
  name: string,
  given: { readonly [key: string]: unknown },
): ServerAuth | SpecFault | undefined {
  const { auth, shared } = given
  if (auth === undefined) return undefined
  const fault = (message: string, hint: string) => ({ key: 'auth', message, hint })
  if (auth !== 'oauth' && auth !== 'per-user') {
    const violations = compileSchema(schemaOf(serverAuthShape), { fillDefaults: false }).violations(auth)
    if (violations.length > 0)
      return fault(
        `auth of "${name}" is not valid: ${describeViolations(violations)}.`,
        'Write auth: { type: oauth | client-credentials | bearer, secret?, clientId?, scopes?, per: crib | user }.',
      )
  }
  const whole = wholeAuth(auth as GivenAuth)
  if (given['command'] !== undefined)
    return fault(`"${name}" runs here and has nothing to log in to.`, 'Take auth out of the entry.')
  if (whole.per === 'user' && (shared === true || whole.type !== 'oauth'))
    return fault(
      `A log-in per user of "${name}" needs a person, and a connection per user.`,
      'Take `shared` out, or write per: crib.',
    )
  return whole
}
