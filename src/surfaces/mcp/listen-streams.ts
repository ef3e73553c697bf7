// The open `subscriptions/listen` streams over HTTP. Changes of the catalog go to all of them, those of a foreign resource
// to the one that asked for it with its own rights.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { ClientCatalog } from './client-catalog.ts'
import { watchListen } from './listen-filter.ts'

type Listener = (event: ServerEvent) => void

/** The stream of one request, from when the SDK opens it. */
interface Stream {
  listener?: Listener
  onEnd?: () => void
}

export class ListenStreams implements ServerEventBus {
  readonly #listeners = new Set<Listener>()
  readonly #opening = new AsyncLocalStorage<Stream>()

  publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    const stream = this.#opening.getStore()
    if (stream) stream.listener = listener
    return () => {
      this.#listeners.delete(listener)
      stream?.onEnd?.()
    }
  }

  /** Has the SDK answer a request with `serve`, after what it wants to hear of is watched. */
  async answer(
    clientCatalog: ClientCatalog,
    body: unknown,
    serve: (body: unknown) => Promise<Response>,
  ): Promise<Response> {
    const stream: Stream = {}
    const watched = await watchListen(clientCatalog, body, (uri) =>
      stream.listener?.({ kind: 'resource_updated', uri }),
    )
    if (!watched) return serve(body)
    stream.onEnd = watched.stop
    const response = await this.#opening.run(stream, () => serve(watched.message))
    if (!stream.listener) watched.stop()
    return response
  }
}
