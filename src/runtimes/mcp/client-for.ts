// The MCP client of a connection: what it can be asked, and who hears what its server says unasked.
import { Client, type ClientContext } from '@modelcontextprotocol/client'
import { version } from '../../config/version.ts'
import type { AskOptions } from '../../tool/caller-answers.ts'
import { isPlainObject, type Json } from '../../tool/json.ts'
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
  answer(method: QuestionMethod, params: unknown, options: AskOptions): Promise<unknown> | object
  log(said: ForeignLog): void
}

export function clientFor(mode: 'legacy' | 'auto', words: ServersWords): Client {
  const changed = { autoRefresh: false, debounceMs: 0, onChanged: () => words.onListChanged() }
  const client = new Client(
    { name: 'toolcrib', version: version() },
    {
      // What the client of a call cannot do is answered for it: a connection serves many calls (U2).
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {}, context: {} },
        roots: { listChanged: true },
      },
      versionNegotiation: { mode },
      // At once: from the notice on, what was listed before counts no more.
      listChanged: { tools: changed, prompts: changed, resources: changed },
    },
  )
  for (const method of questionMethods)
    client.setRequestHandler(
      method,
      ({ params }, context) => words.answer(method, withoutToken(params), asked(context)) as never,
    )
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

/** The server withdraws its question, and hears how far the answer is where it wants to. */
function asked({ mcpReq }: ClientContext): AskOptions {
  const progressToken = mcpReq._meta?.progressToken
  const notify = (params: object) => mcpReq.notify({ method: 'notifications/progress', params } as never)
  return {
    signal: mcpReq.signal,
    progress:
      progressToken === undefined
        ? undefined
        : ({ done, ...rest }) => void notify({ progressToken, progress: done, ...rest }).catch(() => {}),
  }
}

/** Another connection counts its tokens itself. */
function withoutToken(params: unknown): unknown {
  if (!isPlainObject(params) || !isPlainObject(params['_meta'])) return params
  const { progressToken: _, ...meta } = params['_meta']
  const { _meta, ...rest } = params
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest
}
