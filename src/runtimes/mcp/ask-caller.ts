// Questions in the middle of a call, put to whoever made it: to a person (elicitation), to the caller's model
// (sampling), about the folders it works in (roots). What the caller cannot do is answered for it, with the reason (U2).
import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type ElicitRequestParams,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client'
import type { AskOptions } from '../../tool/caller-answers.ts'
import { isPlainObject } from '../../tool/json.ts'
import { answerOf, elicitHandlerOf, sampleHandlerOf } from './caller-handlers.ts'

export const questionMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const
export type QuestionMethod = (typeof questionMethods)[number]

/** What a server's questions are answered by. */
export interface Caller {
  /** What it can be asked, as a client states it. */
  readonly capabilities: ClientCapabilities
  /** Callers with the same one can be asked for each other. */
  readonly client?: object | undefined
  answer(method: QuestionMethod, params: unknown, options?: AskOptions): Promise<unknown>
  /** What a person was sent to a page for has ended there. */
  elicited(id: string): void
}

/** Whoever made a call, as a server can ask it. */
export function callerOf(call: object): Caller {
  const elicit = elicitHandlerOf(call)
  const sample = sampleHandlerOf(call)
  const roots = answerOf(call, 'onRoots')
  const modes = answerOf(call, 'elicitModes') ?? ['form']
  const sampleWith = answerOf(call, 'sampleWith') ?? []
  const capabilities: ClientCapabilities = {
    elicitation: elicit && Object.fromEntries(modes.map((mode) => [mode, {}])),
    sampling: sample && Object.fromEntries(sampleWith.map((part) => [part, {}])),
    roots: roots && {},
  }
  return {
    capabilities,
    client: answerOf(call, 'client'),
    elicited: (id) => answerOf(call, 'onElicited')?.(id),
    async answer(method, params, options) {
      if (method === 'elicitation/create') {
        const mode = isPlainObject(params) && params['mode'] === 'url' ? 'url' : 'form'
        if (!elicit) return unable(method, 'Whoever made this call has nobody to ask.')
        if (!modes.includes(mode)) return unable(method, `The client of this call cannot show a ${mode}.`)
        return elicit(params as ElicitRequestParams, options)
      }
      if (method === 'sampling/createMessage') {
        const { includeContext, ...rest } = params as CreateMessageRequestParams
        if (!sample) return unable(method, 'Whoever made this call has no model to ask.')
        if ((rest.tools || rest.toolChoice) && !sampleWith.includes('tools'))
          return unable(method, 'The model of the client of this call can use no tools.')
        const hasContext = includeContext !== undefined && sampleWith.includes('context')
        return sample(hasContext ? { ...rest, includeContext } : rest, options)
      }
      return roots ? roots(options) : unable(method, 'Whoever made this call states no roots.')
    },
  }
}

/** What a question is answered with for one who cannot: a server goes on with it where the protocol lets it. */
export function unable(method: QuestionMethod, reason: string): object {
  const _meta = { 'toolcrib/reason': reason }
  if (method === 'elicitation/create') return { action: 'decline', _meta }
  if (method === 'roots/list') return { roots: [], _meta }
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, reason)
}
