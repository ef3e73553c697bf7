// A response of server-sent events. When the client leaves, `onLeave` is told, and nothing more is sent.

export interface EventStream {
  readonly response: Response
  send(event: string, data: unknown, id?: string): void
  close(): void
}

const keepAliveMs = 15_000
const encoder = new TextEncoder()

export function openEventStream(onLeave: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let timer: NodeJS.Timeout | undefined
  const write = (text: string) => controller?.enqueue(encoder.encode(text))
  const stop = () => {
    clearInterval(timer)
    controller = undefined
  }
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened
      timer = setInterval(() => write(': still here\n\n'), keepAliveMs)
      timer.unref()
      write(': open\n\n')
    },
    cancel() {
      stop()
      onLeave()
    },
  })
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
