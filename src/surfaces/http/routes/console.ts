// Routes that only the web console needs, under /api/console.
import { version } from '../../../config/version.ts'
import { isUnrestricted } from '../../../tool/principal.ts'
import { t } from '../../../tool/shape.ts'
import { admin, anyToken } from '../access.ts'
import { consoleEvents } from '../console-events.ts'
import { catalogRows, expectedFence } from '../console-rows.ts'
import {
  catalogRowsShape,
  consoleInfoShape,
  expectedFenceShape,
  onionLayerShape,
  refusalShape,
  sourceFileShape,
} from '../console-shapes.ts'
import { toolToShow } from '../find-tool.ts'
import { maySee } from '../principals.ts'
import { json, Reply, type Route, route } from '../route.ts'
import { onionRefusals, toolOnion } from '../tool-onion.ts'
import { toolSource } from '../tool-source.ts'
import { toolId } from './tools.ts'

const facet = t.list(t.object({ value: t.text(), count: t.integer() }))

export const consoleRoutes: readonly Route[] = [
  route({
    id: 'consoleInfo',
    method: 'get',
    path: '/api/console/info',
    summary: 'What the console shows at the top: version, token, settings',
    access: anyToken,
    answers: { 200: json('Info', consoleInfoShape) },
    handle: ({ principal: { name, isAdmin } }, { crib, canEdit }) => ({
      version: version(),
      name,
      isAdmin,
      trust: crib.config.trust,
      sandbox: crib.config.sandbox.mode,
      recordsParams: crib.config.audit.params === 'full',
      canEdit: canEdit && isAdmin,
      root: isAdmin ? crib.root : undefined,
      layers: isAdmin ? crib.fence.layers() : undefined,
    }),
  }),
  route({
    id: 'consoleCatalog',
    method: 'get',
    path: '/api/console/catalog',
    summary: 'One light row per tool',
    access: anyToken,
    headers: { 'If-None-Match': 'The ETag of a former answer: 304 when nothing changed.' },
    answers: { 200: json('Rows', catalogRowsShape) },
    handle({ principal, request }, { crib }) {
      const etag = `"${crib.catalog.version}-${principal.name}"`
      if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304 })
      return new Reply(catalogRows(crib, principal), { etag, 'cache-control': 'no-cache' })
    },
  }),
  route({
    id: 'consoleEvents',
    method: 'get',
    path: '/api/console/events',
    summary: 'Changes of the catalog, runs and approvals as they happen',
    access: anyToken,
    answers: {
      200: {
        description: 'Events: `hello`, `catalog`, `run`, `running`, `approvals`, `nodes`.',
        content: { 'text/event-stream': t.text() },
      },
    },
    handle: ({ principal }, { crib }) => consoleEvents(crib, principal),
  }),
  route({
    id: 'consoleOnion',
    method: 'get',
    path: '/api/console/onion/:id{.+}',
    summary: 'What a call of a tool passes through',
    access: anyToken,
    params: { id: toolId },
    answers: {
      200: json(
        'Layers',
        t.object({
          layers: t.list(onionLayerShape),
          refusals: t.list(refusalShape, {
            description: 'What would refuse a call by this token, whatever its arguments; empty: nothing.',
          }),
          fence: expectedFenceShape,
        }),
      ),
    },
    async handle({ params, principal }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      return {
        layers: toolOnion(crib, tool),
        refusals: await onionRefusals(crib, tool, principal),
        fence: expectedFence(crib)(tool),
      }
    },
  }),
  route({
    id: 'consoleSource',
    method: 'get',
    path: '/api/console/source/:id{.+}',
    summary: 'The files a tool is made of',
    access: admin('read source files'),
    params: { id: toolId },
    answers: { 200: json('Files', t.object({ files: t.list(sourceFileShape) })) },
    handle: async ({ params, principal }, { crib, canEdit }) => ({
      files: await toolSource(crib, await toolToShow(crib, params.id, principal), canEdit),
    }),
  }),
  route({
    id: 'consoleEventFacets',
    method: 'get',
    path: '/api/console/event-facets',
    summary: 'Schemas and tags of the events there are, with how many have each',
    description: 'Nothing for a token that is bound by grants or allowed tools.',
    access: anyToken,
    answers: { 200: json('The most frequent first', t.object({ schemas: facet, tags: facet })) },
    async handle({ principal }, { crib }) {
      if (!isUnrestricted(principal)) return { schemas: [], tags: [] }
      const { schemas, tags } = await (await crib.crumbs.store()).crumbs.facets({ viewer: principal })
      return { schemas: [...schemas], tags: [...tags] }
    },
  }),
  route({
    id: 'consoleSecretUse',
    method: 'get',
    path: '/api/console/secret-use',
    summary: 'Which tools name which secret',
    access: anyToken,
    answers: { 200: json('Tools by the name of a secret', t.map(t.list(t.text()))) },
    handle({ principal }, { crib }) {
      const use = new Map<string, string[]>()
      for (const tool of crib.catalog.tools)
        if (tool.state !== 'shadowed' && maySee(principal, tool, crib))
          for (const name of tool.secrets ?? []) use.set(name, [...(use.get(name) ?? []), tool.id])
      return Object.fromEntries(use)
    },
  }),
]
