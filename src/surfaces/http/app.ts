// Serves the declared routes: who asks, what for, and the answer or the problem. What a token may not see does not
// exist for it.

import { type Context, Hono } from 'hono'
import type { Crib } from '../../crib/crib.ts'
import type { RunHistory } from '../../runs/run-history.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { type Principal, powerless } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, isToolError } from '../../tool/tool-error.ts'
import { rightsOf } from '../mcp/client-catalogs.ts'
import { checkHost, type HostRules } from './check-host.ts'
import { packedJson } from './compression.ts'
import type { Idempotency } from './idempotency.ts'
import { isLong, type LongStreams } from './long-streams.ts'
import type { Metrics } from './metrics.ts'
import { HttpProblem, problemOf, problemResponse } from './problem-json.ts'
import { readQuery } from './query.ts'
import { readJson } from './read-body.ts'
import type { Readiness } from './readiness.ts'
import type { RecentRuns } from './recent-runs.ts'
import { type RequestDenials, unknownCaller } from './request-denials.ts'
import { Reply, type Route } from './route.ts'
import { notOffered } from './routes/crumbs.ts'
import type { EventStreams } from './routes/event-feed.ts'
import { challenge, type OAuthParts } from './routes/oauth.ts'
import { routes } from './routes.ts'
import type { TokenStore } from './token-store.ts'
import type { Tokens } from './tokens.ts'

export interface AppParts {
  readonly crib: Crib
  readonly tokens: Tokens
  /** Where tokens that are made here are kept. */
  readonly tokenStore: TokenStore
  /** Files of the crib may be changed from the console. */
  readonly canEdit: boolean
  readonly hosts: HostRules
  readonly metrics: Metrics
  readonly history: RunHistory
  readonly oauth: OAuthParts
  readonly denials: RequestDenials
  readonly readiness: Readiness
  /** Outcomes of calls with an Idempotency-Key. */
  readonly kept: Idempotency<Outcome>
  /** Runs that calls with `Prefer: respond-async` and an Idempotency-Key began. */
  readonly started: Idempotency<{ readonly runId: string }>
  /** Such runs that ended lately. */
  readonly recent: RecentRuns
  readonly streams: EventStreams
  readonly longStreams: LongStreams
  /** The OpenAPI document, with these tools. */
  openApi(tools: readonly Tool[]): JsonObject
  /** Answers everything under /mcp. */
  mcp(request: Request, principal: Principal): Promise<Response>
}

type HttpEnv = { Variables: { principal: Principal } }

/** Who asks where nobody has to be known. */
const nobody = powerless(unknownCaller)

export function makeApp(parts: AppParts): Hono<HttpEnv> {
  const { hosts, metrics, denials } = parts
  const app = new Hono<HttpEnv>()
  app.use(async (context, next) => {
    checkHost(hosts, context.req.header('host'), context.req.header('origin'))
    await next()
    metrics.request(context.req.method, context.res.status)
    context.res.headers.set('x-content-type-options', 'nosniff')
  })
  for (const route of routes)
    if (route.isServed?.(parts) ?? true)
      app.on(route.method, route.path, (context) => answerOf(route, context, parts))
  app.notFound(async (context) => {
    context.set('principal', await identify(context, parts))
    const { method, path } = context.req
    return problemResponse(
      notOffered(path) ??
        new HttpProblem('ROUTE_NOT_FOUND', `There is nothing at ${method} ${path}.`, {
          hint: 'See /openapi.json for what there is.',
        }),
    )
  })
  app.onError((error, context) => {
    const problem = asProblem(error)
    // Before somebody is known, there is no principal here.
    const caller = (context.var.principal as Principal | undefined)?.name ?? unknownCaller
    if (problem.status === 403)
      denials.note(caller, problem.code, `${context.req.method} ${context.req.path}: ${problem.message}`)
    return problemResponse(problem)
  })
  return app
}

/** Who asks, whether they may, what they say, and then what the handler makes of it. */
async function answerOf(route: Route, context: Context<HttpEnv>, parts: AppParts): Promise<Response> {
  if (route.isPrivate) context.header('cache-control', 'no-store')
  const principal = route.access.needs === 'nothing' ? nobody : await identify(context, parts)
  context.set('principal', principal)
  route.access.check?.(principal)
  const request = context.req.raw
  const handled = await route.handle(
    {
      principal,
      params: context.req.param(),
      query: readQuery(route.query, new URL(request.url).searchParams) as never,
      request,
      body: async () => route.body!.check(await readJson(request, route.body!.maxBytes)) as never,
    },
    parts,
  )
  if (handled instanceof Response)
    return isLong(handled, request.method)
      ? parts.longStreams.hold(handled, principal, () => isStillGood(principal, context, parts))
      : handled
  const { value, headers } = handled instanceof Reply ? handled : new Reply(handled, {})
  const packed = await packedJson(JSON.stringify(value), request)
  return new Response(packed.body, {
    status: Number(Object.keys(route.answers)[0]),
    headers: {
      'content-type': 'application/json',
      ...packed.headers,
      ...(route.isPrivate ? { 'cache-control': 'no-store' } : {}),
      ...headers,
    },
  })
}

/** Whether the token is still one, with the rights that it had. */
async function isStillGood(
  principal: Principal,
  context: Context<HttpEnv>,
  parts: AppParts,
): Promise<boolean> {
  const now = await parts.tokens.identify(context.req.header('authorization'))
  return now !== undefined && rightsOf(now) === rightsOf(principal)
}

async function identify(context: Context<HttpEnv>, { tokens, denials, oauth }: AppParts): Promise<Principal> {
  const given = context.req.header('authorization')
  const principal = await tokens.identify(given)
  if (principal) return principal
  const wasGiven = given !== undefined
  const code = wasGiven ? 'TOKEN_INVALID' : 'TOKEN_MISSING'
  denials.note(unknownCaller, code, `${context.req.method} ${context.req.path}`)
  throw new HttpProblem(code, wasGiven ? 'The token is not known here.' : 'This needs a token.', {
    hint: 'Send Authorization: Bearer <token>; `toolcrib serve` prints the token and keeps it in .toolcrib/token.',
    headers: { 'www-authenticate': challenge(oauth, context.req.raw, wasGiven) },
  })
}

function asProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (isToolError(error)) return problemOf(errorData(error))
  if (error instanceof URIError)
    return new HttpProblem('BODY_INVALID', 'The path is not valid percent-encoding.')
  return new HttpProblem('INTERNAL', error instanceof Error ? error.message : String(error))
}
