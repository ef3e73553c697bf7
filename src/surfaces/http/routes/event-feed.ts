// GET /events/stream: the feed as server-sent events. Events are read from the store only as fast as the client
// takes them, so a slow reader costs no memory; one that takes nothing at all is let go.
import type { FeedItem } from '../../../events/feed.ts'
import { identityOf } from '../../../tool/principal.ts'
import { t } from '../../../tool/shape.ts'
import { anyToken } from '../access.ts'
import { readerFor } from '../crumb-access.ts'
import { bufferBytes, doesNotRead, type ReaderLimits } from '../event-stream.ts'
import { HttpProblem } from '../problem-json.ts'
import { route } from '../route.ts'
import { tagQuery } from './crumbs.ts'

const maxStreams = 256
/** One token must leave some to the others (G22). */
const maxOfToken = 32
const encoder = new TextEncoder()

/** The streams of one server: how many are open, and how long one may go unread. */
export interface EventStreams {
  open: number
  /** Of each token. */
  readonly openOf: Map<string, number>
  readonly limits: Pick<ReaderLimits, 'pingMs' | 'mostStalledPings'>
}

export const eventFeedRoute = route({
  id: 'eventStream',
  method: 'get',
  path: '/events/stream',
  summary: 'Events as they happen',
  access: anyToken,
  headers: { 'Last-Event-ID': 'Replays what came after this position.' },
  query: t.object({
    since: t.optional(t.text({ description: 'As Last-Event-ID.' })),
    schema_name: t.optional(t.text()),
    tag: tagQuery,
    type: t.optional(t.oneOf(['breadcrumb.created', 'breadcrumb.updated', 'breadcrumb.deleted'])),
    compat: t.optional(t.oneOf(['rcrt'], { description: 'Shows creates as updates.' })),
  }),
  answers: {
    200: {
      description: 'One event a message: `id:` and one JSON `data:` line.',
      content: { 'text/event-stream': t.text() },
    },
  },
  async handle({ principal, query, request }, { crib, streams }) {
    const mayRead = readerFor(principal, crib)
    if (streams.open >= maxStreams)
      throw new HttpProblem('TOO_MANY_OPEN', `${maxStreams} event streams are open already.`, {
        hint: 'Close one, or share one stream between readers.',
        headers: { 'retry-after': '15' },
      })
    const reader = identityOf(principal)
    if ((streams.openOf.get(reader) ?? 0) >= maxOfToken)
      throw new HttpProblem('TOO_MANY_OPEN', `${maxOfToken} event streams of this token are open already.`, {
        hint: 'Close one, or share one stream between readers.',
        headers: { 'retry-after': '15' },
      })
    const leave = new AbortController()
    const count = (by: 1 | -1) => {
      streams.open += by
      const open = (streams.openOf.get(reader) ?? 0) + by
      if (open > 0) streams.openOf.set(reader, open)
      else streams.openOf.delete(reader)
    }
    count(1)
    leave.signal.addEventListener('abort', () => count(-1), { once: true })
    const options = {
      tags: query.tag,
      schema: query.schema_name,
      type: query.type,
      since: request.headers.get('last-event-id') ?? query.since,
      signal: leave.signal,
    }
    // Begins here: what is written after the answer has begun comes, and a store that cannot be opened is a 503 and
    // not a stream that breaks.
    const items = await crib.crumbs.follow(options, principal).catch((error: unknown) => {
      leave.abort()
      throw error
    })
    const lines = async (): Promise<string | null> => {
      for (;;) {
        const { value, done } = await items.next()
        if (done) return null
        if (value.type === 'stream.reset' || mayRead(value)) return lineOf(value, query.compat === 'rcrt')
      }
    }
    return new Response(pacedStream(lines, leave, streams.limits), {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  },
})

function lineOf(item: FeedItem, isCompat: boolean): string {
  const shown =
    isCompat && item.type === 'breadcrumb.created' ? { ...item, type: 'breadcrumb.updated' } : item
  return `id: ${item.id}\ndata: ${JSON.stringify(shown)}\n\n`
}
/** A stream that asks for the next text when there is room for it, and pings while there is nothing to send. */
function pacedStream(
  next: () => Promise<string | null>,
  leave: AbortController,
  { pingMs, mostStalledPings }: Pick<ReaderLimits, 'pingMs' | 'mostStalledPings'>,
): ReadableStream<Uint8Array> {
  let ping: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearInterval(ping)
    leave.abort()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let stalled = 0
        controller.enqueue(encoder.encode(': open\n\n'))
        ping = setInterval(() => {
          stalled = (controller.desiredSize ?? 0) > 0 ? 0 : stalled + 1
          if (stalled === 0) controller.enqueue(encoder.encode(': ping\n\n'))
          if (stalled < mostStalledPings) return
          stop()
          controller.error(doesNotRead())
        }, pingMs)
        ping.unref()
      },
      async pull(controller) {
        try {
          const text = await next()
          if (leave.signal.aborted) return
          if (text === null) {
            stop()
            controller.close()
          } else controller.enqueue(encoder.encode(text))
        } catch (error) {
          stop()
          controller.error(error)
        }
      },
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  )
}
