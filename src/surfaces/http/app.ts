// The routes. Every one but /healthz and the console's own files needs a token; what a token may not see does
// not exist for it.
import { Hono } from 'hono'
import type { Crib } from '../../crib/crib.ts'
import type { RunHistory } from '../../runs/run-history.ts'
import { isCrumbError } from '../../store/crumb-error.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import type { FormatName, Tool, ToolKind } from '../../tool/tool.ts'
import { errorData, isToolError } from '../../tool/tool-error.ts'
import { describeTool } from '../describe-tool.ts'
import { callRoute, jsonResponse } from './call-route.ts'
import { checkHost, type HostRules } from './check-host.ts'
import { consoleFile } from './console-files.ts'
import { consoleRoutes } from './console-routes.ts'
import { toolToCall, toolToShow } from './find-tool.ts'
import { Idempotency } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import { needAdmin } from './need-admin.ts'
import { openApiDocument } from './open-api.ts'
import { type HttpEnv, maySee } from './principals.ts'
import { crumbProblem, HttpProblem, problemOf, problemResponse } from './problem-json.ts'
import { readJson } from './read-body.ts'
import { type RequestDenials, unknownCaller } from './request-denials.ts'
import { checkBody, decisionBody } from './request-schemas.ts'
import { mountAutomation } from './routes/automation.ts'
import { mountCrumbs } from './routes/crumbs.ts'
import { mountEventFeed } from './routes/event-feed.ts'
import { mountNodes } from './routes/nodes.ts'
import { challenge, mountOAuth, type OAuthParts } from './routes/oauth.ts'
import { mountHealth, mountReadiness } from './routes/readiness.ts'
import { mountRuns } from './routes/runs.ts'
import { mountSecrets } from './routes/secrets.ts'
import { mountTokens } from './routes/tokens.ts'
import { mountToolConfig } from './routes/tool-config.ts'
import { mountTrust } from './routes/trust.ts'
import { statusOf } from './status-of.ts'
import type { Tokens } from './tokens.ts'

export interface AppParts {
  readonly crib: Crib
  readonly tokens: Tokens
  readonly hosts: HostRules
  readonly metrics: Metrics
  readonly history: RunHistory
  readonly oauth: OAuthParts
  readonly denials: RequestDenials
  /** True once the server drains: not ready for more. */
  isDraining(): boolean
  /** Answers everything under /mcp. */
  mcp(request: Request, principal: Principal): Promise<Response>
}

