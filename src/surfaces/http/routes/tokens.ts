// GET /api/tokens: who may use this server and what for. Names and scopes, never a value or a digest.
import { t } from '../../../tool/shape.ts'
import { admin } from '../access.ts'
import { json, route } from '../route.ts'
import { listedTokenShape } from '../token-shape.ts'

export const tokensRoute = route({
  id: 'listTokens',
  method: 'get',
  path: '/api/tokens',
  summary: 'Who may use this server and what for',
  access: admin('see tokens'),
  answers: {
    200: json(
      'Names and scopes, never values',
      t.object({ tokens: t.list(listedTokenShape), issuer: t.orNull(t.text()) }),
    ),
  },
  handle: (_, { tokens }) => ({ tokens: tokens.list(), issuer: tokens.issuer ?? null }),
})
