// /api/tokens: who may use this server and what for. Names and scopes; a value is shown once, when it is made.
import { offerNamed } from '../../../guards/offer-selection.ts'
import { named, t } from '../../../tool/shape.ts'
import { admin } from '../access.ts'
import { malformed } from '../query.ts'
import { checkedBody, json, type Route, route } from '../route.ts'
import { listedTokenShape } from '../token-shape.ts'

const names = t.list(t.text({ minLength: 1 }), { maxItems: 200 })

const tokenBody = named(
  'NewToken',
  t.closed({
    name: t.text({ description: 'Shown in records.' }),
    grants: t.optional(names),
    allowedTools: t.optional(t.text({ description: 'Tools it may call, as an allowed-tools list.' })),
    offer: t.optional(t.text({ description: 'The offer it is for; it reaches nothing else.' })),
    expiresAt: t.optional(t.time({ description: 'RFC 3339; absent: never.' })),
  }),
)

export const tokenRoutes: readonly Route[] = [
  route({
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
  }),
  route({
    id: 'createToken',
    method: 'post',
    path: '/api/tokens',
    summary: 'Makes a token that is no admin; its value is in this answer only',
    access: admin('make tokens'),
    isPrivate: true,
    body: checkedBody(tokenBody, true),
    answers: { 201: json('The token', t.object({ name: t.text(), token: t.text() })) },
    async handle({ body }, { tokenStore, crib }) {
      const { name, ...scope } = await body()
      if (scope.expiresAt !== undefined && !(Date.parse(scope.expiresAt) > Date.now()))
        throw malformed('expiresAt is not a moment to come.')
      if (scope.offer !== undefined) offerNamed(scope.offer, crib.config.offers)
      return { name, token: tokenStore.add(name, scope).token }
    },
  }),
  route({
    id: 'deleteToken',
    method: 'delete',
    path: '/api/tokens/:name',
    summary: 'Takes a token away; it stops working at once',
    access: admin('take tokens away'),
    params: { name: 'Name of a token that was made here or with `toolcrib tokens new`.' },
    answers: { 200: json('Gone', t.object({ ok: t.only(true), name: t.text() })) },
    handle({ params: { name } }, { tokenStore }) {
      tokenStore.remove(name)
      return { ok: true, name }
    },
  }),
]
