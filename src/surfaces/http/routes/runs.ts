// /api/runs: what ran and what runs. A token sees its own runs, an admin all of them.
import { type RunSummary, runningRun } from '../../../runs/run-history.ts'
import { runDetailShape, runShape } from '../../../runs/run-shape.ts'
import type { Principal } from '../../../tool/principal.ts'
import { type Static, t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { HttpProblem } from '../problem-json.ts'
import { malformed } from '../query.ts'
import { json, type Route, route } from '../route.ts'

const runQuery = t.object({
  limit: t.integer({ minimum: 1, maximum: 1000, default: 100 }),
  tool: t.optional(t.text()),
  ok: t.optional(t.boolean()),
  surface: t.optional(t.text()),
  since: t.optional(t.time({ description: 'Runs that began then or later.' })),
  cursor: t.optional(
    t.text({ description: 'The `next` of a former page; running ones are on the first only.' }),
  ),
})

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
      const running =
        query.cursor !== undefined || query.ok !== undefined
          ? []
          : crib.kernel.running
              .map(runningRun)
              .filter((run) => passes(run, query) && maySeeRun(principal, run))
              .reverse()
      const page = await history.list({ ...query, caller: principal.isAdmin ? undefined : principal.name })
      return {
        runs: [...running, ...page.runs.filter((run) => maySeeRun(principal, run))],
        next: page.next,
      }
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
    async handle({ params: { id }, principal }, { crib, history }) {
      const running = crib.kernel.running.find((call) => call.id === id)
      const run = running
        ? { ...runningRun(running), params: null, logs: running.logs, spans: running.spans }
        : await history.find(id)
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
      const finished = await history.find(id)
      if (!finished || !maySeeRun(principal, finished)) throw noRun(id)
      throw new HttpProblem(409, 'CONFLICT', `Run ${id} has already finished.`)
    },
  }),
]

const tokenSurfaces = ['http', 'mcp', 'console']

/** A tool or a user of the machine may have the same name as a token; only what came in by a token is its own. */
export function maySeeRun(principal: Principal, run: Pick<RunSummary, 'caller' | 'surface'>): boolean {
  return principal.isAdmin || (run.caller === principal.name && tokenSurfaces.includes(run.surface))
}

function passes(run: RunSummary, { tool, surface, since }: Static<typeof runQuery>): boolean {
  return (
    (tool === undefined || run.tool === tool) &&
    (surface === undefined || run.surface === surface) &&
    (since === undefined || run.startedAt >= since)
  )
}

function noRun(id: string): HttpProblem {
  return new HttpProblem(404, 'RUN_NOT_FOUND', `There is no run ${id}.`, { hint: 'See GET /api/runs.' })
}
