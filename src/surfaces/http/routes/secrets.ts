// /secrets: names and scopes go out, values only come in, except for an admin who gives a reason that is kept.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { CrumbError } from '../../../store/crumb-error.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { mustHandleSecrets } from '../crumb-access.ts'
import type { HttpEnv } from '../principals.ts'
import { malformed } from '../query.ts'
import { readJson } from '../read-body.ts'

const maxSecretBody = 1024 * 1024

export function mountSecrets(app: Hono<HttpEnv>, crib: Crib): void {
  const secrets = async (): Promise<Secrets> => (await crib.crumbs.open()).secrets

  app.use('/secrets/*', async (context, next) => {
    await next()
    context.res.headers.set('cache-control', 'no-store')
  })

  app.post('/secrets', async (context) => {
    mustHandleSecrets(context.var.principal, 'write')
    const body = await readObject(context.req.raw)
    const { id } = await (await secrets()).create(body, context.var.principal)
    return context.json({ id }, 201, { location: `/secrets/${id}` })
  })

  app.get('/secrets', async (context) => {
    mustHandleSecrets(context.var.principal, 'read')
    return context.json(await (await secrets()).list(context.var.principal))
  })

  app.put('/secrets/:id', async (context) => {
    mustHandleSecrets(context.var.principal, 'write')
    const body = await readObject(context.req.raw)
    await (await secrets()).replace(context.req.param('id'), body, context.var.principal)
    return context.json({ ok: true, id: context.req.param('id') })
  })

  app.delete('/secrets/:id', async (context) => {
    mustHandleSecrets(context.var.principal, 'write')
    await (await secrets()).remove(context.req.param('id'), context.var.principal)
    return context.json({ ok: true })
  })

  app.post('/secrets/:id/decrypt', async (context) => {
    mustHandleSecrets(context.var.principal, 'read')
    const { reason } = await readObject(context.req.raw)
    if (typeof reason !== 'string' || reason.trim() === '' || reason.length > 500)
      throw new CrumbError(
        422,
        'invalid',
        'reason is text of 1 to 500 characters: why the value is needed.',
        {
          errors: [{ pointer: '/reason', message: 'is required' }],
        },
      )
    const { principal } = context.var
    return context.json(await (await secrets()).reveal(context.req.param('id'), reason, principal))
  })
}

async function readObject(request: Request): Promise<{ readonly [key: string]: unknown }> {
  const body = await readJson(request, maxSecretBody)
  if (!isPlainObject(body)) throw malformed('The body is a JSON object.')
  return body
}
