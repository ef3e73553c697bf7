// GET /events/stream: the feed as server-sent events. Events are read from the store only as fast as the client
// takes them, so a slow reader costs no memory; one that takes nothing at all is let go.
import type { Hono } from 'hono'
import type { Crib } from '../../../crib/crib.ts'
import type { FeedItem, FeedOptions } from '../../../events/feed.ts'
import { coversName } from '../../../formats/tool-code/name-patterns.ts'
import type { EventType } from '../../../store/crumb.ts'
import { readableSchemas } from '../crumb-access.ts'
import { bufferBytes, doesNotRead, type ReaderLimits, readerLimits } from '../event-stream.ts'
import type { HttpEnv } from '../principals.ts'
import { HttpProblem } from '../problem-json.ts'
import { malformed, queryOf } from '../query.ts'

const mostStreams = 256
const eventTypes = ['breadcrumb.created', 'breadcrumb.updated', 'breadcrumb.deleted']
const encoder = new TextEncoder()

export function mountEventFeed(
  app: Hono<HttpEnv>,
  crib: Crib,
  limits: Pick<ReaderLimits, 'pingMs' | 'mostStalledPings'> = readerLimits,
): void {
  let open = 0
  app.get('/events/stream', async (context) => {
    const { principal } = context.var
    const query = queryOf(context.req.raw)
    const filter = filterOf(query)
    const readable = readableSchemas(principal)
    const since = context.req.header('last-event-id') ?? query.get('since')
    if (open >= mostStreams)
      throw new HttpProblem(429, 'BUSY', `${mostStreams} event streams are open already.`, {
        hint: 'Close one, or share one stream between readers.',
        headers: { 'retry-after': '15' },
      })
    const isCompat = query.get('compat') === 'rcrt'
    const leave = new AbortController()
    // Opens the store here, so that a store that cannot be opened is a 503 and not a stream that breaks.
    await crib.crumbs.store()
    const items = crib.crumbs.watch(
      { ...filter, ...(since === null ? {} : { since }), signal: leave.signal },
      principal,
    )
    open++
    leave.signal.addEventListener('abort', () => open--, { once: true })
    const lines = async (): Promise<string | null> => {
      for (;;) {
        const { value, done } = await items.next()
        if (done) return null
        if (readable === null || value.type === 'stream.reset' || coversName(readable, value.schema_name))
          return lineOf(value, isCompat)
      }
    }
    return new Response(pacedStream(lines, leave, limits), {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  })
}

function filterOf(query: URLSearchParams): FeedOptions {
  const tags = query.getAll('tag').filter((tag) => tag !== '')
  const schema = query.get('schema_name')
  const type = query.get('type')
  if (type !== null && !eventTypes.includes(type)) throw malformed(`type is one of ${eventTypes.join(', ')}.`)
  return {
    ...(tags.length > 0 ? { tags } : {}),
    ...(schema ? { schema } : {}),
    ...(type === null ? {} : { type: type as EventType }),
  }
}

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
