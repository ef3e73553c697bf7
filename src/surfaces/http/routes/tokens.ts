// GET /api/tokens: who may use this server and what for. Names and scopes, never a value or a digest.
import type { Hono } from 'hono'
import type { HttpEnv } from '../identity.ts'
import { needAdmin } from '../need-admin.ts'
import type { Tokens } from '../tokens.ts'

export function mountTokens(app: Hono<HttpEnv>, tokens: Tokens): void {
  app.get('/api/tokens', (context) => {
    needAdmin(context.var.identity, 'see tokens')
    return context.json({ tokens: tokens.list(), issuer: tokens.issuer ?? null })
  })
}
