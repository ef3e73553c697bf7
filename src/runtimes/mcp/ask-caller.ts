// Questions in the middle of a call, put to whoever made it: to a person (elicitation) or to the caller's model
// (sampling). Surfaces that can ask hang a handler on the call.
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from '@modelcontextprotocol/client'

export type ElicitHandler = (params: ElicitRequestParams) => Promise<ElicitResult>
export type SampleHandler = (params: CreateMessageRequestParams) => Promise<CreateMessageResult>

/** The handler of the surface a call came in by; the outermost call's, when tools call tools. */
export function elicitHandlerOf(call: object): ElicitHandler | undefined {
  return handlerOf(call, 'onElicit') as ElicitHandler | undefined
}

export function sampleHandlerOf(call: object): SampleHandler | undefined {
  return handlerOf(call, 'onSample') as SampleHandler | undefined
}

function handlerOf(call: object, name: 'onElicit' | 'onSample'): unknown {
  type Node = { readonly options?: { readonly [option: string]: unknown }; readonly parent?: Node | null }
  for (let node: Node | null | undefined = call as Node; node; node = node.parent) {
    const handler = node.options?.[name]
    if (typeof handler === 'function') return handler
  }
  return undefined
}
