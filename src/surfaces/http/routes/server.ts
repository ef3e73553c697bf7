// What is asked of the server itself: health, metrics, its own description, and the files of the console.
import { version } from '../../../config/version.ts'
import { t } from '../../../tool/shape.ts'
import { anybody, anyToken, notNarrowed } from '../access.ts'
import { consoleFile } from '../console-files.ts'
import { maySee } from '../principals.ts'
import { HttpProblem } from '../problem-json.ts'
import { json, type Route, route } from '../route.ts'

export const machineRoutes: readonly Route[] = [
  route({
    id: 'health',
    method: 'get',
    path: '/healthz',
    summary: 'Whether the server lives; with ?ready, whether it takes requests',
    access: anybody,
    query: t.object({
      ready: t.optional(t.boolean({ description: 'Asks whether this node takes requests: 200 or 503.' })),
    }),
    answers: { 200: json('Lives', t.object({ ok: t.only(true), version: t.text() })) },
    async handle({ query }, { readiness }) {
      if (query.ready && !(await readiness.isReady()))
        throw new HttpProblem('NOT_READY', 'This node takes no requests now.', {
          hint: 'GET /readyz says why; it needs a token.',
        })
      return { ok: true, version: version() }
    },
  }),
  route({
    id: 'ready',
    method: 'get',
    path: '/readyz',
    summary: 'Whether calls are taken',
    access: anyToken,
    answers: { 200: json('Ready', t.object({ ok: t.only(true), tools: t.integer() })) },
    async handle(_, { crib, readiness }) {
      if (readiness.isDraining) throw new HttpProblem('BUSY', 'The server is closing.')
      const faults = await readiness.faults()
      const reasons = Object.values(faults)
      if (reasons.length > 0) throw new HttpProblem('NOT_READY', reasons.join(' '), { details: faults })
      return { ok: true, tools: crib.list().length }
    },
  }),
  route({
    id: 'metrics',
    method: 'get',
    path: '/metrics',
    summary: 'Prometheus metrics',
    access: notNarrowed('read the metrics of all'),
    answers: { 200: { description: 'Metrics', content: { 'text/plain': t.text() } } },
    async handle(_, { metrics }) {
      const { text, contentType } = await metrics.page()
      return new Response(text, { headers: { 'content-type': contentType } })
    },
  }),
  route({
    id: 'openapi',
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    access: anyToken,
    answers: { 200: json('OpenAPI 3.1', t.anyObject()) },
    handle: ({ principal }, { crib, openApi }) =>
      openApi(crib.list().filter((tool) => maySee(principal, tool, crib))),
  }),
  file('console', '/', 'The web console', 'text/html'),
  file('consoleAsset', '/assets/:file{.+}', 'A file of the web console', 'application/octet-stream'),
  file('consoleIcon', '/favicon.svg', 'The icon of the web console', 'image/svg+xml'),
]

function file(id: string, path: string, summary: string, type: string): Route {
  return route({
    id,
    method: 'get',
    path,
    summary,
    access: anybody,
    answers: { 200: { description: 'The file', content: { [type]: t.text() } } },
    handle: ({ request }) => consoleFile(request),
  })
}
