// Keeps a stream of events open: when it breaks, it is opened again, a little later each time.
import { type ApiError, ask, problemOf } from './client.ts'
import { readEvents, type ServerEvent } from './event-stream.ts'

const longestWaitMs = 10_000

export interface FollowOptions {
  readonly signal: AbortSignal
  onEvent(event: ServerEvent): void
  /** Told whenever the connection comes or goes. */
  onState?(isOpen: boolean): void
  /** Told when the server refuses; it is not asked again. */
  onRefused?(error: ApiError): void
}

export async function follow(path: string, options: FollowOptions): Promise<void> {
  const { signal } = options
  let waitMs = 500
  let lastId: string | undefined
  while (!signal.aborted) {
    try {
      const response = await ask(path, {
        signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        },
      })
      if (response.status >= 400 && response.status < 500) throw await problemOf(response)
      if (response.ok) {
        options.onState?.(true)
        waitMs = 500
        for await (const event of readEvents(response)) {
          if (event.id !== undefined) lastId = event.id
          options.onEvent(event)
        }
      }
    } catch (error) {
      if (signal.aborted) return
      const status = (error as { status?: number }).status ?? 0
      // A refusal will not change by asking again.
      if (status >= 400 && status < 500) {
        options.onState?.(false)
        options.onRefused?.(error as ApiError)
        return
      }
    }
    if (signal.aborted) return
    options.onState?.(false)
    await pause(waitMs, signal)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
