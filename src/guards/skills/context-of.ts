// The context of a call, for checks and wrappers that resolve schemas and metadata against it.
import type { Call } from '../../kernel/call.ts'
import { Context } from '../../runtimes/skill/context.ts'

/** What in-process tools and metadata see of a call. */
export function contextOf({ context, tool }: Call): Context {
  if (context instanceof Context) return context
  throw new Error(`${tool.id} was called by a kernel that makes no contexts.`)
}