export function makeApp(parts: AppParts): Hono<HttpEnv> {
  const { crib, tokens, hosts, metrics, history, denials } = parts
  const kept = new Idempotency<Outcome>()
  const app = new Hono<HttpEnv>()

  app.use(async (context, next) => {
    checkHost(hosts, context.req.header('host'), context.req.header('origin'))
    await next()
    metrics.request(context.req.method, context.res.status)
    context.res.headers.set('x-content-type-options', 'nosniff')
  })

  mountHealth(app, crib, parts.isDraining)
  app.get('/', () => consoleFile('/'))
  app.get('/assets/*', (context) => consoleFile(context.req.path))
  app.get('/favicon.svg', (context) => consoleFile(context.req.path))

  mountOAuth(app, parts.oauth)
  app.use(async (context, next) => {
    const given = context.req.header('authorization')
    const principal = await tokens.identify(given)
    if (!principal) {
      denials.note(
        unknownCaller,
        given === undefined ? 'TOKEN_MISSING' : 'TOKEN_INVALID',
        `${context.req.method} ${context.req.path}`,
      )
      throw unauthenticated(given !== undefined, challenge(parts.oauth, context.req.raw, given !== undefined))
    }
    context.set('principal', principal)
    await next()
  })

  mountReadiness(app, crib, parts.isDraining)
  app.get('/metrics', async () => {
    const { text, contentType } = await metrics.page()
    return new Response(text, { headers: { 'content-type': contentType } })
  })
  app.get('/openapi.json', (context) =>
    jsonResponse(JSON.stringify(openApiDocument(visibleTools(crib, context.var.principal)))),
  )

  app.get('/api/tools', async (context) => {
    const { principal } = context.var
    const query = context.req.query()
    await crib.discover({ timeoutMs: 10_000 })
    const filter = {
      all: query['all'] !== undefined && query['all'] !== 'false',
      ...(query['format'] ? { format: query['format'] as FormatName } : {}),
      ...(query['kind'] ? { kind: query['kind'] as ToolKind } : {}),
      ...(query['tag'] ? { tag: query['tag'] } : {}),
    }
    let tools = crib.list(filter).filter((tool) => maySee(principal, tool, crib))
    if (query['query']) {
      const hits = await crib.search(query['query'], 100)
      tools = hits.map((hit) => hit.tool).filter((tool) => tools.includes(tool))
    }
    const seen = new Set(tools.map((tool) => tool.id))
    const problems = isUnrestricted(principal)
      ? crib.problems
      : crib.problems.filter((problem) => problem.toolId !== undefined && seen.has(problem.toolId))
    return jsonResponse(JSON.stringify({ tools, problems }))
  })

  mountToolConfig(app, crib)

  app.get('/api/tools/:id{.+}', async (context) => {
    const tool = await toolToShow(crib, context.req.param('id'), context.var.principal)
    return jsonResponse(JSON.stringify(describeTool(crib, tool)))
  })

  app.post('/api/tools/:id{.+}/call', async (context) => {
    const tool = await toolToCall(crib, context.req.param('id'), context.var.principal)
    return callRoute(crib, tool, context.var.principal, context.req.raw, kept)
  })

  mountRuns(app, crib, history)
  mountCrumbs(app, crib)
  mountEventFeed(app, crib)
  mountSecrets(app, crib)
  mountAutomation(app, crib)
  mountNodes(app, crib)
  mountTrust(app, crib)
  mountTokens(app, tokens)

  app.get('/api/approvals', (context) => {
    needAdmin(context.var.principal, 'see approvals')
    return jsonResponse(JSON.stringify(crib.approvals.pending))
  })

  app.post('/api/approvals/:id', async (context) => {
    needAdmin(context.var.principal, 'decide approvals')
    const body = checkBody<{ decision: 'approve' | 'deny'; reason?: string }>(
      await readJson(context.req.raw),
      decisionBody,
    )
    const id = context.req.param('id')
    if (!crib.approvals.decide(id, { ...body, by: context.var.principal.name }))
      throw new HttpProblem(404, 'APPROVAL_NOT_FOUND', `No call waits for approval under ${id}.`, {
        hint: 'It may have been decided, cancelled or timed out; see GET /api/approvals.',
      })
    return jsonResponse(JSON.stringify({ ok: true, id, decision: body.decision }))
  })

  app.route('/api/console', consoleRoutes(crib))
  app.all('/mcp', (context) => parts.mcp(context.req.raw, context.var.principal))

  app.notFound((context) =>
    problemResponse(
      new HttpProblem(
        404,
        'ROUTE_NOT_FOUND',
        `There is nothing at ${context.req.method} ${context.req.path}.`,
        {
          hint: 'See /openapi.json for what there is.',
        },
      ),
    ),
  )
  app.onError((error, context) => {
    const problem = isCrumbError(error) ? error : asProblem(error)
    // Before somebody is known, there is no principal here.
    const caller = (context.var.principal as Principal | undefined)?.name ?? unknownCaller
    if (problem.status === 403)
      denials.note(caller, problem.code, `${context.req.method} ${context.req.path}: ${problem.message}`)
    return isCrumbError(problem) ? crumbProblem(problem) : problemResponse(problem)
  })
  return app
}

function visibleTools(crib: Crib, principal: Principal): Tool[] {
  return crib.list().filter((tool) => maySee(principal, tool, crib))
}

function unauthenticated(wasGiven: boolean, wanted: string): HttpProblem {
  return new HttpProblem(
    401,
    wasGiven ? 'TOKEN_INVALID' : 'TOKEN_MISSING',
    wasGiven ? 'The token is not known here.' : 'This needs a token.',
    {
      hint: 'Send Authorization: Bearer <token>; `toolcrib serve` prints the token and keeps it in .toolcrib/token.',
      headers: { 'www-authenticate': wanted },
    },
  )
}

function asProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (isToolError(error)) {
    // An outcome that failed is a good answer; a problem is not.
    const status = statusOf({ ok: false, error })
    return problemOf(status === 200 ? 502 : status, errorData(error))
  }
  if (error instanceof URIError)
    return new HttpProblem(400, 'BODY_INVALID', 'The path is not valid percent-encoding.')
  return new HttpProblem(500, 'INTERNAL', error instanceof Error ? error.message : String(error))
}
