// A listener for servers of tests that waits: a client that leaves in the middle of its question ends the answer, and
// not the test run, as a rejection that nobody hears does.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch(() => response.destroy())
  }
}
