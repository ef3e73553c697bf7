// POST /api/tools/{id}/call: one call, answered as an outcome or as a stream of its logs, its progress, what a
// model writes, and the outcome.
import type { Crib } from '../../crib/crib.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Principal } from '../../tool/principal.ts'
import { timeId } from '../../tool/time-id.ts'
import type { Tool } from '../../tool/tool.ts'
import { jsonOutcome } from '../outcome-json.ts'
import { openEventStream, readerLimits } from './event-stream.ts'
import type { Idempotency } from './idempotency.ts'
import { problemOf, problemResponse } from './problem-json.ts'
import { readJson } from './read-body.ts'
import { callBody, checkBody } from './request-schemas.ts'
import { statusOf } from './status-of.ts'

interface CallBody {
  readonly params?: unknown
  readonly dryRun?: boolean
  readonly timeoutMs?: number
}

export async function callRoute(
  crib: Crib,
  tool: Tool,
  principal: Principal,
  request: Request,
  kept: Idempotency<Outcome>,
): Promise<Response> {
  const body = checkBody<CallBody>((await readJson(request)) ?? {}, callBody)
  const traceparent = request.headers.get('traceparent')
  const options = {
    principal,
    ...(body.timeoutMs === undefined ? {} : { timeoutMs: body.timeoutMs }),
    ...(traceparent === null ? {} : { traceparent }),
  }
  if (body.dryRun) {
    const plan = await crib.dryRun(tool, body.params, { ...options, signal: request.signal })
    return jsonResponse(JSON.stringify(plan), statusOf(plan))
  }
  const key = request.headers.get('idempotency-key')
  if (wantsEvents(request) && key === null) return streamCall(crib, tool, body.params, options)
  const outcome =
    key === null
      ? await crib.call(tool, body.params, { ...options, signal: request.signal })
      : await kept.once(`${principal.name}\n${tool.id}`, key, body, () =>
          crib.call(tool, body.params, options),
        )
  const { outcome: answer, text } = jsonOutcome(outcome)
  if (wantsEvents(request)) return streamFinished(answer)
  const status = statusOf(answer)
  if (status === 404 && !answer.ok) return problemResponse(problemOf(404, answer.error))
  return jsonResponse(text, status)
}

function wantsEvents(request: Request): boolean {
  return /\btext\/event-stream\b/.test(request.headers.get('accept') ?? '')
}

function streamCall(
  crib: Crib,
  tool: Tool,
  params: unknown,
  options: NonNullable<Parameters<Crib['call']>[2]>,
): Response {
  const gone = new AbortController()
  const stream = openEventStream(() => gone.abort())
  const runId = timeId()
  stream.response.headers.set('toolcrib-run-id', runId)
  crib
    .call(tool, params, {
      ...options,
      runId,
      signal: gone.signal,
      onLog: (line) => stream.send('log', line),
      onProgress: (progress) => stream.send('progress', progress),
      onText: (text) => stream.send('text', { text }),
    })
    .then((outcome) => {
      stream.send('outcome', jsonOutcome(outcome).outcome)
      stream.close()
    })
  return stream.response
}

function streamFinished(outcome: Outcome): Response {
  // All of it is there already, so nothing is saved by giving up on a slow reader.
  const stream = openEventStream(() => {}, { ...readerLimits, mostWaitingBytes: Infinity })
  for (const line of outcome.logs) stream.send('log', line)
  stream.send('outcome', outcome)
  stream.close()
  return stream.response
}

export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}
