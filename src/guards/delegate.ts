// `metadata.delegate`: another tool, file or inline code answers for this one. A value pre-empts the leaf;
// undefined goes on to it.
import type { Call } from '../kernel/call.ts'
import type { Guard } from '../kernel/pipeline.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

/** Calls what metadata names, in the name of the tool that declares it. */
export type RunRef = (
  from: Call,
  ref: string,
  args: unknown,
  declaredBy: Tool,
  isHook: boolean,
) => Promise<unknown>

export function delegate(runRef: RunRef): Guard {
  return {
    name: 'delegate',
    after: '$execute',
    inChainEntries: true,
    isQuick: true,
    run(call) {
      const ref = call.metadata['delegate']
      if (ref === undefined || ref === null) return undefined
      const declaredBy = call.woven?.declaredBy['delegate'] ?? call.tool
      if (typeof ref !== 'string')
        throw new ToolError('REF_INVALID', `${declaredBy.id}: delegate must be a reference, a string.`, {
          hint: 'Name a tool, a file such as ./lib/handler.js, or inline://code,…',
        })
      return runRef(call, ref, call.args, declaredBy, false)
    },
  }
}
