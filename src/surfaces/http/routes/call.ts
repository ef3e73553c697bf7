// POST /api/tools/{id}/call: one call, answered as an outcome or as a stream of its logs, its progress, what a
// model writes, and the outcome.
import type { Crib } from '../../../crib/crib.ts'
import type { Call } from '../../../kernel/call.ts'
import { endedDetail } from '../../../runs/run-history.ts'
import type { Outcome } from '../../../tool/outcome.ts'
import { outcomeShape } from '../../../tool/outcome-shape.ts'
import { named, type Static, t } from '../../../tool/shape.ts'
import { timeId } from '../../../tool/time-id.ts'
import type { Tool } from '../../../tool/tool.ts'
import { jsonOutcome } from '../../outcome-json.ts'
import { anyToken } from '../access.ts'
import type { AppParts } from '../app.ts'
import { openEventStream, readerLimits } from '../event-stream.ts'
import { toolToCall } from '../find-tool.ts'
import { HttpProblem, problemOf, problemResponse } from '../problem-json.ts'
import { checkedBody, json, route } from '../route.ts'
import { statusOf } from '../status-of.ts'
import { toolId } from './tools.ts'

const callEvents =
  'Events: `log` (a log line), `progress` (`{done, total?, message?}`), `text` (`{text}`, the next piece of what the model of an agent writes), and last `outcome` (the Outcome, with the whole text where that is the result).'

const callBody = named(
  'CallBody',
  t.closed({
    params: t.optional(t.any({ description: "The tool's parameters." })),
    dryRun: t.optional(t.boolean({ description: 'Resolve and check everything, run nothing.' })),
    preview: t.optional(
      t.boolean({ description: 'Run it, say what it would change in the files, change nothing.' }),
    ),
    hold: t.optional(
      t.boolean({
        description:
          'Run it, and keep what it changes in the files until somebody decides: `POST /api/runs/{id}/decide`.',
      }),
    ),
    timeoutMs: t.optional(
      t.integer({
        minimum: 1,
        description: 'Time limit of the whole call, at most what the crib allows.',
      }),
    ),
  }),
)

/** What the caller wants done with the file changes. */
function effectsOf({ preview, hold }: Static<typeof callBody>): 'discard' | 'hold' | undefined {
  if (preview && hold)
    throw new HttpProblem('BODY_INVALID', '`preview` and `hold` exclude each other.', {
      hint: 'A preview throws away what the call changed, `hold` keeps it until somebody decides.',
    })
  return preview ? 'discard' : hold ? 'hold' : undefined
}

const dryRun = named(
  'DryRun',
  t.object(
    {
      ok: t.only(true),
      dryRun: t.only(true),
      tool: t.text(),
      runtime: t.text(),
      plan: t.any(),
      chain: t.optional(t.list(t.anyObject())),
      trust: t.any(),
      grants: t.list(t.text()),
      profile: t.anyObject(),
    },
    { description: 'What a call with `dryRun` would do; nothing ran.' },
  ),
)

export const startedShape = t.object({ runId: t.text() })

export const callRoute = route({
  id: 'callTool',
  method: 'post',
  path: '/api/tools/:id{.+}/call',
  summary: 'Calls a tool',
  description: `Calls a tool. With \`Accept: text/event-stream\` the answer is a stream. ${callEvents}`,
  access: anyToken,
  params: { id: toolId },
  headers: {
    'Idempotency-Key': 'The same key gives the same answer for a day; at most 255 characters.',
    Prefer:
      '`respond-async`: answers 202 with the id of the run at once; the call goes on without its caller.',
  },
  body: checkedBody(callBody, false),
  answers: {
    200: {
      description: 'The outcome; the tool ran, also when it failed.',
      content: {
        'application/json': t.either([outcomeShape, dryRun]),
        'text/event-stream': t.text({ description: callEvents }),
      },
    },
    202: json('With `Prefer: respond-async`: the run has begun', startedShape),
    // A call that was refused or came to nothing is answered with an outcome too, under the status of its error.
    default: json('An outcome that failed', outcomeShape),
  },
  async handle({ params, principal, request, body: read }, { crib, kept, started, recent }) {
    const tool = await toolToCall(crib, params.id, principal)
    if (!('id' in tool)) return jsonResponse(JSON.stringify(tool), statusOf(tool))
    const body = await read()
    const options = {
      principal,
      timeoutMs: body.timeoutMs,
      effects: effectsOf(body),
      traceparent: request.headers.get('traceparent') ?? undefined,
    }
    if (body.dryRun) {
      const plan = await crib.dryRun(tool, body.params, { ...options, signal: request.signal })
      return jsonResponse(JSON.stringify(plan), statusOf(plan))
    }
    const key = request.headers.get('idempotency-key')
    const scope = { owner: principal.name, tool: tool.id }
    if (wantsAsync(request)) {
      const start = () => startCall({ crib, recent, tool }, body.params, options)
      const begun = await (key === null ? start() : started.once(scope, key, body, start))
      return new Response(JSON.stringify(begun), {
        status: 202,
        headers: {
          'content-type': 'application/json',
          'preference-applied': 'respond-async',
          location: `/api/runs/${encodeURIComponent(begun.runId)}`,
        },
      })
    }
    if (wantsEvents(request) && key === null) return streamCall(crib, tool, body.params, options)
    const outcome =
      key === null
        ? await crib.call(tool, body.params, { ...options, signal: request.signal })
        : await kept.once(scope, key, body, () => crib.call(tool, body.params, options))
    const { outcome: answer, text } = jsonOutcome(outcome)
    if (wantsEvents(request)) return streamFinished(answer)
    const status = statusOf(answer)
    if (status === 404 && !answer.ok) return problemResponse(problemOf(answer.error))
    return jsonResponse(text, status)
  },
})

function wantsAsync(request: Request): boolean {
  return /(^|[\s,])respond-async\b/i.test(request.headers.get('prefer') ?? '')
}

/** Begins a call that belongs to the server: nobody's leaving ends it. Answers when it can be found by its id. */
function startCall(
  { crib, recent, tool }: Pick<AppParts, 'crib' | 'recent'> & { readonly tool: Tool },
  params: unknown,
  options: NonNullable<Parameters<Crib['call']>[2]>,
): Promise<Static<typeof startedShape>> {
  const runId = timeId()
  return new Promise((resolve) => {
    let call: Call | undefined
    const onPrepared = (prepared: Call) => {
      call = prepared
      queueMicrotask(() => resolve({ runId }))
    }
    // Text is kept where somebody takes it; whoever follows the run reads it from there.
    crib.call(tool, params, { ...options, runId, onPrepared, onText() {} }).then((outcome) => {
      const { outcome: answer, text } = jsonOutcome(outcome)
      if (call) recent.add(endedDetail(call, answer), text.length)
      resolve({ runId })
    })
  })
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

function jsonResponse(text: string, status: number): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}
