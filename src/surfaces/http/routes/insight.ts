// What the crib knows beyond its lists: what would stop a call, the story a run belongs to, who reacts to whom, what a
// change could do, and where a word occurs.
import { automationOf } from '../../../automation/automation.ts'
import { threadOf } from '../../../automation/thread.ts'
import { threadShape, wiringShape } from '../../../automation/thread-shapes.ts'
import { wiringOf } from '../../../automation/wiring.ts'
import { runningDetail } from '../../../runs/run-history.ts'
import { runShape } from '../../../runs/run-shape.ts'
import { crumbItemShape } from '../../../store/crumb-shape.ts'
import { t } from '../../../tool/shape.ts'
import { admin, anyToken } from '../access.ts'
import { readerFor } from '../crumb-access.ts'
import { toolToShow } from '../find-tool.ts'
import { inboxOf } from '../inbox.ts'
import { inboxItemShape, permitShape, reviewShape } from '../insight-shapes.ts'
import { permitOf } from '../permit.ts'
import { maySee } from '../principals.ts'
import { malformed } from '../query.ts'
import { reviewOf } from '../review.ts'
import { json, type Route, route } from '../route.ts'
import { filterFor, maySeeRun } from './runs.ts'
import { toolId } from './tools.ts'

const dayMs = 86_400_000
const maxHits = 20

export const insightRoutes: readonly Route[] = [
  route({
    id: 'whyTool',
    method: 'get',
    path: '/api/tools/:id{.+}/why',
    summary: 'Every guard of a call and what it would say',
    description: 'Asks every check of a call by this token and runs nothing.',
    access: anyToken,
    params: { id: toolId },
    query: t.object({
      params: t.optional(t.text({ description: 'Arguments as JSON; absent: not known yet.' })),
    }),
    answers: { 200: json('The way of a call', permitShape) },
    async handle({ params, principal, query }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      return permitOf(crib, tool, { principal, params: parsed(query.params) })
    },
  }),
  route({
    id: 'thread',
    method: 'get',
    path: '/api/threads/:id{.+}',
    summary: 'The story that a run or a breadcrumb belongs to',
    access: anyToken,
    params: { id: 'Id of a run or a breadcrumb.' },
    answers: { 200: json('The thread', threadShape) },
    async handle({ params, principal }, { crib }) {
      await crib.crumbs.runs.flush()
      return threadOf(params.id, principal, {
        store: await crib.crumbs.store(),
        tools: () => crib.catalog.tools,
        mayRead: readerFor(principal, crib),
        maySeeRun: (run) => maySeeRun(principal, run),
        running: () => crib.kernel.running.map(runningDetail).filter((run) => maySeeRun(principal, run)),
      })
    },
  }),
  route({
    id: 'wiring',
    method: 'get',
    path: '/api/wiring',
    summary: 'Which events set which tools going, and what those write',
    access: admin('see automation'),
    answers: { 200: json('The graph', wiringShape) },
    async handle(_, { crib }) {
      const now = Date.now()
      await crib.crumbs.runs.flush()
      return wiringOf({
        store: await crib.crumbs.store(),
        tools: crib.catalog.tools,
        automation: await automationOf(await crib.crumbs.open(), now),
        since: new Date(now - dayMs).toISOString(),
        until: new Date(now).toISOString(),
      })
    },
  }),
  route({
    id: 'search',
    method: 'get',
    path: '/api/search',
    summary: 'Tools, runs and breadcrumbs with a word in them',
    access: anyToken,
    query: t.object({
      q: t.text({ description: 'What to look for.' }),
      limit: t.integer({ minimum: 1, maximum: maxHits, default: 8, description: 'Of each kind.' }),
    }),
    answers: {
      200: json(
        'Hits, best first',
        t.object({
          tools: t.list(t.object({ id: t.text(), description: t.text() })),
          runs: t.list(runShape),
          events: t.list(crumbItemShape),
        }),
      ),
    },
    async handle({ principal, query: { q, limit } }, { crib, history }) {
      const mayRead = readable(principal, crib)
      const [tools, { runs }, events] = await Promise.all([
        crib.search(q, limit * 3),
        history.list({ ...filterFor(principal, { q }), limit }),
        mayRead ? crib.crumbs.list({ q, limit, isShown: mayRead }, principal) : { items: [] },
      ])
      return {
        tools: tools
          .map(({ tool }) => tool)
          .filter((tool) => maySee(principal, tool, crib))
          .slice(0, limit)
          .map(({ id, description }) => ({ id, description })),
        runs,
        events: events.items,
      }
    },
  }),
  route({
    id: 'review',
    method: 'get',
    path: '/api/review/:id{.+}',
    summary: 'What changed in a tool and what that could do',
    access: admin('review changes'),
    params: { id: toolId },
    answers: { 200: json('The change', reviewShape) },
    handle: async ({ params, principal }, { crib, history, tokens }) =>
      reviewOf(await toolToShow(crib, params.id, principal), {
        crib,
        history,
        tokens: tokens.list(),
        principal,
      }),
  }),
  route({
    id: 'consoleInbox',
    method: 'get',
    path: '/api/console/inbox',
    summary: 'Everything that waits for a person',
    access: admin('see what waits'),
    answers: { 200: json('By urgency', t.object({ items: t.list(inboxItemShape) })) },
    handle: async (_, { crib }) => ({ items: await inboxOf(crib) }),
  }),
]

/** A token that may read no breadcrumb finds none. */
function readable(...asked: Parameters<typeof readerFor>): ReturnType<typeof readerFor> | undefined {
  try {
    return readerFor(...asked)
  } catch {
    return undefined
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('params is not JSON.')
  }
}
