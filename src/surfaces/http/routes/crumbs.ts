// /breadcrumbs and /requests: the breadcrumb store over HTTP. Rules and statuses are the store's own; this file
// reads requests and writes answers.
import { retryRequest } from '../../../automation/retry-request.ts'
import type { Crib } from '../../../crib/crib.ts'
import { maxBodyBytes } from '../../../events/check-crumb.ts'
import { type Crumbs, parseIfMatch, type WriteResult } from '../../../events/crumbs.ts'
import {
  crumbChangeShape,
  crumbDraftShape,
  crumbItemShape,
  crumbVersionShape,
  fullCrumbShape,
} from '../../../store/crumb-shape.ts'
import { isPlainObject } from '../../../tool/json.ts'
import type { Principal } from '../../../tool/principal.ts'
import { problemShape } from '../../../tool/problem-shape.ts'
import { type Static, t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { mustRead, mustWrite, readableSchemas, readerFor, readerOf } from '../crumb-access.ts'
import { HttpProblem } from '../problem-json.ts'
import { json, ownBody, Reply, type Route, route } from '../route.ts'

/** Parts of the upstream service that a single crib has no use for. */
const missingParts = /^\/(acl|agents|tenants|dlq|subscriptions\/selectors|auth\/token)(\/|$)/

/** The answer to a client of the upstream service that asks for one of them. */
export function notOffered(path: string): HttpProblem | undefined {
  if (!missingParts.test(path)) return undefined
  return new HttpProblem('NOT_OFFERED', `${path} is not offered here.`, {
    hint: 'A crib has one owner: tokens stand in toolcrib.yaml, dead letters are tool.error.v1 breadcrumbs, subscriptions belong to tools.',
  })
}

export const ifMatch = { 'If-Match': 'A version such as 3 or "3", or *; stale gives 412.' }
export const writtenShape = t.object({ ok: t.only(true), id: t.text(), version: t.integer(), ...warnings() })
const createdShape = t.object({ id: t.text(), version: t.integer(), ...warnings() })
const params = { id: 'Id of the breadcrumb.' }

export const tagQuery = t.optional(t.list(t.text(), { description: 'Repeatable; all must be there.' }))
const filters = {
  tag: tagQuery,
  schema_name: t.optional(t.text()),
  include_context: t.optional(t.boolean()),
}
const filterShape = t.object(filters)

export const crumbRoutes: readonly Route[] = [
  route({
    id: 'listBreadcrumbs',
    method: 'get',
    path: '/breadcrumbs',
    summary: 'Breadcrumbs, newest update first; the next page is in the Link header',
    access: anyToken,
    query: t.object({
      ...filters,
      q: t.optional(t.text({ description: 'All words must occur.' })),
      limit: t.integer({ minimum: 1, maximum: 1000, default: 100 }),
      cursor: t.optional(t.text()),
      offset: t.optional(t.integer({ minimum: 0 })),
    }),
    answers: { 200: json('Breadcrumbs', t.list(crumbItemShape)) },
    async handle({ principal, query, request }, { crib }) {
      const { q, limit, cursor, offset } = query
      const page = await (await crumbsOf(crib)).list(
        { ...filterOf(query, principal, crib), q, limit, cursor, offset },
        principal,
      )
      return new Reply(page.items, page.next === undefined ? {} : { link: nextLink(request, page.next) })
    },
  }),
  route({
    id: 'createBreadcrumb',
    method: 'post',
    path: '/breadcrumbs',
    summary: 'Stores a breadcrumb',
    access: anyToken,
    headers: { 'Idempotency-Key': 'The same key and body give the first answer for a day.' },
    body: ownBody(crumbDraftShape, { maxBytes: maxBodyBytes }),
    answers: { 201: json('Created', createdShape) },
    async handle({ principal, request, body: read }, { crib }) {
      const body = await read()
      mustWrite(principal, isPlainObject(body) ? body['schema_name'] : undefined)
      const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
      const written = await (await crumbsOf(crib)).create(body, principal, { idempotencyKey })
      const isReplay = idempotencyKey !== undefined && written.isReplay
      return new Reply(createdOf(written), {
        ...createdHeaders(written),
        ...(isReplay ? { 'idempotency-replayed': 'true' } : {}),
      })
    },
  }),
  route({
    id: 'searchBreadcrumbs',
    method: 'get',
    path: '/breadcrumbs/search',
    summary: 'Full-text search, best first',
    access: anyToken,
    query: t.object({
      q: t.text({ description: 'The words to search for; any of them may occur.' }),
      nn: t.integer({ minimum: 1, maximum: 1000, default: 5 }),
      ...filters,
    }),
    answers: { 200: json('Breadcrumbs with score', t.list(crumbItemShape)) },
    async handle({ principal, query }, { crib }) {
      const { q, nn } = query
      return (await crumbsOf(crib)).search({ ...filterOf(query, principal, crib), q, nn }, principal)
    },
  }),
  route({
    id: 'getBreadcrumb',
    method: 'get',
    path: '/breadcrumbs/:id',
    summary: 'One breadcrumb with its hints applied',
    access: anyToken,
    params,
    answers: { 200: json('The view', crumbItemShape) },
    async handle({ params: { id }, principal }, { crib }) {
      const crumbs = await crumbsOf(crib)
      mustRead(principal, await crumbs.crumb(id, readerOf(principal)), crib)
      const view = await crumbs.view(id, principal)
      return new Reply(view, { etag: etagOf(view.version) })
    },
  }),
  route({
    id: 'getFullBreadcrumb',
    method: 'get',
    path: '/breadcrumbs/:id/full',
    summary: 'All fields',
    access: anyToken,
    params,
    answers: { 200: json('The breadcrumb', fullCrumbShape) },
    async handle({ params: { id }, principal }, { crib }) {
      const full = await (await crumbsOf(crib)).full(id, readerOf(principal))
      mustRead(principal, full, crib)
      return new Reply(full, { etag: etagOf(full.version) })
    },
  }),
  route({
    id: 'breadcrumbHistory',
    method: 'get',
    path: '/breadcrumbs/:id/history',
    summary: 'Every version, newest first',
    access: anyToken,
    params,
    answers: { 200: json('Versions', t.list(crumbVersionShape)) },
    async handle({ params, principal }, { crib }) {
      const crumbs = await crumbsOf(crib)
      const crumb = await crumbs.crumb(params.id, readerOf(principal))
      mustRead(principal, crumb, crib)
      return crumbs.history(crumb.id, principal)
    },
  }),
  route({
    id: 'updateBreadcrumb',
    method: 'patch',
    path: '/breadcrumbs/:id',
    summary: 'Changes a breadcrumb',
    access: anyToken,
    params,
    headers: ifMatch,
    body: ownBody(crumbChangeShape, { maxBytes: maxBodyBytes }),
    answers: { 200: json('Changed', writtenShape) },
    async handle({ params, principal, request, body: read }, { crib }) {
      const expected = parseIfMatch(request.headers.get('if-match') ?? undefined)
      const body = await read()
      const id = await writableId(crib, params.id, principal)
      if (isPlainObject(body) && 'schema_name' in body) mustWrite(principal, body['schema_name'])
      // By way of the crib, which tells the catalog when a breadcrumb was a tool and is none any more.
      const written = await crib.crumbs.update(id, body, principal, expected)
      return new Reply(
        { ok: true as const, ...createdOf({ ...written, id }) },
        { etag: etagOf(written.version) },
      )
    },
  }),
  route({
    id: 'deleteBreadcrumb',
    method: 'delete',
    path: '/breadcrumbs/:id',
    summary: 'Deletes a breadcrumb',
    access: anyToken,
    params,
    headers: ifMatch,
    answers: { 200: json('Deleted', t.object({ ok: t.only(true) })) },
    async handle({ params, principal, request }, { crib }) {
      const expected = parseIfMatch(request.headers.get('if-match') ?? undefined)
      const crumbs = await crumbsOf(crib)
      const id = await writableId(crib, params.id, principal)
      await crumbs.remove(id, principal, { ifMatch: expected })
      return { ok: true }
    },
  }),
  route({
    id: 'retryRequest',
    method: 'post',
    path: '/requests/:id/retry',
    summary: 'Runs a request again, as a new one',
    access: anyToken,
    params: { id: 'Id of a tool.request.v1 breadcrumb.' },
    answers: { 201: json('Created', createdShape) },
    async handle({ params: { id }, principal }, { crib }) {
      mustWrite(principal, 'tool.request.v1')
      const crumbs = await crumbsOf(crib)
      mustRead(principal, await crumbs.crumb(id, readerOf(principal)), crib)
      const written = await retryRequest(crumbs, id, principal)
      return new Reply({ id: written.id, version: written.version }, createdHeaders(written))
    },
  }),
]

function warnings() {
  return {
    warnings: t.optional(
      t.list(problemShape, { description: 'Warnings about a tool that was stored all the same.' }),
    ),
  }
}

async function crumbsOf(crib: Crib): Promise<Crumbs> {
  return (await crib.crumbs.open()).crumbs
}

async function writableId(crib: Crib, id: string, principal: Principal): Promise<string> {
  const crumb = await (await crumbsOf(crib)).crumb(id, readerOf(principal))
  mustRead(principal, crumb, crib)
  mustWrite(principal, crumb.schema_name)
  return crumb.id
}

function filterOf(
  { tag, schema_name, include_context }: Static<typeof filterShape>,
  principal: Principal,
  crib: Crib,
) {
  return {
    tags: tag,
    schema: schema_name,
    schemas: readableSchemas(principal) ?? undefined,
    isShown: readerFor(principal, crib),
    includeContext: include_context,
  }
}

/** The same question from the cursor on; an offset counted from the start is done with. */
function nextLink(request: Request, cursor: string): string {
  const next = new URL(request.url).searchParams
  next.delete('offset')
  next.set('cursor', cursor)
  return `</breadcrumbs?${next}>; rel="next"`
}

function etagOf(version: number): string {
  return `"${version}"`
}

function createdHeaders({ id, version }: Pick<WriteResult, 'id' | 'version'>) {
  return { location: `/breadcrumbs/${id}`, etag: etagOf(version) }
}

function createdOf({ id, version, warnings }: Pick<WriteResult, 'id' | 'version' | 'warnings'>) {
  return { id, version, warnings: warnings.length > 0 ? warnings : undefined }
}
