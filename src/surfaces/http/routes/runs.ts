// /api/runs: what ran and what runs. A token sees its own runs, an admin all of them.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import { type RunHistory, type RunSummary, runningRun } from '../../../runs/run-history.ts'
import type { Principal } from '../../../tool/principal.ts'
import type { HttpEnv } from '../principals.ts'
import { HttpProblem } from '../problem-json.ts'
import { malformed, moment, queryOf, wholeNumber, yesOrNo } from '../query.ts'

export function mountRuns(app: Hono<HttpEnv>, crib: Crib, history: RunHistory): void {
  /**
   * Running ones first, then the latest: `{ runs: [Run…], next? }`. Filters: tool, ok, surface, since (when it
   * began), limit (100), cursor (the `next` of a former page; running ones are on the first page only).
   */
  app.get('/api/runs', async (context) => {
    const { principal } = context.var
    const query = queryOf(context.req.raw)
    const filter = filterOf(query)
    const running =
      filter.cursor !== undefined || filter.ok !== undefined
        ? []
        : crib.kernel.running
            .map(runningRun)
            .filter((run) => passes(run, filter) && maySeeRun(principal, run))
            .reverse()
    const page = await history.list({
      ...filter,
      ...(principal.isAdmin ? {} : { caller: principal.name }),
    })
    return context.json({
      runs: [...running, ...page.runs.filter((run) => maySeeRun(principal, run))],
      ...(page.next === undefined ? {} : { next: page.next }),
    })
  })

  /** One run with `params` (as recorded), `outcome`, `logs` and `spans`. */
  app.get('/api/runs/:id{.+}', async (context) => {
    const id = context.req.param('id')
    const running = crib.kernel.running.find((call) => call.id === id)
    const run = running
      ? { ...runningRun(running), params: null, logs: running.logs, spans: running.spans }
      : await history.find(id)
    if (!run || !maySeeRun(context.var.principal, run)) throw noRun(id)
    return context.json(run)
  })

  app.post('/api/runs/:id{.+}/cancel', async (context) => {
    const id = context.req.param('id')
    const running = crib.kernel.running.find((call) => call.id === id)
    if (running && maySeeRun(context.var.principal, runningRun(running))) {
      crib.kernel.cancel(id)
      return context.json({ ok: true, runId: id })
    }
    const finished = await history.find(id)
    if (!finished || !maySeeRun(context.var.principal, finished)) throw noRun(id)
    throw new HttpProblem(409, 'CONFLICT', `Run ${id} has already finished.`)
  })
}

const tokenSurfaces = ['http', 'mcp', 'console']

/** A tool or a user of the machine may have the same name as a token; only what came in by a token is its own. */
export function maySeeRun(principal: Principal, run: Pick<RunSummary, 'caller' | 'surface'>): boolean {
  return principal.isAdmin || (run.caller === principal.name && tokenSurfaces.includes(run.surface))
}

interface Filter {
  readonly limit: number
  readonly tool?: string
  readonly surface?: string
  readonly ok?: boolean
  readonly since?: string
  readonly cursor?: string
}

function filterOf(query: URLSearchParams): Filter {
  const tool = query.get('tool')
  const surface = query.get('surface')
  const ok = yesOrNo(query, 'ok')
  const since = moment(query, 'since')
  const cursor = query.get('cursor')
  if (cursor !== null && !/^\d{1,15}$/.test(cursor))
    throw malformed('The cursor is not one this server gave out.')
  return {
    limit: wholeNumber(query, 'limit', 1, 1000) ?? 100,
    ...(tool ? { tool } : {}),
    ...(surface ? { surface } : {}),
    ...(ok === undefined ? {} : { ok }),
    ...(since === undefined ? {} : { since }),
    ...(cursor === null ? {} : { cursor }),
  }
}

function passes(run: RunSummary, { tool, surface, since }: Filter): boolean {
  return (
    (tool === undefined || run.tool === tool) &&
    (surface === undefined || run.surface === surface) &&
    (since === undefined || run.startedAt >= since)
  )
}

function noRun(id: string): HttpProblem {
  return new HttpProblem(404, 'RUN_NOT_FOUND', `There is no run ${id}.`, { hint: 'See GET /api/runs.' })
}
