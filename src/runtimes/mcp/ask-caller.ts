// Questions in the middle of a call, put to whoever made it: to a person (elicitation), to the caller's model
// (sampling), about the folders it works in (roots). What the caller cannot do is answered for it, with the reason (U2).
import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client'
import type { CallerAnswers } from '../../tool/caller-answers.ts'
import { isPlainObject } from '../../tool/json.ts'

export type ElicitHandler = (params: ElicitRequestParams) => Promise<ElicitResult>
export type SampleHandler = (params: CreateMessageRequestParams) => Promise<CreateMessageResult>

export const questionMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const
export type QuestionMethod = (typeof questionMethods)[number]

/** What a server's questions are answered by. */
export interface Caller {
  /** What it can be asked, as a client states it. */
  readonly capabilities: ClientCapabilities
  answer(method: QuestionMethod, params: unknown): Promise<unknown>
}

/** The handler of the surface a call came in by; the outermost call's, when tools call tools. */
export function elicitHandlerOf(call: object): ElicitHandler | undefined {
  return answerOf(call, 'onElicit') as ElicitHandler | undefined
}

export function sampleHandlerOf(call: object): SampleHandler | undefined {
  return answerOf(call, 'onSample') as SampleHandler | undefined
}

/** Whoever made a call, as a server can ask it. */
export function callerOf(call: object): Caller {
  const elicit = elicitHandlerOf(call)
  const sample = sampleHandlerOf(call)
  const roots = answerOf(call, 'onRoots')
  const modes = answerOf(call, 'elicitModes') ?? ['form']
  const capabilities: ClientCapabilities = {
    elicitation: elicit && Object.fromEntries(modes.map((mode) => [mode, {}])),
    sampling: sample && {},
    roots: roots && {},
  }
  return {
    capabilities,
    async answer(method, params) {
      if (method === 'elicitation/create') {
        const mode = isPlainObject(params) && params['mode'] === 'url' ? 'url' : 'form'
        if (!elicit) return unable(method, 'Whoever made this call has nobody to ask.')
        if (!modes.includes(mode)) return unable(method, `The client of this call cannot show a ${mode}.`)
        return elicit(params as ElicitRequestParams)
      }
      if (method === 'sampling/createMessage')
        return sample
          ? sample(params as CreateMessageRequestParams)
          : unable(method, 'Whoever made this call has no model to ask.')
      return roots ? roots() : unable(method, 'Whoever made this call states no roots.')
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

function answerOf<Name extends keyof CallerAnswers>(call: object, name: Name): CallerAnswers[Name] {
  type Node = { readonly options?: CallerAnswers; readonly parent?: Node | null }
  for (let node: Node | null | undefined = call as Node; node; node = node.parent) {
    const answer = node.options?.[name]
    if (answer !== undefined) return answer
  }
  return undefined
}
