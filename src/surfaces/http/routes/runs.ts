// /api/runs: what ran and what runs. A token sees its own runs, an admin all of them.
import { type RunSummary, runningDetail, runningRun } from '../../../runs/run-history.ts'
import { runDetailShape, runShape, runStatsShape } from '../../../runs/run-shape.ts'
import type { RunFilter } from '../../../store/run-record.ts'
import type { Principal } from '../../../tool/principal.ts'
import { type Static, t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { HttpProblem } from '../problem-json.ts'
import { malformed } from '../query.ts'
import { json, type Route, route } from '../route.ts'
import { finishedRunEvents, runningRunEvents } from '../run-events.ts'

const filters = {
  tool: t.optional(t.text()),
  ok: t.optional(t.boolean()),
  surface: t.optional(t.text()),
  error: t.optional(t.text({ description: 'Code of the error.' })),
  caller: t.optional(
    t.text({ description: 'Name of the caller; a token that is no admin sees its own runs only.' }),
  ),
  minMs: t.optional(t.integer({ description: 'Runs that took at least so many milliseconds.' })),
  root: t.optional(t.text({ description: 'Id of a run: it and everything that was called from it.' })),
  top: t.optional(t.boolean({ description: 'Only runs that no other run called.' })),
  trigger: t.optional(t.text({ description: 'Schema of the event that set it going.' })),
  q: t.optional(t.text({ description: 'Text in the tool, the caller, the id or the error.' })),
  since: t.optional(t.time({ description: 'Runs that began then or later.' })),
  until: t.optional(t.time({ description: 'Runs that began before.' })),
}

const runQuery = t.object({
  limit: t.integer({ minimum: 1, maximum: 1000, default: 100 }),
  ...filters,
  cursor: t.optional(
    t.text({ description: 'The `next` of a former page; running ones are on the first only.' }),
  ),
})

const statsQuery = t.object({
  ...filters,
  bucket: t.optional(t.integer({ minimum: 1, description: 'Seconds of one step; absent: no steps.' })),
  by: t.optional(t.oneOf(['tool', 'caller', 'error', 'surface'], { description: 'What to group by.' })),
  course: t.optional(
    t.boolean({ description: 'With `bucket` and `by`: adds how many ran in each step, by group.' }),
  ),
})

const dayMs = 86_400_000
const maxBuckets = 2_000
/** Steps of a small line in a row. */
const maxCourse = 48

const runEvents =
  'Events: `state` (the run), `guard` (`{guards, atMs}`, its way so far, or `{span}`, the time one took), `log`, `progress`, `text`, `child` (`{runId, tool}`), `effects`, and last `outcome`.'

const params = { id: 'Id of the run.' }

export const runRoutes: readonly Route[] = [
  route({
    id: 'listRuns',
    method: 'get',
    path: '/api/runs',
    summary: 'Runs, running ones first, then the latest',
    access: anyToken,
    query: runQuery,
    answers: {
      200: json(
        'Runs',
        t.object({
          runs: t.list(runShape),
          next: t.optional(t.text({ description: 'The cursor of the next page, when there is one.' })),
        }),
      ),
    },
    async handle({ principal, query }, { crib, history }) {
      if (query.cursor !== undefined && !/^\d{1,15}$/.test(query.cursor))
        throw malformed('The cursor is not one this server gave out.')
      const isFinished = query.ok !== undefined || query.error !== undefined
      const running =
        query.cursor !== undefined || isFinished
          ? []
          : crib.kernel.running
              .map(runningRun)
              .filter((run) => passes(run, query) && maySeeRun(principal, run))
              .reverse()
      const { limit, cursor } = query
      const page = await history.list({ ...filterFor(principal, query), limit, cursor })
      return { runs: [...running, ...page.runs], next: page.next }
    },
  }),
  route({
    id: 'runStats',
    method: 'get',
    path: '/api/stats',
    summary: 'Figures of finished runs: count, failures, times, cost',
    description: 'Computed over all runs that match. Without `since`: of the last 24 hours.',
    access: anyToken,
    query: statsQuery,
    answers: { 200: json('Figures', runStatsShape) },
    handle({ principal, query }, { history }) {
      const until = query.until ?? new Date().toISOString()
      const since = query.since ?? new Date(Date.parse(until) - dayMs).toISOString()
      const seconds = (Date.parse(until) - Date.parse(since)) / 1000
      const most = query.course ? maxCourse : maxBuckets
      if (query.bucket !== undefined && seconds / query.bucket > most)
        throw malformed(`bucket is too small: there would be more than ${most} steps.`)
      return history.stats({
        ...filterFor(principal, query),
        since,
        until,
        bucketSeconds: query.bucket,
        by: query.by,
        withCourse: query.course,
      })
    },
  }),
  route({
    id: 'runEvents',
    method: 'get',
    path: '/api/runs/:id{.+}/events',
    summary: 'A run as it happens, from its start',
    description: `${runEvents} Goes on after \`Last-Event-ID\`; ends with the run.`,
    access: anyToken,
    params,
    headers: { 'Last-Event-ID': 'The id of the last event that was received.' },
    answers: { 200: { description: runEvents, content: { 'text/event-stream': t.text() } } },
    async handle({ params: { id }, principal, request }, { crib, history, recent }) {
      const lastId = request.headers.get('last-event-id')
      const running = crib.kernel.running.find((call) => call.id === id)
      if (running && maySeeRun(principal, runningRun(running))) return runningRunEvents(crib, running, lastId)
      const run = recent.find(id) ?? (await history.find(id, !principal.isAdmin))
      if (!run || !maySeeRun(principal, run)) throw noRun(id)
      return finishedRunEvents(run, lastId)
    },
  }),
  route({
    id: 'showRun',
    method: 'get',
    path: '/api/runs/:id{.+}',
    summary: 'One run',
    access: anyToken,
    params,
    answers: { 200: json('The run', runDetailShape) },
    async handle({ params: { id }, principal }, { crib, history, recent }) {
      const running = crib.kernel.running.find((call) => call.id === id)
      const run = running
        ? runningDetail(running)
        : (recent.find(id) ?? (await history.find(id, !principal.isAdmin)))
      if (!run || !maySeeRun(principal, run)) throw noRun(id)
      return run
    },
  }),
  route({
    id: 'cancelRun',
    method: 'post',
    path: '/api/runs/:id{.+}/cancel',
    summary: 'Stops a running call',
    access: anyToken,
    params,
    answers: { 200: json('Stopped', t.object({ ok: t.only(true), runId: t.text() })) },
    async handle({ params: { id }, principal }, { crib, history }) {
      const running = crib.kernel.running.find((call) => call.id === id)
      if (running && maySeeRun(principal, runningRun(running))) {
        crib.kernel.cancel(id)
        return { ok: true, runId: id }
      }
      const finished = await history.find(id, !principal.isAdmin)
      if (!finished || !maySeeRun(principal, finished)) throw noRun(id)
      throw new HttpProblem('CONFLICT', `Run ${id} has already finished.`)
    },
  }),
]

const tokenSurfaces = ['http', 'mcp', 'console']

/** A tool or a user of the machine may have the same name as a token; only what came in by a token is its own. */
export function maySeeRun(principal: Principal, run: Pick<RunSummary, 'caller' | 'surface'>): boolean {
  return principal.isAdmin || (run.caller === principal.name && tokenSurfaces.includes(run.surface))
}

/** A token that is no admin sees what came in by it. */
export function filterFor(principal: Principal, query: Static<typeof statsQuery>): RunFilter {
  const { top, by: _by, bucket: _bucket, ...filter } = query
  const asked = { ...filter, isTop: top }
  return principal.isAdmin ? asked : { ...asked, caller: principal.name, surfaces: tokenSurfaces }
}

/** Whether a run in progress is among those asked for. */
function passes(run: RunSummary, query: Static<typeof runQuery>): boolean {
  const { tool, surface, caller, since, until, minMs, root, top, trigger, q } = query
  return (
    (tool === undefined || run.tool === tool) &&
    (surface === undefined || run.surface === surface) &&
    (caller === undefined || run.caller === caller) &&
    (since === undefined || run.startedAt >= since) &&
    (until === undefined || run.startedAt < until) &&
    (minMs === undefined || run.ms >= minMs) &&
    (root === undefined || run.runId === root || run.parent === root) &&
    (!top || run.parent === undefined) &&
    (trigger === undefined || run.trigger?.schema === trigger) &&
    (q === undefined || `${run.runId}\n${run.tool}\n${run.caller}`.toLowerCase().includes(q.toLowerCase()))
  )
}

function noRun(id: string): HttpProblem {
  return new HttpProblem('RUN_NOT_FOUND', `There is no run ${id}.`, { hint: 'See GET /api/runs.' })
}
