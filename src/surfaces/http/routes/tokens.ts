// GET /api/tokens: who may use this server and what for. Names and scopes, never a value or a digest.
import type { Hono } from 'hono'
import { needAdmin } from '../need-admin.ts'
import type { HttpEnv } from '../principals.ts'
import type { Tokens } from '../tokens.ts'

export function mountTokens(app: Hono<HttpEnv>, tokens: Tokens): void {
  app.get('/api/tokens', (context) => {
    needAdmin(context.var.principal, 'see tokens')
    return context.json({ tokens: tokens.list(), issuer: tokens.issuer ?? null })
  })
}
