// The MCP client of a connection: what it can be asked, and who hears what its server says unasked.
import { Client } from '@modelcontextprotocol/client'
import { version } from '../../config/version.ts'
import type { Json } from '../../tool/json.ts'
import { type QuestionMethod, questionMethods } from './ask-caller.ts'
import type { ForeignLog } from './foreign-log.ts'

export interface ServersWords {
  /** One of its lists changed. */
  onListChanged(): void
  /** A resource that somebody subscribed to changed. */
  onResourceUpdated(uri: string): void
  /** What a person was sent to one of its pages for has ended. */
  onElicited(id: string): void
  /** It asks something. */
  answer(method: QuestionMethod, params: unknown): Promise<unknown> | object
  log(said: ForeignLog): void
}

export function clientFor(mode: 'legacy' | 'auto', words: ServersWords): Client {
  const changed = { autoRefresh: false, debounceMs: 0, onChanged: () => words.onListChanged() }
  const client = new Client(
    { name: 'toolcrib', version: version() },
    {
      // What the client of a call cannot do is answered for it: a connection serves many calls (U2).
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode },
      // At once: from the notice on, what was listed before counts no more.
      listChanged: { tools: changed, prompts: changed, resources: changed },
    },
  )
  for (const method of questionMethods)
    client.setRequestHandler(method, ({ params }) => words.answer(method, params) as never)
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) =>
    words.log({ level, logger, data: (data ?? null) as Json }),
  )
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
    words.onElicited(params.elicitationId),
  )
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
    words.onResourceUpdated(uri),
  )
  return client
}
