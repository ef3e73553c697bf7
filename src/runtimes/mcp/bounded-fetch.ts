// A fetch whose answers are cut off where one message is larger than a server may send: a JSON body as a whole, of a
// stream of events each one.
import type { ToolError } from '../../tool/tool-error.ts'

const newline = 10

/** `onTooLarge` makes the error; it is told once for each answer that was cut off. */
export function boundedFetch(fetch: Fetch, maxBytes: number, onTooLarge: () => ToolError): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isEvents = /event-stream/.test(response.headers.get('content-type') ?? '')
    let bytes = 0
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = isEvents ? endOfEvent(chunk) : -1
        bytes = end < 0 ? bytes + chunk.length : chunk.length - end
        if (bytes > maxBytes) controller.error(onTooLarge())
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers })
  }
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Where the last event that ends in these bytes does; below nought when none does. */
function endOfEvent(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(newline); at > 0; at = chunk.lastIndexOf(newline, at - 1)) {
    const before = chunk[at - 1] === 13 ? at - 2 : at - 1
    if (chunk[before] === newline) return at + 1
  }
  return -1
}
