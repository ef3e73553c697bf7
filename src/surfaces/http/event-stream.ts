// A response of server-sent events. When the client leaves, or does not take what it is sent, `onLeave` is told and
// nothing more is sent.

export interface EventStream {
  readonly response: Response
  send(event: string, data: unknown, id?: string): void
  close(): void
}

/** How long a client may leave what it is sent unread, and how much of it is kept for it. */
export interface ReaderLimits {
  readonly pingMs: number
  /** Pings in a row that found the client not reading. */
  readonly mostStalledPings: number
  /** Bytes that may wait when the next event comes. */
  readonly mostWaitingBytes: number
}

export const readerLimits: ReaderLimits = {
  pingMs: 15_000,
  mostStalledPings: 4,
  mostWaitingBytes: 16 * 1024 * 1024,
}

/** Bytes that count as being on their way: with more than these waiting, the client does not read. */
export const bufferBytes = 65_536
const encoder = new TextEncoder()

export function openEventStream(onLeave: () => void, limits: ReaderLimits = readerLimits): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let timer: NodeJS.Timeout | undefined
  let stalled = 0
  const stop = () => {
    clearInterval(timer)
    controller = undefined
  }
  const letGo = () => {
    controller?.error(doesNotRead())
    stop()
    onLeave()
  }
  const isStalled = () => (controller?.desiredSize ?? 0) <= 0
  const write = (text: string) => {
    const waiting = bufferBytes - (controller?.desiredSize ?? bufferBytes)
    if (waiting > limits.mostWaitingBytes) letGo()
    controller?.enqueue(encoder.encode(text))
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened
        timer = setInterval(() => {
          stalled = isStalled() ? stalled + 1 : 0
          if (stalled === 0) write(': still here\n\n')
          else if (stalled >= limits.mostStalledPings) letGo()
        }, limits.pingMs)
        timer.unref()
        write(': open\n\n')
      },
      cancel() {
        stop()
        onLeave()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  )
  return {
    response: new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    }),
    send(event, data, id) {
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    close() {
      controller?.close()
      stop()
    },
  }
}

/** Ends the response; it comes out in the log, where a stack would tell nothing. */
export function doesNotRead(): Error {
  const error = new Error('A client of an event stream does not read; it was let go.')
  error.stack = error.message
  return error
}
