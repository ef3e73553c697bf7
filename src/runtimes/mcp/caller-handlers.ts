// What the surface that a call came in by lets it be asked. Apart from `ask-caller.ts`, because every crib loads this and
// the SDK of the protocol is large.
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from '@modelcontextprotocol/client'
import type { AskOptions, CallerAnswers } from '../../tool/caller-answers.ts'

export type ElicitHandler = (params: ElicitRequestParams, options?: AskOptions) => Promise<ElicitResult>
export type SampleHandler = (
  params: CreateMessageRequestParams,
  options?: AskOptions,
) => Promise<CreateMessageResult>

/** The handler of the surface a call came in by; the outermost call's, when tools call tools. */
export function elicitHandlerOf(call: object): ElicitHandler | undefined {
  return answerOf(call, 'onElicit') as ElicitHandler | undefined
}

export function sampleHandlerOf(call: object): SampleHandler | undefined {
  return answerOf(call, 'onSample') as SampleHandler | undefined
}

/** The nearest call that says how, of this one and those it was made by. */
export function answerOf<Name extends keyof CallerAnswers>(call: object, name: Name): CallerAnswers[Name] {
  type Node = { readonly options?: CallerAnswers; readonly parent?: Node | null }
  for (let node: Node | null | undefined = call as Node; node; node = node.parent) {
    const answer = node.options?.[name]
    if (answer !== undefined) return answer
  }
  return undefined
}
