// A question a foreign server puts to whoever called its tool. Surfaces that can ask hang a handler on the call.
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'

export type ElicitHandler = (params: ElicitRequestParams) => Promise<ElicitResult>

/** The handler of the surface a call came in by; the outermost call's, when tools call tools. */
export function elicitHandlerOf(call: object): ElicitHandler | undefined {
  type Node = { readonly options?: { readonly onElicit?: unknown }; readonly parent?: Node | null }
  for (let node: Node | null | undefined = call as Node; node; node = node.parent) {
    const handler = node.options?.onElicit
    if (typeof handler === 'function') return handler as ElicitHandler
  }
  return undefined
}
