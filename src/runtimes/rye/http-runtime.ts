// The runtime `rye-http`: one request by the host itself, and its answer as a result.
import type { Json, JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import {
  type Answer,
  exchange,
  headersOf,
  isJsonType,
  netGuardEnforcement,
  retriedStatuses,
  textOf,
  withinTime,
} from '../http-exchange.ts'
import { NetGuard } from '../net-guard.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { buildRequest } from './http-request.ts'
import { Interpreters } from './interpreter.ts'
import { settingOf } from './setting.ts'

const maxErrorChars = 2_000

export function ryeHttp(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  const guard = new NetGuard(undefined, env.onAccess)
  return {
    name: 'rye-http',
    async run(attempt) {
      attempt.enforced(netGuardEnforcement)
      const request = buildRequest(await settingOf(attempt, env, interpreters))
      return withinTime(attempt, request.timeoutMs, async (signal) =>
        resultOf(attempt, await exchange(attempt, request, guard, signal)),
      )
    },
    async plan(attempt) {
      const request = buildRequest(await settingOf(attempt, env, interpreters))
      return {
        method: request.method,
        url: request.url.href,
        headers: Object.keys(request.headers),
        ...(request.body === undefined ? {} : { body: request.body }),
      }
    },
    close: async () => guard.close(),
  }
}

function resultOf(attempt: Attempt, answer: Answer): JsonObject {
  const { status, statusText, url } = answer
  const type = answer.headers['content-type'] ?? ''
  const text = textOf(answer)
  attempt.meta({ status })
  if (status < 200 || status > 299) {
    const start = text.slice(0, maxErrorChars)
    throw new ToolError('TOOL_FAILED', `${url.origin} answered ${status} ${statusText}`.trimEnd(), {
      hint: start.trim() === '' ? 'The answer had no text.' : `It says: ${start.slice(0, 300)}`,
      details: { status, body: start },
      retryable: retriedStatuses.includes(status),
    })
  }
  const head = { success: true, status, headers: headersOf(answer) }
  if (!isJsonType(type)) return { ...head, output: text }
  if (text.trim() === '') return { ...head, data: null }
  try {
    return { ...head, data: JSON.parse(text) as Json }
  } catch (error) {
    throw new ToolError(
      'TOOL_FAILED',
      `${url.origin} answered ${type} that is no JSON: ${(error as Error).message}.`,
      {
        details: { status, body: text.slice(0, maxErrorChars) },
      },
    )
  }
}
