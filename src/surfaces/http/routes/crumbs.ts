// /breadcrumbs and /requests: the breadcrumb store over HTTP. Rules and statuses are the store's own; this file
// reads requests and writes answers.
import type { Hono } from 'hono'
import { retryRequest } from '../../../automation/retry-request.ts'
import type { Crib } from '../../../crib/crib.ts'
import { maxBodyBytes } from '../../../events/check-crumb.ts'
import { type Crumbs, parseIfMatch, type WriteResult } from '../../../events/crumbs.ts'
import { isPlainObject } from '../../../tool/json.ts'
import type { Principal } from '../../../tool/principal.ts'
import { mustRead, mustWrite, readableSchemas, readerOf } from '../crumb-access.ts'
import type { HttpEnv } from '../principals.ts'
import { HttpProblem } from '../problem-json.ts'
import { malformed, queryOf, wholeNumber, yesOrNo } from '../query.ts'
import { readJson } from '../read-body.ts'

/** Parts of the upstream service that a single crib has no use for. */
const notOffered = ['/acl', '/agents', '/tenants', '/dlq', '/subscriptions/selectors', '/auth/token']

export function mountCrumbs(app: Hono<HttpEnv>, crib: Crib): void {
  const store = async (): Promise<Crumbs> => (await crib.crumbs.open()).crumbs

  app.post('/breadcrumbs', async (context) => {
    const { principal } = context.var
    const body = await readJson(context.req.raw, maxBodyBytes)
    mustWrite(principal, isPlainObject(body) ? body['schema_name'] : undefined)
    const key = context.req.header('idempotency-key')
    const written = await (await store()).create(body, principal, {
      ...(key === undefined ? {} : { idempotencyKey: key }),
    })
    return context.json({ id: written.id, version: written.version, ...warningsOf(written) }, 201, {
      location: `/breadcrumbs/${written.id}`,
      etag: etagOf(written.version),
      ...(key !== undefined && written.isReplay ? { 'idempotency-replayed': 'true' } : {}),
    })
  })

  app.get('/breadcrumbs', async (context) => {
    const { principal } = context.var
    const query = queryOf(context.req.raw)
    const page = await (await store()).list({ ...filterOf(query, principal), ...pageOf(query) }, principal)
    return context.json(page.items, 200, page.next === undefined ? {} : { link: nextLink(query, page.next) })
  })

  app.get('/breadcrumbs/search', async (context) => {
    const { principal } = context.var
    const query = queryOf(context.req.raw)
    const q = query.get('q')
    if (q === null) throw malformed('q is missing: the words to search for.')
    const nn = wholeNumber(query, 'nn', 1, 1000)
    const items = await (await store()).search(
      { ...filterOf(query, principal), q, ...(nn === undefined ? {} : { nn }) },
      principal,
    )
    return context.json(items)
  })

  app.get('/breadcrumbs/:id', async (context) => {
    const { principal } = context.var
    const view = await (await store()).view(context.req.param('id'), readerOf(principal))
    mustRead(principal, view.id, view.schema_name)
    return context.json(view, 200, { etag: etagOf(view.version) })
  })

  app.get('/breadcrumbs/:id/full', async (context) => {
    const { principal } = context.var
    const full = await (await store()).full(context.req.param('id'), readerOf(principal))
    mustRead(principal, full['id'] as string, full['schema_name'] as string | undefined)
    return context.json(full, 200, { etag: etagOf(full['version'] as number) })
  })

  app.get('/breadcrumbs/:id/history', async (context) => {
    const { principal } = context.var
    const crumbs = await store()
    const { id, schema_name } = await crumbs.crumb(context.req.param('id'), readerOf(principal))
    mustRead(principal, id, schema_name)
    return context.json(await crumbs.history(id, principal))
  })

  app.patch('/breadcrumbs/:id', async (context) => {
    const { principal } = context.var
    const ifMatch = parseIfMatch(context.req.header('if-match'))
    const body = await readJson(context.req.raw, maxBodyBytes)
    const crumbs = await store()
    const id = await writableId(crumbs, context.req.param('id'), principal)
    if (isPlainObject(body) && 'schema_name' in body) mustWrite(principal, body['schema_name'])
    // By way of the room, which tells the catalog when a breadcrumb was a tool and is none any more.
    const written = await crib.crumbs.update(id, body, principal, ifMatch)
    return context.json({ ok: true, id, version: written.version, ...warningsOf(written) }, 200, {
      etag: etagOf(written.version),
    })
  })

  app.delete('/breadcrumbs/:id', async (context) => {
    const { principal } = context.var
    const ifMatch = parseIfMatch(context.req.header('if-match'))
    const crumbs = await store()
    const id = await writableId(crumbs, context.req.param('id'), principal)
    await crumbs.remove(id, principal, { ifMatch })
    return context.json({ ok: true })
  })

  app.post('/requests/:id/retry', async (context) => {
    const { principal } = context.var
    mustWrite(principal, 'tool.request.v1')
    const written = await retryRequest(await store(), context.req.param('id'), principal)
    return context.json({ id: written.id, version: written.version }, 201, {
      location: `/breadcrumbs/${written.id}`,
      etag: etagOf(written.version),
    })
  })

  for (const path of notOffered)
    for (const form of [path, `${path}/*`])
      app.all(form, (context) => {
        throw new HttpProblem(404, 'not_offered', `${context.req.path} is not offered here.`, {
          hint: 'A crib has one owner: tokens stand in toolcrib.yaml, dead letters are tool.error.v1 breadcrumbs, subscriptions belong to tools.',
        })
      })
}

async function writableId(crumbs: Crumbs, id: string, principal: Principal): Promise<string> {
  const crumb = await crumbs.crumb(id, readerOf(principal))
  mustRead(principal, id, crumb.schema_name)
  mustWrite(principal, crumb.schema_name)
  return crumb.id
}

function filterOf(query: URLSearchParams, principal: Principal) {
  const tags = query.getAll('tag').filter((tag) => tag !== '')
  const schema = query.get('schema_name')
  const readable = readableSchemas(principal)
  const includeContext = yesOrNo(query, 'include_context')
  return {
    ...(tags.length > 0 ? { tags } : {}),
    ...(schema ? { schema } : {}),
    ...(readable ? { schemas: readable } : {}),
    ...(includeContext === undefined ? {} : { includeContext }),
  }
}

function pageOf(query: URLSearchParams) {
  const q = query.get('q')
  const cursor = query.get('cursor')
  const limit = wholeNumber(query, 'limit', 1, 1000)
  const offset = wholeNumber(query, 'offset')
  return {
    ...(q === null ? {} : { q }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(cursor === null ? {} : { cursor }),
  }
}

/** The same question from the cursor on; an offset counted from the start is done with. */
function nextLink(query: URLSearchParams, cursor: string): string {
  const next = new URLSearchParams(query)
  next.delete('offset')
  next.set('cursor', cursor)
  return `</breadcrumbs?${next}>; rel="next"`
}

function etagOf(version: number): string {
  return `"${version}"`
}

function warningsOf({ warnings }: WriteResult) {
  return warnings.length > 0 ? { warnings } : {}
}
