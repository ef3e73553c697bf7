// The runtime `openapi`: an operation of an API, as a request that the host sends behind the net guard.
import { secretPlaceholder } from '../../sandbox/reveal-secrets.ts'
import type { OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { ToolError } from '../../tool/tool-error.ts'
import {
  exchange,
  mayCarrySecrets,
  netGuardEnforcement,
  type OutgoingRequest,
  withinTime,
} from '../http-exchange.ts'
import { NetGuard } from '../net-guard.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { tooLarge } from '../rye/run-process.ts'
import { apiSecrets } from './api-secrets.ts'
import { projectFile } from './build-body.ts'
import { argsOf, buildRequest } from './build-request.ts'
import { joinPages, nextPage } from './next-page.ts'
import { readAnswer } from './read-answer.ts'

type Args = { readonly [name: string]: unknown }

export function openApiRuntime(env: RuntimeEnv): Runtime {
  const guard = new NetGuard(undefined, env.onAccess)
  const requestOf = (attempt: Attempt, args: Args, secret: (name: string) => string) =>
    buildRequest({
      plan: planOf(attempt.tool, 'openapi')!,
      args,
      secret,
      readFile: projectFile(attempt, env.spaces.project),
    })
  return {
    name: 'openapi',
    async run(attempt) {
      attempt.enforced(netGuardEnforcement)
      const plan = planOf(attempt.tool, 'openapi')!
      const args = argsOf(attempt.params)
      refuseUnnamedHost(attempt, plan)
      const secrets = await apiSecrets(attempt, plan, env)
      const requestWith = (given: Args) => requestOf(attempt, given, secrets.of)
      return withinTime(attempt, attempt.timeoutMs, (signal) => {
        const send = async (request: OutgoingRequest) => {
          const answer = await exchange(attempt, request, guard, signal)
          if (answer.status !== 401 || !(await secrets.renew())) return secrets.clean(answer)
          const { authorization } = requestWith(args).headers
          const again = { ...request, headers: { ...request.headers, authorization: authorization! } }
          return secrets.clean(await exchange(attempt, again, guard, signal))
        }
        return fetchPages(attempt, { plan, args, send, requestWith })
      })
    },
    async plan(attempt) {
      const { method, url, headers, body } = requestOf(attempt, argsOf(attempt.params), secretPlaceholder)
      return {
        method,
        url: url.href,
        headers: Object.keys(headers),
        ...(typeof body === 'string' ? { body } : body ? { bodyBytes: body.length } : {}),
      }
    },
    close: async () => guard.close(),
  }
}

interface Fetching {
  readonly plan: OpenApiPlan
  readonly args: Args
  send(request: OutgoingRequest): ReturnType<typeof exchange>
  requestWith(args: Args): OutgoingRequest
}

/** The answer, or as many pages of it as were asked for, joined. */
async function fetchPages(attempt: Attempt, fetching: Fetching): Promise<unknown> {
  const { plan, send, requestWith } = fetching
  const wanted = plan.pages === undefined ? 1 : Number(fetching.args[plan.pages] ?? 1)
  const pages: unknown[] = []
  let { args } = fetching
  let bytes = 0
  for (let request = requestWith(args); ; ) {
    const answer = await send(request)
    const value = readAnswer(attempt, answer)
    pages.push(value)
    bytes += answer.body.length
    if (bytes > attempt.profile.outputBytes) throw tooLarge(attempt)
    if (wanted > 1) attempt.progress({ done: pages.length, total: wanted })
    const next = pages.length < wanted ? nextPage(answer, value, plan.params, args) : undefined
    if (!next) break
    if ('args' in next) {
      args = next.args
      request = requestWith(args)
    } else request = { ...request, url: next.url }
  }
  if (wanted > 1) attempt.meta({ pages: pages.length })
  return joinPages(pages)
}

/** Secrets go to hosts that a grant names, not to whatever is public. */
function refuseUnnamedHost(attempt: Attempt, { credentials, server }: OpenApiPlan): void {
  const url = new URL(server)
  if (credentials.length === 0 || mayCarrySecrets(attempt, url)) return
  throw new ToolError(
    'CAPABILITY_DENIED',
    `${attempt.tool.id} would send ${credentials.map(({ secret }) => secret).join(', ')} to ${url.host}, which no grant names; nothing was sent.`,
    {
      hint: `Grant the host by name in toolcrib.yaml: grants: { tools: { "${attempt.tool.id}": ["net.http:${url.host}"] } }`,
      details: { host: url.host },
    },
  )
}
