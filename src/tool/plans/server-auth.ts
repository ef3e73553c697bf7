// How a foreign server is logged in to, as its entry says it (U4).
import { type Static, t } from '../shape.ts'

export const serverAuthShape = t.closed(
  {
    type: t.optional(
      t.oneOf(['oauth', 'client-credentials', 'bearer'], {
        default: 'oauth',
        description: 'A person logs in, the crib logs in by itself, or a fixed token is sent.',
      }),
    ),
    secret: t.optional(
      t.text({ description: 'Name of the secret with the token, or with the password of the client.' }),
    ),
    clientId: t.optional(
      t.text({
        minLength: 1,
        description: 'The client at the identity provider; an https address is one of a metadata document.',
      }),
    ),
    scopes: t.optional(
      t.list(t.text({ pattern: '^[!#-\\[\\]-~]+$' }), { description: 'Default: those the server names.' }),
    ),
    per: t.optional(
      t.oneOf(['crib', 'user'], {
        default: 'crib',
        description: 'One log-in for everybody, or one for each token and the local user.',
      }),
    ),
  },
  {
    allOf: [
      { if: isType('bearer'), then: { required: ['secret'] } },
      { if: isType('client-credentials'), then: { required: ['clientId', 'secret'] } },
    ],
  },
)

/** Short for the two usual ones. */
const shortAuth = t.oneOf(['oauth', 'per-user'])

export const givenAuthShape = t.either([serverAuthShape, shortAuth], {
  description: 'How the crib logs in to the server; without it the answer 401 of the server decides.',
})

export interface ServerAuth extends Static<typeof serverAuthShape> {
  readonly type: 'oauth' | 'client-credentials' | 'bearer'
  readonly per: 'crib' | 'user'
}

/** What counts for a server whose entry says nothing. */
export const defaultAuth: ServerAuth = { type: 'oauth', per: 'crib' }

export function wholeAuth(given: Static<typeof givenAuthShape>): ServerAuth {
  if (given === 'oauth') return defaultAuth
  return given === 'per-user' ? { ...defaultAuth, per: 'user' } : { ...defaultAuth, ...given }
}

function isType(type: string) {
  return { properties: { type: { const: type } }, required: ['type'] }
}
