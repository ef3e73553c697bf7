// /secrets: names and scopes go out, values only come in, except for an admin who gives a reason that is kept.
import type { Crib } from '../../../crib/crib.ts'
import { secretScopeShape, secretShape } from '../../../secrets/secret-shape.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { type TSchema, t } from '../../../tool/shape.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { secretsAccess } from '../access.ts'
import { malformed } from '../query.ts'
import { type BodyDeclaration, json, ownBody, Reply, type Route, route } from '../route.ts'

const params = { id: 'Id of the secret.' }

export const secretRoutes: readonly Route[] = [
  route({
    id: 'createSecret',
    method: 'post',
    path: '/secrets',
    summary: 'Stores a secret',
    access: secretsAccess('write'),
    isPrivate: true,
    body: secretBody(
      t.object({
        name: t.text(),
        value: t.text(),
        scope_type: t.optional(secretScopeShape),
        scope_id: t.optional(t.text()),
      }),
    ),
    answers: { 201: json('Created', t.object({ id: t.text() })) },
    async handle({ principal, body }, { crib }) {
      const { id } = await (await secretsOf(crib)).create(await body(), principal)
      return new Reply({ id }, { location: `/secrets/${id}` })
    },
  }),
  route({
    id: 'listSecrets',
    method: 'get',
    path: '/secrets',
    summary: 'Names and scopes',
    access: secretsAccess('read'),
    isPrivate: true,
    answers: { 200: json('Secrets', t.list(secretShape)) },
    async handle({ principal }, { crib }) {
      const secrets = await (await secretsOf(crib)).list(principal)
      const used = await lastUses(crib)
      return secrets.map((secret) => ({ ...secret, last_used_at: used.get(secret.name) }))
    },
  }),
  route({
    id: 'replaceSecret',
    method: 'put',
    path: '/secrets/:id',
    summary: 'Gives a secret a new value',
    access: secretsAccess('write'),
    isPrivate: true,
    params,
    body: secretBody(t.object({ value: t.text() })),
    answers: { 200: json('Replaced', t.object({ ok: t.only(true), id: t.text() })) },
    async handle({ params: { id }, principal, body }, { crib }) {
      await (await secretsOf(crib)).replace(id, await body(), principal)
      return { ok: true, id }
    },
  }),
  route({
    id: 'deleteSecret',
    method: 'delete',
    path: '/secrets/:id',
    summary: 'Deletes a secret',
    access: secretsAccess('write'),
    isPrivate: true,
    params,
    answers: { 200: json('Deleted', t.object({ ok: t.only(true) })) },
    async handle({ params: { id }, principal }, { crib }) {
      await (await secretsOf(crib)).remove(id, principal)
      return { ok: true }
    },
  }),
  route({
    id: 'decryptSecret',
    method: 'post',
    path: '/secrets/:id/decrypt',
    summary: 'The value, for an admin, on record',
    access: secretsAccess('read'),
    isPrivate: true,
    params,
    body: secretBody(t.object({ reason: t.text({ minLength: 1, maxLength: 500 }) })),
    answers: { 200: json('The value', t.object({ value: t.text() })) },
    async handle({ params: { id }, principal, body }, { crib }) {
      const { reason } = await body()
      if (typeof reason !== 'string' || reason.trim() === '' || reason.length > 500)
        throw new ToolError('INVALID', 'reason is text of 1 to 500 characters: why the value is needed.', {
          details: [{ pointer: '/reason', message: 'is required' }],
        })
      return (await secretsOf(crib)).reveal(id, reason, principal)
    },
  }),
]

/** The fields are judged by the store, whatever way a secret comes in. */
function secretBody(shape: TSchema): BodyDeclaration<{ readonly [key: string]: unknown }> {
  return ownBody(shape, {
    maxBytes: 1024 * 1024,
    check(given) {
      if (!isPlainObject(given)) throw malformed('The body is a JSON object.')
      return given
    },
  })
}

async function secretsOf(crib: Crib): Promise<Secrets> {
  return (await crib.crumbs.open()).secrets
}

/** Enough to find the latest release of each secret of a tool that names a few. */
const maxReleases = 20

/** When each secret was given to a tool last, as the audit chain tells it. */
async function lastUses(crib: Crib): Promise<ReadonlyMap<string, string>> {
  await crib.crumbs.runs.flush()
  const { runs } = await crib.crumbs.store()
  const askers = crib.catalog.tools.filter(({ secrets }) => secrets && secrets.length > 0)
  const released = await Promise.all(
    askers.map(({ id }) => runs.list({ tool: id, kinds: ['secret'], ok: true, limit: maxReleases })),
  )
  const latest = new Map<string, string>()
  for (const { reason = '', startedAt } of released.flat()) {
    const name = reason.split(':')[0]!
    if (startedAt > (latest.get(name) ?? '')) latest.set(name, startedAt)
  }
  return latest
}
